"""The sections of the page on noise, runtime and definiteness."""

from __future__ import annotations

from pathlib import Path

from wassergraph.reproduction.definiteness import read_spectra, spectra_table
from wassergraph.reproduction.noise import draw_noise, noise_summary, read_noise
from wassergraph.reproduction.runtime import draw_runtime, read_runtime, runtime_summary


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
