"""The page of the reproduction: its tables, figures and sections."""

from __future__ import annotations

import random
import re
from dataclasses import replace

import pytest

from made_results import MADE_BY, make, rows_of, save
from wassergraph.reproduction.csv_tables import write_rows
from wassergraph.reproduction.definiteness import SpectrumRow
from wassergraph.reproduction.figures import COLORS, draw_table
from wassergraph.reproduction.noise import NoiseRow
from wassergraph.reproduction.paper import TABLES
from wassergraph.reproduction.published_section import TITLE
from wassergraph.reproduction.render import draw_figures, page_text, render_page
from wassergraph.reproduction.runtime import STEPS, RuntimeRow
from wassergraph.reproduction.sections import extra_sections
from wassergraph.reproduction.statistics import make_cells
from wassergraph.reproduction.tables import accuracy_text, choices_text, overview_table

KEYS = [(table, key) for table in TABLES for key in table.keys]


def everything(shift=0.0):
    """Return results that are the numbers of the paper, shifted."""
    results = []
    for table, key in KEYS:
        number = table.numbers[key.method, key.dataset]
        results += make(key, number.mean + shift, number.std)
    return results


def test_a_full_page_has_no_gap():
    text = page_text(everything(), {}, {})
    for table in TABLES:
        overview = rows_of(text, f"## Table {table.number}:")
        assert len(overview) == len(table.methods) + 2
        assert len(rows_of(text, f"### Table {table.number}, number by number")) == len(table.numbers) + 1
    cells_of_tables = [part for line in text.split("\n") if line.startswith("|") for part in line.split(" | ")]
    assert "–" not in cells_of_tables
    assert "no result" not in cells_of_tables
    assert "84 of 84 cells have results, 84 of them all 10 repetitions" in text
    assert "84 reproduced as the paper describes it, 0 reproduced as its files are or with another reading, 0 " in text
    assert "0 above the paper, 0 open." in text
    assert "Not every method" not in text


def test_a_full_page_of_the_papers_numbers_is_the_paper():
    text = page_text(everything(), {}, {})
    overview = rows_of(text, "## Table 2:")
    assert overview[0][3:] == ["IMDB-B", "BZR", "COX2", "BZR-MD", "COX2-MD", "rank", "rank in the paper"]
    assert overview[6][:2] == ["WWL", r"**73.25 ± 0.87**\*"]
    assert overview[6][5] == "**78.29 ± 0.47**"
    assert overview[7][:2] == ["*largest class*", "25.00"]
    for row in overview[1:7]:
        assert row[-2] == row[-1]
    assert [row[-1] for row in overview[1:7]] == ["5.86", "3.29", "2.86", "4.14", "3.86", "1.00"]
    for line in rows_of(text, "### Table 1, number by number")[1:]:
        assert line[2] == line[3]
        assert line[4:] == ["0.00", "as described"]


def test_numbers_that_differ_are_counted_and_named():
    down, up = ("MUTAG", "wl", "categorical"), ("BZR_MD", "gh", "continuous")
    kept = [result for result in everything() if result.run.key not in (down, up)]
    text = page_text(kept + make(down, 70.0) + make(up, 90.0), {}, {})
    assert "82 reproduced as the paper describes it, 0 reproduced as its files are or with another reading, 1 " in text
    assert "1 above the paper, 1 open." in text
    assert "- Open, which are below: WL on MUTAG (table 1: −15.78; not affected)." in text
    assert "- Above: GH on BZR-MD (table 2: +20.86; 0 of 1 reading tried)." in text
    assert ["MUTAG", "WL", "85.78 ± 0.83", "70.00 ± 1.00", "−15.78", "open"] in rows_of(text, "### Table 1, number")


