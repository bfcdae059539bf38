"""The documents are up to date: code and commands of the README run, and the citation is complete."""

from __future__ import annotations

import csv
import importlib
import json
import re
import shlex
import shutil
from operator import attrgetter
from pathlib import Path

import numpy as np
import pytest
import yaml

import wassergraph as wg
from wassergraph.cli.main import main
from wassergraph.reproduction.beyond import render_beyond
from wassergraph.reproduction.choosing import BEGIN, render_choosing
from wassergraph.reproduction.others.page import render_benchmarks
from wassergraph.reproduction.render import render_page
from wassergraph.reproduction.tables import NOTHING

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
SCALE_BLOCKS = re.findall(
    r"```python\n(.*?)```", (ROOT / "docs" / "scale.md").read_text(encoding="utf-8"), flags=re.DOTALL
)
MOLECULES = (ROOT / "docs" / "molecules.md").read_text(encoding="utf-8")
EXPLAINING = (ROOT / "docs" / "explaining.md").read_text(encoding="utf-8")
EXPLORER = (ROOT / "docs" / "explorer.md").read_text(encoding="utf-8")
DUPLICATES = (ROOT / "docs" / "duplicates.md").read_text(encoding="utf-8")
SEARCH = (ROOT / "docs" / "searching.md").read_text(encoding="utf-8")
REGRESSION = (ROOT / "docs" / "regression.md").read_text(encoding="utf-8")
FIRST_STEPS = (ROOT / "docs" / "first-steps.md").read_text(encoding="utf-8")
#: Pages whose examples have tests of their own; those of all others run one after the other.
WITH_TESTS = {"scale", "molecules", "regression", "explaining", "explorer", "duplicates", "searching"}
OTHER_PAGES = sorted(
    page.stem
    for page in (ROOT / "docs").glob("*.md")
    if page.stem not in WITH_TESTS and "```python\n" in page.read_text(encoding="utf-8")
)
INDENTED = r"^    wassergraph (.+?)(?:\s+#.*)?$"
COMMANDS = re.findall(INDENTED, README, flags=re.MULTILINE)


