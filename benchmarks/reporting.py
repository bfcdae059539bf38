"""Tables, times and ratios as text, with the commit and the versions that were measured."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

RESULTS = Path(__file__).with_name("RESULTS.md")


def markdown(columns: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """Format a table in Markdown."""
    rows = ["| " + " | ".join(row) + " |" for row in (columns, *lines)]
    return "\n".join([rows[0], "|" + "---|" * len(columns), *rows[1:]])


def duration(seconds: float) -> str:
    """Format a time with three digits and a suitable unit."""
    for unit, size in [("h", 3600.0), ("min", 60.0), ("s", 1.0), ("ms", 1e-3)]:
        if seconds >= size:
            return f"{seconds / size:#.3g} {unit}".replace(". ", " ")
    return f"{seconds * 1e6:#.3g} µs".replace(". ", " ")


def times(ratio: float) -> str:
    """Format a ratio."""
    return f"{ratio:,.0f}×" if ratio >= 100 else f"{ratio:.1f}×" if ratio >= 10 else f"{ratio:.2f}×"


def circumstances(packages: Sequence[str]) -> str:
    """Describe the run: command, commit, and versions of packages."""
    versions = ", ".join(f"{package} {importlib.metadata.version(package)}" for package in packages)
    python = f"Python {platform.python_version()}, {os.cpu_count()} cores"
    return f"`python {' '.join(sys.argv)}` at commit {commit()}: {versions}, {python}."


def commit() -> str:
    """Return the commit that is measured."""
    command = ["git", "--no-optional-locks", "-C", str(Path(__file__).parent), "describe", "--always", "--dirty"]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip() or "unknown"


def save(heading: str, section: str) -> None:
    """Replace one section of RESULTS.md; other sections stay."""
    before, _, rest = RESULTS.read_text(encoding="utf-8").partition(f"{heading}\n")
    _, mark, after = rest.partition("\n## ")
    following = f"\n{mark.lstrip()}{after}" if mark else ""
    RESULTS.write_text(f"{before.rstrip()}\n\n{heading}\n\n{section}\n{following}", encoding="utf-8")