def test_partial_results_are_marked():
    results = make(("MUTAG", "wwl", "categorical"), 87.0, 1.0, 4) + make(("MUTAG", "wl", "categorical"), 85.5, 0.0, 1)
    text = page_text(results, {}, {})
    overview = {row[0]: row[1:] for row in rows_of(text, "## Table 1:")}
    assert overview["WWL"][:2] == ["**87.00 ± 1.00**<sup>4</sup>", "–"]
    assert overview["WL"][0] == "85.50<sup>1</sup>"
    assert overview["V"] == ["–"] * 7 + ["4.17"]
    assert overview["*largest class*"][:2] == ["25.00", "–"]
    assert "2 of 84 cells have results, 0 of them all 10 repetitions" in text
    assert "against the best on MUTAG (no result: V, E, WL-OA; too few repetitions: WL)." in text
    assert "Our average ranks are over the 0 of 6 data sets" in text
    long = rows_of(text, "### Table 1, number by number")
    assert ["MUTAG", "WL", "85.78 ± 0.83", "85.50<sup>1</sup>", "−0.28", "as described"] in long
    assert ["NCI1", "WWL", "85.75 ± 0.25", "–", "–", "no result"] in long


def test_a_method_alone_is_not_the_best():
    text = page_text(make(("MUTAG", "wwl", "categorical"), 87.0), {}, {})
    assert rows_of(text, "## Table 1:")[5][1] == "87.00 ± 1.00"
    assert "Not every method" not in text


def test_a_page_without_results():
    text = page_text([], {}, {})
    assert "0 of 84 cells have results" in text
    assert "Open, which are below: none." in text
    headings = ("Parameters chosen by WWL", "Variants", "Sinkhorn", "Other results", "Hours of computing by set", TITLE)
    for heading in headings:
        assert f"## {heading}" not in text


def test_what_the_results_were_made_with():
    results = make(("MUTAG", "wwl", "categorical"), 87.0)
    newer = replace(MADE_BY, commit="fff-dirty", versions={"numpy": "2.2.0", "python": "3.12"})
    results += make(("DD", "wwl", "categorical"), 79.0, provenance=newer)
    text = page_text(results, {}, {})
    assert "20 repetitions, including variants, took 0.4 hours in total" in text
    assert "`abc1234` (10), `fff-dirty` (10), with numpy 2.1.0 and 2.2.0, python 3.12." in text


def test_choices_of_wwl():
    text = page_text(make(("ENZYMES", "wwl", "continuous"), 73.0), {}, {})
    row = ["ENZYMES", "continuous", "0 (30 %), 1 (30 %), 2 (20 %), …", "0.1 (90 %), 1 (10 %)", "100 (100 %)"]
    assert rows_of(text, "## Parameters chosen by WWL") == [["set", "kind", "depth", "gamma", "C"], row]
    assert choices_text([("a", 0.5), (None, 0.25), (1e-4, 0.25)]) == "a (50 %), None (25 %), 0.0001 (25 %)"


def test_variants_stand_beside_what_they_vary():
    main, variant = ("ENZYMES", "wwl", "continuous"), ("ENZYMES", "wwl+svc", "continuous")
    results = make(main, 73.0, 1.0) + make(variant, 73.5, 1.0)
    results += make(("PROTEINS", "gh", "continuous"), 74.0, 0.5) + make(
        ("PROTEINS_full", "gh", "continuous"), 72.0, 0.5
    )
    results += make(("BZR", "hgk-wl+results", "continuous"), 78.0) + make(
        ("COX2", "wwl+svc", "continuous"), 78.0, 1.0, 1
    )
    results += make(("COX2", "wwl", "continuous"), 79.0)
    rows = rows_of(page_text(results, {}, {}), "## Variants")[1:]
    assert [row[0] for row in rows] == [f"{name} (continuous)" for name in ("BZR", "COX2", "ENZYMES", "PROTEINS")]
    assert rows[0][2:] == ["`hgk-wl+results`", "–", "78.00 ± 1.00", "–", "–"]
    # The first repetition of the main cell has 78, too.
    assert rows[1][3:] == ["79.00 ± 1.00", "78.00<sup>1</sup>", "0.00", "unknown: one repetition has none"]
    assert rows[2][1:] == ["WWL", "`wwl+svc`", "73.00 ± 1.00", "73.50 ± 1.00", "+0.50", "no"]
    assert rows[3][1:] == ["GH", "`gh on PROTEINS`", "72.00 ± 0.50", "74.00 ± 0.50", "+2.00", "**yes**"]


# As published

WWL, GH = ("SYNTHETICnew", "wwl", "continuous"), ("SYNTHETICnew", "gh", "continuous")
HGK, RBF = ("SYNTHETICnew", "hgk-sp", "continuous"), ("SYNTHETICnew", "rbf-wl", "continuous")


