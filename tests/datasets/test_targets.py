"""Whether a column has classes or numbers."""

from __future__ import annotations

import numpy as np
import pytest

from wassergraph.datasets.targets import Target, read_target, target_of_array
from wassergraph.errors import Place


def read(cells, task="auto") -> Target:
    return read_target(cells, [Place("a.csv", line) for line in range(2, len(cells) + 2)], name="y", task=task)


@pytest.mark.parametrize(
    ("cells", "task", "values"),
    [
        (["1", "2"], "classification", [1, 2]),
        (["1", "2.0", "1.0"], "classification", [1, 2, 1]),
        (["-1", "+1"], "classification", [-1, 1]),
        (["1", "9" * 30], "classification", ["1", "9" * 30]),
        (["01", "1"], "classification", ["01", "1"]),
        (["yes", "1"], "classification", ["yes", "1"]),
        (["1", "²"], "classification", ["1", "²"]),
        (["inf", "1"], "classification", ["inf", "1"]),
        (["1_0", "1"], "classification", ["1_0", "1"]),
        (["active", "inactive", "active"], "classification", ["active", "inactive", "active"]),
        ([str(n % 6) for n in range(12)], "classification", [n % 6 for n in range(12)]),
        ([str(n % 6) for n in range(11)], "regression", [n % 6 for n in range(11)]),
        ([str(n % 20) for n in range(60)], "classification", [n % 20 for n in range(60)]),
        ([str(n % 21) for n in range(63)], "regression", [n % 21 for n in range(63)]),
        (["0.5", "1"], "regression", [0.5, 1.0]),
        (["-1.5e-3", ".5", "2."], "regression", [-0.0015, 0.5, 2.0]),
        (["1", "2", "3"], "regression", [1.0, 2.0, 3.0]),
    ],
)
def test_the_values_decide(cells, task, values):
    target = read(cells)
    assert (target.task, target.values.tolist()) == (task, values)
    assert target.positions.tolist() == list(range(len(cells)))


def test_the_task_may_be_given():
    assert read(["1", "2", "3"], "classification").values.tolist() == [1, 2, 3]
    assert read(["0.5", "1"], "classification").values.tolist() == ["0.5", "1"]
    assert read(["0", "1"], "regression").values.dtype == np.float64
    with pytest.raises(ValueError, match=r"a\.csv, line 3: 'x' in the column 'y' is not a number, but 1 cell"):
        read(["0", "x"], "regression")


def test_a_few_cells_of_text_among_measured_numbers_are_not_classes():
    with pytest.raises(ValueError, match=r"line 4: '>10' in the column 'y' is not a number.*also line 6: '<1'"):
        read(["1.5", "2.5", ">10", "3.5", "<1", "4.5"])
    with pytest.raises(ValueError, match=r"line 2: '>1000' in the column 'y' is not a number, but 4 cells are"):
        read([">1000", "12", "340", "7", "55"])
    assert read(["a", "b", "1.5", "a"]).task == "classification"
    assert read(["1", "2", "1", "2", "3", "3", "unknown"]).task == "classification"


@pytest.mark.parametrize("task", ["auto", "regression"])
def test_numbers_with_decimal_commas_are_not_classes(task):
    with pytest.raises(
        ValueError, match=r"line 2: '1,5' in the column 'y' is not a number .*; write .* decimal point, "
    ):
        read(["1,5", "2,5", "1,5"], task)
    assert read(["1,5", "2,5", "1,5"], "classification").values.tolist() == ["1,5", "2,5", "1,5"]


def test_cells_without_a_value():
    assert read(["1", "", "NaN", "0", "NA", "n/a", "null"]).positions.tolist() == [0, 3]
    assert read(["A", "NA", "", "nan"]).values.tolist() == ["A", "NA"]  # among text, NA may be a class
    with pytest.raises(ValueError, match=r"a\.csv: no cell of the column 'y' has a value"):
        read(["", "nan"])


def test_descriptions():
    assert str(read(["1", "0", "1"])) == "target y: 2 classes (0: 1, 1: 2) → classification"
    assert str(read(["-9.16", "1.57", "0"])) == "target y: numbers from −9.16 to 1.57 → regression"
    assert read([f"c{n:02}" for n in range(12)]).values_text().endswith("c09: 1, …)")
    assert read(["a", "a"]).values_text() == "1 class (a: 2)"


def test_some_of_the_graphs():
    target = read(["1", "", "0", "1"]).take(np.array([1, 2, 3]))
    assert (target.values.tolist(), target.positions.tolist()) == ([0, 1], [1, 2])


@pytest.mark.parametrize(
    ("values", "given", "task", "expected"),
    [
        ([3, 3, 1, 1, 2, 2], "auto", "classification", [3, 3, 1, 1, 2, 2]),
        ([3, 3, 1, 1, 2], "auto", "regression", [3.0, 3.0, 1.0, 1.0, 2.0]),  # a class would have one graph only
        ([1, 2], "auto", "classification", [1, 2]),
        (list(range(50)) * 2, "auto", "classification", list(range(50)) * 2),
        ([1.0, 2.0, 1.0, 2.0], "auto", "regression", [1.0, 2.0, 1.0, 2.0]),
        ([1, 2], "regression", "regression", [1.0, 2.0]),
        ([1, 2, 3], "classification", "classification", [1, 2, 3]),
        ([1.0, -2.0], "classification", "classification", [1, -2]),
        ([1.0, 0.5], "classification", "classification", ["1", "0.5"]),
    ],
)
def test_targets_of_arrays(values, given, task, expected):
    target = target_of_array(np.array(values), given)
    assert (target.name, target.task, target.values.tolist()) == (None, task, expected)
    assert target.values.dtype == np.array(expected).dtype
    assert target.positions.tolist() == list(range(len(values)))
