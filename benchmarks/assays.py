"""Make a table of 12 assays of MUV in which 80 % of the cells are empty: the one of docs/regression.md.

    .venv/bin/python benchmarks/assays.py assays.csv

Of each assay, the 24 to 30 actives and 130 inactives are drawn with a fixed seed; a molecule that was tested in another
of these assays has that result, too, until cells are emptied at random. The column `split` says train in four of five
rows.
"""

from __future__ import annotations

import csv
import gzip
import sys
from pathlib import Path

import numpy as np

SOURCE = Path(__file__).resolve().parents[2] / "shared" / "molecules" / "MUV.csv.gz"
ASSAYS, INACTIVES, EMPTY = 12, 130, 0.8


def main(out: str) -> None:
    """Write the table, and print how many cells are empty."""
    with gzip.open(SOURCE, "rt", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assays = [name for name in rows[0] if name.startswith("MUV-")][:ASSAYS]
    random, drawn = np.random.default_rng(0), set()
    for assay in assays:
        for result, number in (("1", len(rows)), ("0", INACTIVES)):
            found = [row for row, cells in enumerate(rows) if cells[assay] and float(cells[assay]) == float(result)]
            drawn.update(random.permutation(found)[:number].tolist())
    lines = [
        [rows[row]["smiles"], *(rows[row][assay] and str(int(float(rows[row][assay]))) for assay in assays)]
        for row in sorted(drawn)
    ]
    cells = [(line, column) for line in lines for column in range(1, len(line)) if line[column]]
    n_left = round((1 - EMPTY) * len(lines) * len(assays))
    for number in random.permutation(len(cells))[n_left:].tolist():
        line, column = cells[number]
        line[column] = ""
    with Path(out).open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["smiles", *assays, "split"])
        table.writerows([*line, "test" if number % 5 == 4 else "train"] for number, line in enumerate(lines))
    empty = np.mean([[not cell for cell in line[1:]] for line in lines])
    print(f"{len(lines):,} molecules, {len(assays)} assays, {empty:.0%} of the cells are empty")


if __name__ == "__main__":
    main(sys.argv[1])