def with_variant(key, *variants):
    dataset, method, kind = key
    return dataset, "+".join([method, *variants]), kind


def every_verdict():
    """Return one cell of each verdict: WWL as published, GH open, HGK-SP above, RBF-WL as described."""
    results = make(WWL, 65.0) + make(with_variant(WWL, "as-published"), 86.5, 1.0, 4)
    results += make(GH, 80.0) + make(with_variant(GH, "as-published"), 81.0)
    results += make(HGK, 90.0) + make(with_variant(HGK, "as-published"), 91.0)
    results += make(with_variant(HGK, "all-pairs", "as-published"), 92.0, 0.0, 1)
    return results + make(RBF, 86.0) + make(with_variant(RBF, "as-published"), 60.0)


def test_every_cell_has_one_of_four_verdicts():
    text = page_text(every_verdict(), {}, {})
    assert (
        "- 1 reproduced as the paper describes it, 1 reproduced as its files are or with another reading, 1 above the "
        "paper, 1 open.\n"
    ) in text
    assert (
        "- Reproduced as its files are, or with another reading: WWL on SYNTHETIC-new "
        "(table 3: −21.77; `wwl+as-published`: −0.27<sup>4</sup>; 1 reading tried).\n"
    ) in text
    assert "- Above: HGK-SP on SYNTHETIC-new (table 3: +9.57; 2 of 3 readings tried).\n" in text
    assert "- Open, which are below: GH on SYNTHETIC-new (table 3: −8.83; 1 reading tried).\n" in text
    assert "- 5 of 97 readings have results, 3 of them all 10 repetitions" in text
    verdicts = {row[1]: row[5] for row in rows_of(text, "### Table 3, number by number") if row[0] == "SYNTHETIC-new"}
    assert verdicts == {
        "VH-C": "no result",
        "RBF-WL": "as described",
        "HGK-WL": "no result",
        "HGK-SP": "above",
        "GH": "open",
        "WWL": "as published",
    }


def test_readings_stand_beside_what_the_paper_describes():
    text = page_text(every_verdict(), {}, {})
    rows = rows_of(text, f"## {TITLE}")
    assert rows[0] == ["set", "method", "paper", "as described", "as published", "other readings", "verdict"]
    assert [row[1:] for row in rows[1:]] == [
        ["RBF-WL", "86.37 ± 1.37", "86.00 ± 1.00", "60.00 ± 1.00", "not run", "as described"],
        ["HGK-SP", "80.43 ± 0.71", "90.00 ± 1.00", "91.00 ± 1.00", "`all-pairs`: 92.00<sup>1</sup>", "above"],
        ["GH", "88.83 ± 1.42", "80.00 ± 1.00", "81.00 ± 1.00", "none", "open"],
        ["WWL", "86.77 ± 0.98", "65.00 ± 1.00", "86.50 ± 1.00<sup>4</sup>", "none", "as published"],
    ]
    # The changes are 26, 1, 1 and 21.5 points.
    assert "In the 4 cells that have a result for the files alone" in text
    assert "by 11.25 points (the median) and by 26.00 at most (RBF-WL on SYNTHETIC-new)" in text
    assert "Reproduced as described: 1 of them; as published: 1." in text
    assert "## Variants" not in text
    assert "## Other results" not in text
    places = [text.index(part) for part in ("### Table 3, number", f"## {TITLE}\n", "## Parameters chosen by WWL")]
    assert places == sorted(places)


def test_cells_that_are_not_affected_are_named():
    text = page_text(every_verdict(), {}, {})
    assert "not affected: V, WL, WL-OA and WWL on MUTAG, PTC-MR and D&D, because" in text
    assert "HGK-WL, GH and WWL on IMDB-B, because the only attribute is the degree" in text


def test_the_cells_below_the_paper_are_listed_with_what_explains_them():
    text = page_text(every_verdict(), {}, {})
    assert "Cells below the paper as it describes them: 2; open: 1." in text
    assert [row[1:] for row in rows_of(text, "### The cells below the paper")[1:]] == [
        ["GH", "88.83 ± 1.42", "80.00 ± 1.00", "open (1 reading tried)"],
        ["WWL", "86.77 ± 0.98", "65.00 ± 1.00", "`wwl+as-published`: 86.50 ± 1.00<sup>4</sup> (1 reading tried)"],
    ]
    assert "Their causes are discussed" not in text
    assert "Their causes are discussed" in page_text(every_verdict(), {"20-why.md": "## Why"}, {})
    assert "### The cells below the paper" not in page_text(make(RBF, 86.0) + every_verdict()[-10:], {}, {})


