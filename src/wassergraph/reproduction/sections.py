"""The sections of the page on experiments other than accuracies: noise, runtime, definiteness.

What a section needs is loaded when its results are there.
"""

from __future__ import annotations

from pathlib import Path


def extra_sections(results: Path, folder: Path) -> list[str]:
    """Write the sections whose results are there, with their pictures in the folder.

    Parameters
    ----------
    results : Path
        Where ``noise.csv``, ``runtime.csv`` and ``definiteness.csv`` may be.
    folder : Path
        Where pictures go; the page stands beside it.
    """
    sections = [_noise_section(results / "noise.csv", folder), _runtime_section(results / "runtime.csv", folder)]
    sections.append(_definiteness_section(results / "definiteness.csv"))
    return [section for section in sections if section]


def _noise_section(table: Path, folder: Path) -> str:
    if not table.exists():
        return ""
    from wassergraph.reproduction.noise import draw_noise, noise_summary, read_noise

    rows = read_noise(table)
    draw_noise(rows, folder / "noise.svg")
    picture = f"![Relative distances at growing noise]({folder.name}/noise.svg)"
    return "\n\n".join(["## Noise", noise_summary(rows).strip(), picture])


def _runtime_section(table: Path, folder: Path) -> str:
    if not table.exists():
        return ""
    from wassergraph.reproduction.runtime import draw_runtime, read_runtime, runtime_summary

    rows = read_runtime(table)
    draw_runtime(rows, folder / "runtime.svg")
    picture = f"![Time of a kernel matrix by the size of the graphs]({folder.name}/runtime.svg)"
    return "\n\n".join(["## Runtime", runtime_summary(rows).strip(), picture])


def _definiteness_section(table: Path) -> str:
    if not table.exists():
        return ""
    from wassergraph.reproduction.definiteness import read_spectra, spectra_table

    return "\n\n".join(["## Definiteness", spectra_table(read_spectra(table)).strip()])
