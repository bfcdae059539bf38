"""The parts that pages share: prose, notes, commits and hours; and the sections on noise, runtime and definiteness.

What a page says in any case is prose, in ``prose/*.md``; notes on the results are in the folder of a page.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from wassergraph.files.provenance import Provenance
from wassergraph.reproduction.definiteness import read_spectra, spectra_table
from wassergraph.reproduction.noise import draw_noise, noise_summary, read_noise
from wassergraph.reproduction.results import RunResult
from wassergraph.reproduction.runtime import draw_runtime, read_runtime, runtime_summary
from wassergraph.reproduction.statistics import seconds_by_set, total_seconds
from wassergraph.reproduction.tables import markdown, paragraphs


def read_prose(name: str, **values: object) -> str:
    """Return a text of the pages, with values in place of their names in braces."""
    file = resources.files("wassergraph.reproduction").joinpath("prose", f"{name}.md")
    return file.read_text(encoding="utf-8").strip().format(**values)


def read_notes(folder: Path) -> dict[str, str]:
    """Return the notes in the folder of a page, by the name of their file."""
    return {path.name: path.read_text(encoding="utf-8") for path in sorted((folder / "notes").glob("*.md"))}


def place_notes(notes: Mapping[str, str]) -> tuple[list[str], list[str]]:
    """Return the notes before the tables, whose names begin with 0, and those at the end of the page."""
    early = [notes[name].strip() for name in sorted(notes) if name.startswith("0")]
    return early, [notes[name].strip() for name in sorted(notes) if not name.startswith("0")]


def provenance_lines(results: Sequence[RunResult]) -> list[str]:
    """Return which commits and versions computed the results, and how long that took."""
    if not results:
        return []
    hours = total_seconds(results) / 3600
    return [
        f"- {len(results)} repetitions, including variants, took {hours:.1f} hours in total.",
        commits_line([result.provenance for result in results]),
    ]


def commits_line(made_by: Sequence[Provenance]) -> str:
    """Return which commits and versions computed some results."""
    commits = Counter(each.commit for each in made_by)
    versions = sorted({item for each in made_by for item in each.versions.items()})
    by_name = {name: " and ".join(v for n, v in versions if n == name) for name, _ in versions}
    counted = ", ".join(f"`{commit}` ({count})" for commit, count in sorted(commits.items()))
    return f"- Computed by the commits {counted}, with {', '.join(f'{name} {text}' for name, text in by_name.items())}."


def hours_section(results: Sequence[RunResult], text: str) -> str:
    """Return how long each data set took: matrices, counted once, and the folds of all repetitions."""
    if not results:
        return ""
    lines = []
    for (dataset, kind), seconds in seconds_by_set(results).items():
        hours = [seconds["matrices"] / 3600, seconds["folds"] / 3600]
        lines.append([dataset, kind, *(f"{time:.2f}" for time in (*hours, sum(hours)))])
    table = markdown(["set", "kind", "hours of matrices", "hours of folds", "sum"], lines)
    return paragraphs("## Hours of computing by set", text, table)


def extra_sections(results: Path, folder: Path) -> list[str]:
    """Return the sections whose results exist, and write their figures into a folder.

    Parameters
    ----------
    results : Path
        The folder of ``noise.csv``, ``runtime.csv`` and ``definiteness.csv``.
    folder : Path
        The folder of figures; the page is next to it.

    Returns
    -------
    list of str
        Markdown.
    """
    sections = []
    for name, caption, read, draw, summarize in _EXTRA:
        table = results / f"{name}.csv"
        if table.exists():
            rows = read(table)
            if draw is not None:
                draw(rows, folder / f"{name}.svg")
            picture = f"![{caption}]({folder.name}/{name}.svg)" if draw is not None else ""
            sections.append(paragraphs(f"## {name.capitalize()}", summarize(rows).strip(), picture))
    return sections


_Draw = Callable[[Any, Path], None]
#: The experiments in sections of their own: name, caption of the figure, and how rows are read, drawn and summarized.
_EXTRA: tuple[tuple[str, str, Callable[[Path], Any], _Draw | None, Callable[[Any], str]], ...] = (
    ("noise", "Relative distances by noise", read_noise, draw_noise, noise_summary),
    ("runtime", "Time for all pairs of 100 graphs by their size", read_runtime, draw_runtime, runtime_summary),
    ("definiteness", "", read_spectra, None, spectra_table),
)
