"""Compare the speed of our readers with those of GraKeL and PyTorch Geometric, as ratios measured in one run.

    make benchmarks
    WASSERGRAPH_DATA=path/to/archives .venv/bin/python benchmarks/reading.py [NAME …] [--repeat 3]

A NAME is a data set in TU format, or a .csv table of SMILES in the folder `molecules` beside the archives. The best of
several runs counts.

Each reader of the TU format gets the same unpacked folder and ends with the graphs in memory. In addition,
`numpy.loadtxt` parses the same files without making graphs. Our reader is also timed on the zip archive.

Of molecules, the time from RDKit's objects to a batch is compared with a loop that asks RDKit for each atom and bond,
as `from_rdkit` did before; both read the same, which is checked. With the parsing of SMILES, which RDKit does, it is
compared with PyTorch Geometric's `from_smiles`.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import importlib.metadata
import os
import platform
import subprocess
import sys
import tempfile
import time
import warnings
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np

import wassergraph as wg
from wassergraph.formats.atoms import ATOM_PROPERTIES, DEFAULT_PROPERTIES
from wassergraph.graphs.packing import EdgeRules, GraphParts, pack_parts

SETS = ("MUTAG", "ENZYMES", "NCI1", "PROTEINS_full", "COX2_MD", "DD")
TABLES = ("ESOL.csv", "BACE.csv", "Lipophilicity.csv")


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


# Molecules


def atom_by_atom(molecules: Sequence[Any], names: Sequence[str]) -> wg.GraphBatch:
    """Read molecules as :func:`wassergraph.from_rdkit` did before: RDKit is asked for each atom and bond."""
    return replace(pack_parts((graph_parts(molecule, names) for molecule in molecules), EdgeRules()), molecules=True)


def graph_parts(molecule: Any, names: Sequence[str]) -> GraphParts:
    """Read one molecule."""
    bonds = [(bond.GetBeginAtomIdx(), bond.GetEndAtomIdx(), int(bond.GetBondType())) for bond in molecule.GetBonds()]
    table = np.array(bonds, dtype=np.int64).reshape(-1, 3)
    readers = [attrgetter(ATOM_PROPERTIES[name]) for name in names]
    columns = [np.array([reader(atom)() for atom in molecule.GetAtoms()], dtype=np.float64) for reader in readers]
    return GraphParts(
        n_nodes=molecule.GetNumAtoms(),
        edges=table[:, :2],
        undirected=True,
        node_labels=np.array([atom.GetAtomicNum() for atom in molecule.GetAtoms()], dtype=np.int64),
        node_attributes=np.column_stack(columns) if columns else None,
        edge_labels=table[:, 2],
    )


def read_smiles(table: Path) -> list[str]:
    """Return the SMILES of a table."""
    with table.open(encoding="utf-8") as file:
        return [row.get("smiles") or row["mol"] for row in csv.DictReader(file)]


def pyg_molecules(smiles: Sequence[str]) -> int:
    """Read SMILES with PyTorch Geometric; return the number of graphs."""
    from torch_geometric.utils import from_smiles

    return len([from_smiles(text) for text in smiles])


def measure_molecules(table: Path, repeat: int) -> list[str]:
    """Return one row of the table of molecules."""
    from rdkit import Chem

    smiles = read_smiles(table)
    molecules = [Chem.MolFromSmiles(text) for text in smiles]
    row = [table.name, f"{len(smiles):,}"]
    for names in ((), DEFAULT_PROPERTIES):
        if wg.from_rdkit(molecules, node_attributes=names or None) != atom_by_atom(molecules, names):
            raise RuntimeError(f"{table.name} is not read as RDKit lists its atoms and bonds")
        packing = fastest(partial(wg.from_rdkit, molecules, node_attributes=names or None), repeat)
        listing = fastest(partial(atom_by_atom, molecules, names), repeat)
        row += [f"{1e6 * packing / len(smiles):.0f} µs", f"{listing / packing:.1f}×"]
    everything = fastest(partial(wg.from_smiles, smiles), repeat)
    row.append(f"{len(smiles) / everything:,.0f}")
    if _version("torch_geometric") == "absent":
        return [*row, "absent"]
    return [*row, f"{fastest(partial(pyg_molecules, smiles), repeat) / everything:.1f}×"]


def fastest(work: Callable[[], object], repeat: int) -> float:
    """Return the shortest time of several runs."""
    times = []
    for _ in range(repeat):
        begin = time.perf_counter()
        work()
        times.append(time.perf_counter() - begin)
    return min(times)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", default=[*SETS, *TABLES], help="data sets (default: %(default)s)")
    parser.add_argument("--repeat", type=int, default=3, help="runs, of which the best counts (default: 3)")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    home = Path(os.environ.get("WASSERGRAPH_DATA", "../shared/datasets"))
    packages = ["wassergraph", *(package for package, _ in READERS.values())]
    versions = ", ".join(f"{package} {_version(package)}" for package in packages)
    print(f"`python {' '.join(sys.argv)}` at commit {_commit()}: {versions}, Python {platform.python_version()}.")
    sets = [name for name in options.names if not name.endswith(".csv")]
    if sets:
        print("\n| set | graphs | folder | zip | " + " | ".join(READERS) + " |")
        print("|---|---|---|---|" + "---|" * len(READERS))
    for name in sets:
        print("| " + " | ".join(measure(name, home / f"{name}.zip", options.repeat)) + " |", flush=True)
    tables = [name for name in options.names if name.endswith(".csv")]
    if tables:
        print(
            "\n| table | molecules | to a batch, labels | atom by atom | with attributes | atom by atom "
            "| from SMILES, molecules per second | PyG |"
        )
        print("|" + "---|" * 8)
    for name in tables:
        print("| " + " | ".join(measure_molecules(home.parent / "molecules" / name, options.repeat)) + " |", flush=True)


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
