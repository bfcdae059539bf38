"""The command report, on data sets and tables of molecules."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

import wassergraph as wg
from command_line import run
from made_metrics import evaluate
from wassergraph.explorer.container import unpack_content

SMILES = ["CCO", "CCCO", "CCCCO", "CCCCCO", "CCN", "CCCN", "CCCCN", "CCCCCN"]


@pytest.fixture
def here(tmp_path, monkeypatch):
    """Return a folder with a table, which is the current one."""
    monkeypatch.chdir(tmp_path)
    kinds = ["amine" if "N" in text else "alcohol" for text in SMILES]
    rows = [f"{text},m{i},{kinds[i]},{'' if i == 2 else 0.5 * i + 0.25}" for i, text in enumerate(SMILES)]
    (tmp_path / "old.csv").write_text("\n".join(["smiles,name,class,number", *rows]) + "\n")
    return tmp_path


def content_of(path):
    return unpack_content(max(re.findall(r"[A-Za-z0-9+/]+={0,2}", path.read_text(encoding="utf-8")), key=len))


def test_a_page_of_a_data_set(here, capsys):
    code, out, err = run(capsys, "report", "demo", "-o", "demo.html", "--depth", "1", "--kind", "joint")
    size = (here / "demo.html").stat().st_size
    assert (code, out, err) == (0, f"demo.html: 60 graphs, {size / 1000:,.0f} kB\n", "")
    graphs, y = wg.load_dataset("demo")
    content = content_of(here / "demo.html")
    distances = wg.distances(graphs, metric=wg.WWL(depth=1, kind="joint", standardize="auto"))
    assert (content["title"], content["largest"]) == ("demo", distances.max())
    assert content["target"]["codes"].tolist() == np.asarray(y).tolist()
    nearest = np.take_along_axis(distances, content["neighbors"]["positions"], axis=1)
    np.testing.assert_array_equal(content["neighbors"]["distances"], nearest)


def test_a_page_as_json_and_in_silence(here, capsys):
    code, out, _ = run(capsys, "report", "demo", "-o", "demo.html", "--json", "--depth", "0", "--title", "Mine")
    assert code == 0
    assert json.loads(out) == {"path": "demo.html", "graphs": 60, "bytes": (here / "demo.html").stat().st_size}
    assert content_of(here / "demo.html")["title"] == "Mine"
    assert run(capsys, "report", "demo", "-o", "demo.html", "--quiet", "--depth", "0") == (0, "", "")


def test_molecules_of_a_table(here, capsys):
    code, out, _ = run(capsys, "report", "old.csv", "-o", "old.html", "--mass", "count", "--kind", "categorical")
    assert (code, out.split(", ")[0]) == (0, "old.html: 8 molecules")
    content = content_of(here / "old.html")
    assert content["names"] == [f"m{i}" for i in range(8)]
    assert (content["target"]["name"], content["target"]["values"]) == ("class", ["alcohol", "amine"])
    assert (content["title"], content["embedding"]["kind"]) == ("old.csv", "categorical")
    assert content["embedding"]["price"] == 0.5


def test_numbers_that_are_not_known(here, capsys):
    assert run(capsys, "report", "old.csv", "-o", "old.html", "--target", "number")[0] == 0
    target = content_of(here / "old.html")["target"]
    assert (target["kind"], target["name"]) == ("numbers", "number")
    assert target["known"].tolist() == [1, 1, 0, 1, 1, 1, 1, 1]
    assert target["numbers"].tolist() == [0.25, 0.75, 0.0, 1.75, 2.25, 2.75, 3.25, 3.75]


def test_predictions_of_a_model(here, capsys):
    few = ("--depth", "1", "--gamma", "1", "--kind", "categorical", "--mass", "share", "--cv", "2", "-C", "10")
    assert run(capsys, "train", "old.csv", "-o", "m.wgm", *few)[0] == 0
    assert run(capsys, "report", "old.csv", "-o", "old.html", "--model", "m.wgm")[0] == 0
    content = content_of(here / "old.html")
    predicted = [content["target"]["values"][code] for code in content["predictions"]["predicted"]]
    assert predicted == wg.load_model("m.wgm").predict(SMILES).tolist()
    assert content["embedding"]["depth"] == 1
    assert content["predictions"]["decision_names"] == ["amine"]
    code, _, err = run(capsys, "report", "old.csv", "-o", "old.html", "--model", "m.wgm", "--depth", "4")
    assert (code, err) == (
        2,
        "wassergraph: error: --depth cannot be combined with --model, which has its own; leave it out\n",
    )


def test_predictions_of_an_evaluation(here, capsys):
    code, out, _ = run(
        capsys, "report", "demo", "-o", "demo.html", "--evaluate", "--method", "v", "--random-state", "3"
    )
    assert (code, out.split(",")[0]) == (0, "demo.html: 60 graphs")
    graphs, y = wg.load_dataset("demo")
    expected = evaluate(graphs, y, method="v", random_state=3).rows["v"].repetitions[0].predictions
    assert content_of(here / "demo.html")["predictions"]["predicted"].tolist() == expected.tolist()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("-o", "demo.txt"), "--out must end with .html, got 'demo.txt'"),
        (("-o", "absent/demo.html"), "absent/demo.html: there is no folder absent; create it first"),
        (
            ("-o", "demo.html", "--method", "wl"),
            "--method wl is used with --evaluate only; remove it, or add the other",
        ),
        (
            ("-o", "demo.html", "--kind", "joint", "--depth", "-1"),
            "--depth must be a whole number of at least 0, or a sequence of such numbers, got -1",
        ),
    ],
)
def test_wrong_arguments(here, capsys, arguments, message):
    assert run(capsys, "report", "demo", *arguments) == (2, "", f"wassergraph: error: {message}\n")
    assert not (here / "demo.html").exists()


def test_the_help_has_an_example(capsys):
    with pytest.raises(SystemExit, match="0"):
        run(capsys, "report", "--help")
    assert "wassergraph report MUTAG --evaluate" in " ".join(capsys.readouterr().out.split())
