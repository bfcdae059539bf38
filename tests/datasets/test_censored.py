"""Values such as ">10" and "~5" in columns of numbers: which cells they are, and what is read from them."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

from wassergraph.datasets.bounds import read_bounds
from wassergraph.datasets.censored import Censoring
from wassergraph.datasets.inputs import load_graphs
from wassergraph.datasets.reading import ReadingOptions
from wassergraph.datasets.targets import Target, read_target
from wassergraph.errors import InputError, Option, Place

CELLS = ["1.5", ">10", "2.5", "", "<= 0.1", "~5", "NA", "≥3", "ca. 4", "0.5", "3.5", "4.5"]
DROP = "3 values of 'y' are censored (>: 2, <: 1): left out; 2 values are approximate (~): read as the numbers"
VALUE = DROP.replace("left out", "read as the numbers")


def read(cells, how="error", task="auto") -> Target:
    places = [Place("a.csv", line) for line in range(2, len(cells) + 2)]
    return read_target(cells, places, name="y", task=task, censored=how)


def test_bounds_are_left_out():
    with pytest.warns(UserWarning, match="left out") as warned:
        target = read(CELLS, "drop")
    assert [str(each.message) for each in warned] == [DROP]
    assert target.values.tolist() == [1.5, 2.5, 5, 4, 0.5, 3.5, 4.5]
    assert target.positions.tolist() == [0, 2, 5, 8, 9, 10, 11]
    assert (target.censored, target.censoring) == (None, Censoring("drop", {">": 2, "<": 1, "~": 2}))


def test_bounds_are_read_as_numbers():
    with pytest.warns(UserWarning, match="read as") as warned:
        target = read(CELLS, "value")
    assert [str(each.message) for each in warned] == [VALUE]
    assert target.values.tolist() == [1.5, 10, 2.5, 0.1, 5, 3, 4, 0.5, 3.5, 4.5]
    assert target.positions.tolist() == [0, 1, 2, 4, 5, 7, 8, 9, 10, 11]
    assert target.censored.tolist() == [0, 1, 0, -1, 0, 1, 0, 0, 0, 0]
    part = target.take(np.array([1, 4, 5]))
    assert (part.values.tolist(), part.censored.tolist()) == ([10, 0.1, 5], [1, -1, 0])
    assert part.positions.tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("sign", "side"),
    [
        *((sign, 1) for sign in (">", ">=", "=>", ">>", "≥")),
        *((sign, -1) for sign in ("<", "<=", "≤")),
        *((sign, 0) for sign in ("~", "≈", "ca.", "Ca ", "approx.")),
    ],
)
@pytest.mark.parametrize("space", ["", " ", "  "])
@pytest.mark.parametrize("number", ["5", "-0.5", "1e-3"])
def test_signs(sign, side, space, number):
    with pytest.warns(UserWarning, match="approximate" if side == 0 else "censored"):
        target = read([f"{sign}{space}{number}", "0.25"], "value")
    assert target.values.tolist() == [float(number), 0.25]
    assert (0 if target.censored is None else target.censored[0]) == side


@pytest.mark.parametrize("cell", ["abc", ">abc", ">", "5>", "> 1,5", ">01", "<>5", "= 5", "5 - 10", "±5", ">inf"])
@pytest.mark.parametrize("how", ["error", "drop", "value"])
def test_other_text_stays_an_error(cell, how):
    with pytest.raises(InputError, match="is not a number, but 3 cells are") as caught:
        read(["0.5", cell, "1.5", "2.5"], how)
    assert (caught.value.line, [option.name for option in caught.value.options]) == (3, ["task"])


def test_by_default_bounds_are_an_error_that_names_the_option():
    with pytest.raises(InputError, match=r"'>10' in the column 'y' is not a number, but 5 cells are") as caught:
        read(CELLS)
    error = caught.value
    assert error.options[:2] == (Option("censored", "drop"), Option("censored", "value"))
    assert "; 5 numbers have a sign such as > or <: pass --censored drop to" in error.describe(Option.as_flag)
    assert [place.line for place, _ in error.also] == [6, 7, 9, 10]  # NA is a missing value, as among plain numbers
    with pytest.raises(InputError, match=r"line 3: 'abc' .*; 1 number has a sign .*: pass censored=\"drop\"") as caught:
        read(["0.5", "abc", "1.5", ">2.5"])
    with pytest.raises(InputError, match=r"line 3: 'abc' .* but 3 cells are; correct or empty"):
        read(["0.5", "abc", "1.5", ">2.5"], "drop")


def test_mostly_bounds_are_numbers_if_others_are():
    cells = ["12.5", ">50", ">50", ">50", "<1"]
    with pytest.raises(InputError, match="4 numbers have a sign"):
        read(cells)
    with pytest.warns(UserWarning, match=r"4 values of 'y' are censored \(>: 3, <: 1\): left out$"):
        assert read(cells, "drop").values.tolist() == [12.5]


@pytest.mark.parametrize("how", ["error", "drop", "value"])
def test_ranges_are_classes(how):
    cells = ["<0.5", "0.5-1.5", ">1.5", "<0.5"]
    target = read(cells, how)
    assert (target.task, target.values.tolist(), target.censored) == ("classification", cells, None)
    assert read(["<1", ">1"], how).task == "classification"
    assert read(CELLS, how, "classification").values.tolist()[:2] == ["1.5", ">10"]


def test_without_other_values_nothing_is_left():
    with pytest.raises(InputError, match=r"a\.csv: no cell that is not censored of the column 'y' has a value"):
        read([">1", "<2"], "drop", "regression")
    with pytest.warns(UserWarning, match="censored"):
        assert read([">1", "<2"], "value", "regression").censored.tolist() == [1, -1]


def test_counts_of_one():
    assert Censoring("drop", {"<": 1}).describe("y") == "1 value of 'y' is censored (<: 1): left out"
    assert Censoring("value", {"~": 1}).describe("y") == "1 value of 'y' is approximate (~): read as the numbers"


# Lists


def test_lists_of_numbers_and_texts():
    numbers, censored = read_bounds(["5.25", 7, 1e-3, ">10", "<= 0.1", "~3", None, float("nan"), "", " 4 ", "≥-2"])
    np.testing.assert_array_equal(numbers, [5.25, 7, 1e-3, 10, 0.1, 3, np.nan, np.nan, np.nan, 4, -2])
    assert censored.tolist() == [0, 0, 0, 1, -1, 0, 0, 0, 0, 0, 1]
    assert (len(read_bounds([]).numbers), read_bounds(np.array([1.0, 2.0])).numbers.tolist()) == (0, [1, 2])
    assert read_bounds(np.array([">1", "2"])).censored.tolist() == [1, 0]


@pytest.mark.parametrize("value", ["abc", ">", "1,5", True, "> ten", float("inf")])
def test_lists_with_other_values(value):
    with pytest.raises(InputError, match=f"graph 1: '{value}' is not a number"):
        read_bounds(["1", value])


# Sources


def write(path, text):
    path.write_text(text)
    return path


@pytest.mark.parametrize("need", [True, False])
def test_tables_of_molecules(tmp_path, need):
    path = write(tmp_path / "a.csv", "smiles,y\nCCO,0.5\nCCC,>1\nCCN,\nCCCC,1.5\nC(,<2\nCCCO,<0.1\n")
    with pytest.warns(UserWarning, match="left out") as warned:
        source = load_graphs(path, ReadingOptions(censored="drop", need_target=need, invalid="skip"))
    messages = [str(each.message) for each in warned]
    assert messages[0] == "3 values of 'y' are censored (>: 1, <: 2): left out"
    assert [text for text in messages if "for lack of a value" in text] == (
        ["1 of 6 rows left out for lack of a value of 'y', in a.csv, line 4"] if need else []
    )
    assert source.target.values.tolist() == [0.5, 1.5]
    assert (len(source.graphs), source.facts.n_without_target) == (2 if need else 5, 4)
    assert source.reading["censored"] == "drop"


def test_new_graphs_are_read_as_before(tmp_path):
    path = write(tmp_path / "a.csv", "smiles,y\nCCO,0.5\nCCC,>1\nCCCC,1.5\n")
    like = {"smiles_column": "smiles", "target": "y"}
    with pytest.raises(InputError, match="'>1' in the column 'y'"):
        load_graphs(path, ReadingOptions(like=like))
    with pytest.warns(UserWarning, match="read as the numbers"):
        assert load_graphs(path, ReadingOptions(like={**like, "censored": "value"})).y.tolist() == [0.5, 1, 1.5]
    with pytest.warns(UserWarning, match="left out"):
        source = load_graphs(path, ReadingOptions(like={**like, "censored": "value"}, censored="drop"))
    assert source.target.values.tolist() == [0.5, 1.5]
    with pytest.raises(ValueError, match="censored must be"):
        ReadingOptions(censored="skip")


@pytest.mark.parametrize("need", [True, False])
def test_graph_files(tmp_path, need):
    for number in range(3):
        nx.write_graphml(nx.path_graph(number + 2), tmp_path / f"g{number}.graphml")
    write(tmp_path / "labels.csv", "file,y\ng0,0.5\ng1,>1\ng2,1.5\n")
    with pytest.warns(UserWarning, match=r"1 value of 'y' is censored \(>: 1\): left out"):
        source = load_graphs(tmp_path, ReadingOptions(censored="drop", need_target=need))
    assert source.target.values.tolist() == [0.5, 1.5]
    assert source.names == (["g0.graphml", "g2.graphml"] if need else [f"g{n}.graphml" for n in range(3)])
    assert source.graphs.sizes.tolist() == ([2, 4] if need else [2, 3, 4])
    assert source.target.positions.tolist() == ([0, 1] if need else [0, 2])
    with pytest.warns(UserWarning, match="read as the numbers"):
        assert load_graphs(tmp_path, ReadingOptions(censored="value", need_target=need)).y.tolist() == [0.5, 1, 1.5]