@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_python_examples_of_the_readme_run(number, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    exec(compile(BLOCKS[number], f"README example {number}", "exec"), {})
    assert capsys.readouterr().out


@pytest.mark.loopback  # a Dask cluster
def test_python_examples_about_scale_run_one_after_the_other(capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert len(SCALE_BLOCKS) > 2
    for number, block in enumerate(SCALE_BLOCKS):
        exec(compile(block, f"docs/scale.md example {number}", "exec"), {"__name__": "__main__"})
        assert capsys.readouterr().out


def test_python_examples_about_molecules_run(capsys):
    blocks = re.findall(r"```python\n(.*?)```", MOLECULES, flags=re.DOTALL)
    assert len(blocks) > 1
    for number, block in enumerate(blocks):
        exec(compile(block, f"docs/molecules.md example {number}", "exec"), {})
        out = capsys.readouterr().out
        assert "GraphBatch(" in out
    assert "['Fe' ''] [False  True]" in out


@pytest.mark.parametrize("page", OTHER_PAGES)
def test_python_examples_of_a_page_run_one_after_the_other(page, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8")
    variables = {"__name__": "__main__"}
    for number, block in enumerate(re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)):
        exec(compile(block, f"docs/{page}.md example {number}", "exec"), variables)
        assert capsys.readouterr().out


def test_commands_of_the_first_steps_run(capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    commands = re.findall(r"^wassergraph (.+)$", FIRST_STEPS, flags=re.MULTILINE)
    assert len(commands) >= 6
    for command in commands:  # in their order: one writes the index that the next one reads
        assert main(shlex.split(command)) == 0
        assert capsys.readouterr().out
    assert {path.name for path in tmp_path.iterdir()} == {"families.wgm", "drugs.html", "drugs.wgi"}


def test_the_table_of_molecules_shows_the_results():
    """The table is written by benchmarks/molecules.py; every number of the results is in its place."""
    with (ROOT / "results" / "molecules.csv").open(encoding="utf-8", newline="") as file:
        results = {f"{row['description']} | {row['table']}": row for row in csv.DictReader(file)}
    table = MOLECULES.partition("<!-- begin of the table")[2].partition("<!-- end of the table")[0]
    header, _, *lines = [line for line in table.splitlines() if line.startswith("|")]
    titles = [title.strip().partition(" (")[0] for title in header.strip("|").split("|")[1:]]
    shown = {}
    for line in lines:
        name, *cells = (cell.strip() for cell in line.strip("|").split("|"))
        shown |= {
            f"{name} | {title}": [float(n) for n in cell.replace("*", "").split("/")]
            for title, cell in zip(titles, cells, strict=True)
        }
    assert shown.keys() == results.keys()
    for key, numbers in shown.items():
        np.testing.assert_allclose(
            numbers,
            [float(results[key][name]) for name in ("share", "count", "chosen") if results[key][name]],
            atol=0.0501 if "classes" in key else 0.000501,
        )
        assert results[key]["run"] in MOLECULES


def test_python_examples_about_regression_run(capsys):
    blocks = re.findall(r"```python\n(.*?)```", REGRESSION, flags=re.DOTALL)
    assert len(blocks) == 7
    names = {}
    for number, block in enumerate(blocks):
        exec(compile(block, f"docs/regression.md example {number}", "exec"), names)
    out = capsys.readouterr().out
    assert "[False]" in out
    assert "60 graphs, numbers from" in out


def test_python_examples_about_explaining_run(capsys):
    blocks = re.findall(r"```python\n(.*?)```", EXPLAINING, flags=re.DOTALL)
    assert len(blocks) == 4
    for number, block in enumerate(blocks):
        exec(compile(block, f"docs/explaining.md example {number}", "exec"), {})
    out = capsys.readouterr().out
    assert "0.5 [0." in out
    assert "11 other training graphs" in out
    assert any(re.fullmatch(r"-?\d[\d.e-]*", line) and abs(float(line)) < 1e-9 for line in out.splitlines())
    assert re.search(r"\(\+2 equal graphs\) +active: 2, inactive: 1 ", out)


def test_python_examples_about_the_explorer_run(capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", EXPLORER, flags=re.DOTALL)
    assert len(blocks) == 3
    for number, block in enumerate(blocks):
        exec(compile(block, f"docs/explorer.md example {number}", "exec"), {})
        assert f"ExplorerPage('{['demo', '60 graphs', '20 graphs'][number]}'" in capsys.readouterr().out
    assert (tmp_path / "demo.html").read_text(encoding="utf-8").count("<title>demo</title>") == 1


def test_python_examples_about_duplicates_run(capsys):
    blocks = re.findall(r"```python\n(.*?)```", DUPLICATES, flags=re.DOTALL)
    assert len(blocks) == 3
    printed = []
    for number, block in enumerate(blocks):
        exec(compile(block, f"docs/duplicates.md example {number}", "exec"), {})
        printed.append(capsys.readouterr().out)
    assert "[[0, 2], [3, 4]] [True, False] [True, True, False, True, False]" in printed[0]
    assert "60 graphs, 3 classes, without 20 duplicates of 80" in printed[1]
    assert "map (45, 2)" in printed[2]


def test_the_table_of_duplicates_is_that_of_the_command(data_home, capsys):
    table = DUPLICATES.partition("<!-- begin of the table")[2].partition("<!-- end of the table")[0]
    _, _, *lines = [line for line in table.splitlines() if line.startswith("|")]
    assert len(lines) == 9
    for line in lines:
        name, *cells = (cell.strip() for cell in line.strip("|").split("|"))
        options = ("--kind", "categorical", "--json", "--data-home", str(data_home))
        assert main(["duplicates", name, *options]) == 0
        content = json.loads(capsys.readouterr().out)
        groups = content["groups"]
        members, copies = (
            sum(len(each["positions"]) for each in groups),
            [each["different"] for each in groups].count(1),
        )
        expected = [content["graphs"], len(groups), members, content["left"], copies, content["disagreeing"]]
        assert [int(cell) for cell in cells] == expected


def test_python_examples_about_search_run(capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", SEARCH, flags=re.DOTALL)
    assert len(blocks) == 2
    for number, block in enumerate(blocks):
        exec(compile(block, f"docs/searching.md example {number}", "exec"), {})
    out = capsys.readouterr().out
    assert "GraphIndex(60 graphs, continuous, node attributes, depth 2) True" in out
    assert out.endswith("['pentanol' 'propanol' 'ethanol']\n")


def test_the_comparison_of_the_page_is_that_of_the_command(capsys):
    shown = EXPLAINING.split("```text\n$ wassergraph ", 1)[1].split("```")[0]
    command, _, printed = shown.partition("\n")
    assert main(command.split()) == 0
    assert capsys.readouterr().out == printed


def test_the_tables_of_regression_are_made_of_the_results(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    regression = importlib.import_module("regression")
    results = regression.read_results()
    assert {key.table for key in results} == set(regression.TABLES)
    assert regression.render(results) in REGRESSION
    assert "–" not in regression.table_of(results, "rmse", ".3f")


def test_examples_of_the_readme_are_short():
    assert len(BLOCKS) == 1
    code = [line for line in BLOCKS[0].splitlines() if line.strip()]
    assert max(len(line) for line in code) <= 120
    assert len(code) <= 12
    assert len(COMMANDS) == 10


def test_commands_of_the_readme_run(capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    for command in COMMANDS:  # in their order: one writes the model that the next one reads
        assert main(shlex.split(command)) == 0, command
        assert any(capsys.readouterr())
    written = {"D.zarr", "drugs.html", "drugs.wgi", "drugs.wgm", "hits.svg", "predictions.csv", "why.svg"}
    assert {path.name for path in tmp_path.iterdir()} == written


def test_commands_of_the_page_about_the_command_line_run(data_home, capsys, monkeypatch, tmp_path):
    page = (ROOT / "docs" / "command-line.md").read_text(encoding="utf-8")
    monkeypatch.setenv("WASSERGRAPH_DATA", str(data_home))
    monkeypatch.chdir(tmp_path)
    commands = re.findall(INDENTED, page, flags=re.MULTILINE)
    assert len(commands) > 5
    for command in commands:
        assert main(shlex.split(command)) == 0, command
        out, err = capsys.readouterr()
        assert "MUTAG" in out or "188 graphs" in out + err
    assert {path.name for path in tmp_path.iterdir()} == {"D.zarr", "mutag.wgi", "mutag.wgm", "predictions.csv"}


def test_the_page_about_the_command_line_names_every_command(capsys):
    page = (ROOT / "docs" / "command-line.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(.*?)` \|", page, flags=re.MULTILINE)
    with pytest.raises(SystemExit):
        main(["--help"])
    names = re.findall(r"^    (\w+)(?:\s|$)", capsys.readouterr().out.partition("commands:")[2], flags=re.MULTILINE)
    assert sorted(name for row in rows for name in row.split("`, `")) == sorted(names)


def test_the_readme_names_what_exists():
    names = {name for name in re.findall(r"`([\w.]+)`", README) if "_" in name or name[0].isupper()}
    assert len(names) > 10
    for name in names:
        attrgetter(name)(wg)  # raises AttributeError
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"`make (\S+)`", README):
        assert f"\n{target}:" in makefile


def test_links_of_the_readme_lead_to_files():
    targets = [target for target in re.findall(r"\]\(([^)#]+)\)", README) if not target.startswith("https://")]
    assert len(targets) > 10
    assert [target for target in targets if not (ROOT / target).exists()] == []


def test_the_citation_is_that_of_the_paper():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["preferred-citation"]["title"] == "Wasserstein Weisfeiler-Lehman Graph Kernels"
    assert len(citation["preferred-citation"]["authors"]) == 5


def test_the_demo_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    code = (ROOT / "examples" / "demo.py").read_text(encoding="utf-8")
    exec(compile(code, "demo.py", "exec"), {"__name__": "__main__"})
    for picture in ("accuracies", "explanation", "hits", "plan", "map"):
        assert (tmp_path / "out" / f"{picture}.png").stat().st_size > 10_000
    assert (tmp_path / "out" / "drugs.wgm").exists()
    assert (tmp_path / "out" / "report.html").read_text(encoding="utf-8").count(
        "<title>152 well-known drugs</title>"
    ) == 1
    out = capsys.readouterr().out
    assert int(re.search(r"finds the families of (\d+) of 38 others", out)[1]) >= 33
    assert re.search(r"clobazam, .*\n\n.*temazepam, one of the benzodiazepines", out)
    assert out.endswith("Now open out/report.html in a browser; the pictures are beside it.\n")
    table = re.findall(r"^(WWL|WL|WL-OA|V|largest class)  .*?  +(\d+\.\d\d)", out, flags=re.MULTILINE)
    accuracy = {method: float(share) for method, share in table}
    assert len(accuracy) == 5
    assert (
        accuracy["largest class"] == 12.5 < accuracy["V"] < 80 < min(accuracy[name] for name in ("WWL", "WL", "WL-OA"))
    )


def test_the_page_of_the_reproduction_is_made_of_the_results(tmp_path):
    shutil.copytree(ROOT / "docs" / "reproduction" / "notes", tmp_path / "reproduction" / "notes")
    render_page(ROOT / "results", tmp_path / "reproduction.md")
    page = (tmp_path / "reproduction.md").read_text(encoding="utf-8")
    assert page == (ROOT / "docs" / "reproduction.md").read_text(encoding="utf-8")
    for picture in re.findall(r"\]\((reproduction/\w+\.svg)\)", page):
        assert (tmp_path / picture).is_file()
        assert (ROOT / "docs" / picture).is_file()
    cells = [cell.strip() for line in page.splitlines() if line.startswith("|") for cell in line.split("|")]
    assert NOTHING not in cells


def test_the_page_of_what_goes_beyond_is_made_of_the_results(tmp_path):
    notes = ROOT / "docs" / "beyond" / "notes"
    if notes.is_dir():
        shutil.copytree(notes, tmp_path / "beyond" / "notes")
    render_beyond(ROOT / "results", tmp_path / "beyond.md")
    page = (tmp_path / "beyond.md").read_text(encoding="utf-8")
    assert page == (ROOT / "docs" / "beyond.md").read_text(encoding="utf-8")


def test_the_page_of_benchmarks_is_made_of_the_results(tmp_path):
    notes = ROOT / "docs" / "benchmarks" / "notes"
    if notes.is_dir():
        shutil.copytree(notes, tmp_path / "benchmarks" / "notes")
    render_benchmarks(ROOT / "results", tmp_path / "benchmarks.md")
    page = (tmp_path / "benchmarks.md").read_text(encoding="utf-8")
    assert page == (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")


def test_the_accuracies_on_the_page_about_choosing_are_the_results(tmp_path):
    text = (ROOT / "docs" / "choosing.md").read_text(encoding="utf-8")
    page = tmp_path / "choosing.md"
    page.write_text(re.sub(r"\d\d\.\d\d ±", "0 ±", text), encoding="utf-8")
    render_choosing(ROOT / "results", page)
    assert page.read_text(encoding="utf-8") == text
    page.write_text(text.replace(BEGIN, ""), encoding="utf-8")
    render_choosing(ROOT / "results", page)
    assert page.read_text(encoding="utf-8") == text.replace(BEGIN, "")
    render_choosing(ROOT / "results", tmp_path / "other.md")
    assert not (tmp_path / "other.md").exists()


def test_the_readme_counts_what_the_pages_do():
    words = " ".join(README.split())
    described, published, above = map(
        int, re.findall(r"(\d+) agree with the protocol .*? (\d+) with another reading .*? (\d+) are higher", words)[0]
    )
    page = (ROOT / "docs" / "reproduction.md").read_text(encoding="utf-8")
    assert f"- {described} reproduced as the paper describes it, {published} reproduced as its files are" in page
    assert f", {above} above the paper, 0 open." in page
    found = re.findall(
        r"above the paper's best number in (\d+) of (\d+) rows; .*? designed, in (\d+) of (\d+)\.", words
    )
    wins, rows, other_wins, other_rows = found[0]
    page = (ROOT / "docs" / "beyond.md").read_text(encoding="utf-8")
    assert f"- Wide is above the paper's best printed number on {wins} of {rows};" in page
    assert (
        f"- Wide is above the paper's best printed number, on sets without †, on {other_wins} of {other_rows};" in page
    )
