"""Compare the speed of the TU reader with those of GraKeL and PyTorch Geometric, as ratios measured in one run.

    make benchmarks
    WASSERGRAPH_DATA=path/to/archives .venv/bin/python benchmarks/reading.py [NAME …] [--repeat 3]

Each reader gets the same unpacked folder and ends with the graphs in memory; the best of several runs counts. In
addition, `numpy.loadtxt` parses the same files without making graphs. Our reader is also timed on the zip archive.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.metadata
import os
import platform
import subprocess
import sys
import tempfile
import time
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

import wassergraph as wg

SETS = ("MUTAG", "ENZYMES", "NCI1", "PROTEINS_full", "COX2_MD", "DD")


def ours(folder: Path) -> int:
    """Read with wassergraph; return the number of graphs."""
    return len(wg.load_dataset(folder)[0])


def loadtxt(folder: Path) -> int:
    """Parse the tables with numpy alone; no graphs are made of them."""
    tables = {file.name: np.loadtxt(file, delimiter=",", ndmin=2) for file in sorted(folder.glob("*_*.txt"))}
    return int(tables[f"{folder.name}_graph_indicator.txt"].max())


def pyg(folder: Path) -> int:
    """Read with PyTorch Geometric; return the number of graphs."""
    from torch_geometric.io import read_tu_data

    _, slices, _ = read_tu_data(str(folder), folder.name)
    return len(slices["edge_index"]) - 1


def grakel(folder: Path) -> int:
    """Read with GraKeL, attributes if there are any; return the number of graphs."""
    from grakel.datasets.base import read_data

    with contextlib.chdir(folder.parent):  # its reader looks for the folder in the current one
        attributes = (folder / f"{folder.name}_node_attributes.txt").exists()
        return len(read_data(folder.name, prefer_attr_nodes=attributes).data)


READERS: dict[str, tuple[str, Callable[[Path], int]]] = {
    "PyG": ("torch_geometric", pyg),
    "GraKeL": ("grakel", grakel),
    "loadtxt": ("numpy", loadtxt),
}


def best(reader: Callable[[Path], int], path: Path, repeat: int) -> tuple[float, int]:
    """Return the shortest time of several runs, and the number of graphs read."""
    times = []
    for _ in range(repeat):
        begin = time.perf_counter()
        n_graphs = reader(path)
        times.append(time.perf_counter() - begin)
    return min(times), n_graphs


def measure(name: str, archive: Path, repeat: int) -> list[str]:
    """Return one row of the table: our time, and how many times longer each other reader takes."""
    with tempfile.TemporaryDirectory() as scratch:
        with zipfile.ZipFile(archive) as packed:
            packed.extractall(scratch)
        folder = Path(scratch) / name
        for readme in folder.glob("README*"):
            readme.unlink()
        ours_seconds, n_graphs = best(ours, folder, repeat)
        zip_seconds, _ = best(ours, archive, repeat)
        row = [name, f"{n_graphs}", f"{ours_seconds * 1e3:.1f} ms", f"{zip_seconds * 1e3:.1f} ms"]
        for other, (package, reader) in READERS.items():
            if _version(package) == "absent":
                row.append("absent")
                continue
            seconds, n_read = best(reader, folder, repeat)
            if n_read != n_graphs:
                raise RuntimeError(f"{other} reads {n_read} graphs from {name}, wassergraph reads {n_graphs}")
            row.append(f"{seconds / ours_seconds:.1f}×")
    return row


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", default=SETS, help="data sets (default: %(default)s)")
    parser.add_argument("--repeat", type=int, default=3, help="runs, of which the best counts (default: 3)")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    home = Path(os.environ.get("WASSERGRAPH_DATA", "../shared/datasets"))
    packages = ["wassergraph", *(package for package, _ in READERS.values())]
    versions = ", ".join(f"{package} {_version(package)}" for package in packages)
    print(f"`python {' '.join(sys.argv)}` at commit {_commit()}: {versions}, Python {platform.python_version()}.")
    print("\n| set | graphs | folder | zip | " + " | ".join(READERS) + " |")
    print("|---|---|---|---|" + "---|" * len(READERS))
    for name in options.names:
        print("| " + " | ".join(measure(name, home / f"{name}.zip", options.repeat)) + " |", flush=True)


def _commit() -> str:
    command = ["git", "-C", str(Path(__file__).parent), "describe", "--always", "--dirty"]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip() or "unknown"


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "absent"


if __name__ == "__main__":
    main()