def test_the_first_reading_that_reproduces_a_cell_is_named():
    key = ("Synthie", "hgk-sp", "continuous")
    readings = [("as-published",), ("all-pairs", "as-published"), ("all-pairs", "results", "as-published")]
    results = make(key, 80.0)
    for variants, mean in zip(readings, (79.0, 85.8, 85.82), strict=True):
        results += make(with_variant(key, *variants), mean, 0.3)
    text = page_text(results, {}, {})
    assert "HGK-SP on Synthie (table 3: −5.82; `hgk-sp+all-pairs+as-published`: −0.02; 3 readings tried)" in text
    others = "`all-pairs`: 85.80 ± 0.30; `all-pairs+results`: 85.82 ± 0.30"
    assert rows_of(text, f"## {TITLE}")[1][3:] == ["80.00 ± 1.00", "79.00 ± 0.30", others, "as published"]


def test_methods_that_the_files_do_not_change_have_other_readings_only():
    key = ("IMDB-BINARY", "vh-c", "continuous")
    results = make(key, 62.4) + make(with_variant(key, "columns", "standardized"), 71.5)
    text = page_text(results, {}, {})
    row = ["IMDB-B", "VH-C", "71.64 ± 0.49", "62.40 ± 1.00", "the same"]
    assert rows_of(text, f"## {TITLE}")[1] == [*row, "`columns+standardized`: 71.50 ± 1.00", "as published"]
    assert "a result for the files alone" not in text
    variant = make(with_variant(key, "standardized"), 70.0)
    assert [row[2] for row in rows_of(page_text(results + variant, {}, {}), "## Variants")[1:]] == [
        "`vh-c+standardized`"
    ]


def test_hours_of_matrices_are_counted_once():
    results = make(("MUTAG", "wwl", "categorical"), 87.0, matrices=1800.0)
    results += make(("MUTAG", "wl", "categorical"), 85.0, matrices=3600.0)
    results += make(("DD", "wl", "categorical"), 79.0, repetitions=1)
    assert rows_of(page_text(results, {}, {}), "## Hours of computing by set") == [
        ["set", "kind", "hours of matrices", "hours of folds", "sum"],
        ["DD", "categorical", "0.00", "0.02", "0.02"],
        ["MUTAG", "categorical", "1.50", "0.40", "1.90"],
    ]


def test_sinkhorn_stands_beside_exact():
    chosen = [{"depth": 2, "gamma": 1.0, "C": 1.0, "reg": reg} for reg in [0.5] * 7 + [1.0] * 3]
    results = make(("ENZYMES", "wwl-sinkhorn", "continuous"), 72.5, 0.5, parameters=chosen)
    text = page_text(results + make(("ENZYMES", "wwl", "continuous"), 73.5, 0.5), {}, {})
    assert rows_of(text, "## Sinkhorn")[1:] == [
        ["exact", "73.25 ± 0.87", "73.50 ± 0.50", "reproduced"],
        ["Sinkhorn", "72.08 ± 0.93", "72.50 ± 0.50", "reproduced"],
    ]
    assert "The chosen values are 0.5 (70 %), 1 (30 %)." in text
    assert rows_of(page_text(results, {}, {}), "## Sinkhorn")[1] == ["exact", "73.25 ± 0.87", "–", "–"]
    assert "## Other results" not in text


def test_results_that_fit_nowhere_are_shown_all_the_same():
    text = page_text(make(("MUTAG", "wwl", "joint"), 88.0), {}, {})
    assert rows_of(text, "## Other results")[1] == ["MUTAG", "joint", "WWL", "88.00 ± 1.00"]


def test_notes_go_where_their_names_say():
    notes = {"20-b.md": "## Second\n\nb\n\n", "01-a.md": "## Before", "10-c.md": "## First\n"}
    text = page_text([], notes, {"table1": "pictures/one.svg"}, ["## Noise\n\nmuch"])
    places = [
        text.index(part)
        for part in ("## Summary", "## Before", "## Table 1", "(pictures/one.svg)", "## Noise", "## First", "## Second")
    ]
    assert places == sorted(places)
    assert text.endswith("## Second\n\nb\n")
    assert "\n\n\n" not in text


