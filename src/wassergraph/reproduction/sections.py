"""The parts that pages share: notes, commits and hours; and the sections on noise, runtime and definiteness."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from wassergraph.reproduction.definiteness import read_spectra, spectra_table
from wassergraph.reproduction.noise import draw_noise, noise_summary, read_noise
from wassergraph.reproduction.results import Result
from wassergraph.reproduction.runtime import draw_runtime, read_runtime, runtime_summary
from wassergraph.reproduction.statistics import seconds_by_set, total_seconds
from wassergraph.reproduction.tables import markdown


def read_notes(folder: Path) -> dict[str, str]:
    """Return the notes in the folder of a page, by the name of their file."""
    return {path.name: path.read_text(encoding="utf-8") for path in sorted((folder / "notes").glob("*.md"))}


def place_notes(notes: Mapping[str, str]) -> tuple[list[str], list[str]]:
    """Return the notes before the tables, whose names begin with 0, and those at the end of the page."""
    early = [notes[name].strip() for name in sorted(notes) if name.startswith("0")]
    return early, [notes[name].strip() for name in sorted(notes) if not name.startswith("0")]


def provenance_lines(results: Sequence[Result]) -> list[str]:
    """Return which commits and versions computed the results, and how long that took."""
    if not results:
        return []
    commits = Counter(result.provenance.commit for result in results)
    versions = sorted({item for result in results for item in result.provenance.versions.items()})
    by_name = {name: " and ".join(v for n, v in versions if n == name) for name, _ in versions}
    hours = total_seconds(results) / 3600
    counted = ", ".join(f"`{commit}` ({count})" for commit, count in sorted(commits.items()))
    return [
        f"- {len(results)} repetitions, including variants, took {hours:.1f} hours in total.",
        f"- Computed by the commits {counted}, with {', '.join(f'{name} {text}' for name, text in by_name.items())}.",
    ]


def hours_section(results: Sequence[Result], text: str) -> str:
    """Return how long each data set took: matrices, counted once, and the folds of all repetitions."""
    if not results:
        return ""
    lines = []
    for (dataset, kind), seconds in seconds_by_set(results).items():
        hours = [seconds["matrices"] / 3600, seconds["folds"] / 3600]
        lines.append([dataset, kind, *(f"{time:.2f}" for time in (*hours, sum(hours)))])
    table = markdown(["set", "kind", "hours of matrices", "hours of folds", "sum"], lines)
    return "\n\n".join(["## Hours of computing by set", text, table])


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
    sections = [_noise_section(results / "noise.csv", folder), _runtime_section(results / "runtime.csv", folder)]
    sections.append(_definiteness_section(results / "definiteness.csv"))
    return [section for section in sections if section]


def _noise_section(table: Path, folder: Path) -> str:
    if not table.exists():
        return ""
    rows = read_noise(table)
    draw_noise(rows, folder / "noise.svg")
    picture = f"![Relative distances by noise]({folder.name}/noise.svg)"
    return "\n\n".join(["## Noise", noise_summary(rows).strip(), picture])


def _runtime_section(table: Path, folder: Path) -> str:
    if not table.exists():
        return ""
    rows = read_runtime(table)
    draw_runtime(rows, folder / "runtime.svg")
    picture = f"![Time for all pairs of 100 graphs by their size]({folder.name}/runtime.svg)"
    return "\n\n".join(["## Runtime", runtime_summary(rows).strip(), picture])


def _definiteness_section(table: Path) -> str:
    if not table.exists():
        return ""
    return "\n\n".join(["## Definiteness", spectra_table(read_spectra(table)).strip()])