def test_the_order_of_results_does_not_matter():
    results = everything()
    shuffled = random.Random(0).sample(results, len(results))
    assert page_text(results, {}, {}) == page_text(shuffled, {}, {})


def test_figures_show_ours_and_the_papers(tmp_path):
    found = make_cells(make(("MUTAG", "wwl", "categorical"), 87.0) + make(("MUTAG", "wl", "categorical"), 86.0))
    figure = draw_table(TABLES[0], found)
    axis = figure.axes[0]
    assert [label.get_text() for label in axis.get_yticklabels()] == ["V", "E", "WL", "WL-OA", "WWL"]
    assert axis.get_title() == "MUTAG"
    dots = [bar.lines[0] for bar in axis.containers]
    assert sorted(float(dot.get_xdata()[0]) for dot in dots if dot.get_markerfacecolor() != "white") == [86.0, 87.0]
    hollow = {float(dot.get_xdata()[0]) for dot in dots if dot.get_markerfacecolor() == "white"}
    assert hollow == {TABLES[0].numbers[method, "MUTAG"].mean for method in TABLES[0].methods}
    assert {method for table in TABLES for method in table.methods} == set(COLORS)
    folder = tmp_path / "reproduction"
    folder.mkdir()
    assert draw_figures(found, folder) == {"table1": "reproduction/table1.svg"}
    assert [path.name for path in folder.iterdir()] == ["table1.svg"]


def test_rendering_twice_gives_the_same_bytes(tmp_path):
    save(
        make(("Synthie", "wwl", "continuous"), 96.0) + make(("Synthie", "gh", "continuous"), 84.0), tmp_path / "results"
    )
    page = tmp_path / "docs" / "reproduction.md"
    notes = page.with_suffix("") / "notes"
    notes.mkdir(parents=True)
    (notes / "10-choices.md").write_text("## Choices\n\nµ is a letter.\n", encoding="utf-8")
    render_page(tmp_path / "results", page)
    figure = page.with_suffix("") / "table3.svg"
    before = page.read_bytes(), figure.read_bytes()
    render_page(tmp_path / "results", page)
    assert (page.read_bytes(), figure.read_bytes()) == before
    text = page.read_text(encoding="utf-8")
    assert text.endswith("## Choices\n\nµ is a letter.\n")
    for place in re.findall(r"!\[.*?\]\((.*?)\)", text):
        assert (page.parent / place).is_file()
    assert "](reproduction/table3.svg)" in text
    assert b"<dc:date>" not in before[1]


def test_other_experiments_are_shown_if_they_were_run(tmp_path):
    folder = tmp_path / "reproduction"
    folder.mkdir()
    assert extra_sections(tmp_path, folder) == []
    noise = [NoiseRow(level, method, level, 0.1, level, level, 7) for level in (0.0, 0.5) for method in ("WL", "WWL")]
    write_rows(tmp_path / "noise.csv", "noise", noise)
    (section,) = extra_sections(tmp_path, folder)
    assert section.startswith("## Noise\n\nErdős–Rényi graphs")
    assert section.endswith("(reproduction/noise.svg)")
    runtime = [RuntimeRow(10, step, 1.0, 100, 4950, 3) for step in STEPS]
    write_rows(tmp_path / "runtime.csv", "runtime", runtime)
    spectrum = SpectrumRow("X", "joint", 3, None, 4, -1.0, 2.0, 0, 0.0, "conditionally negative definite")
    write_rows(tmp_path / "definiteness.csv", "definiteness", [spectrum], none="cnd")
    headings = [section.partition("\n")[0] for section in extra_sections(tmp_path, folder)]
    assert headings == ["## Noise", "## Runtime", "## Definiteness"]
    assert {path.name for path in folder.iterdir()} == {"noise.svg", "runtime.svg"}


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_rows_of_an_overview_have_equal_length(table):
    assert len({line.count("|") for line in overview_table(table, {}).split("\n")}) == 1
    assert accuracy_text(None) == "–"
