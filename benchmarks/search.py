"""Compare exact search with brute force, by our own solver and by a loop over POT with the pruning of Kusner et al.

    WASSERGRAPH_DATA=path/to/archives .venv/bin/python benchmarks/search.py [--repeat 3] [--sizes 1000 10000 …]

Fifty graphs of each set are queries among the others; the five nearest are sought, on one thread. Ours is
`GraphIndex.query` for all queries, divided by their number. Brute force is the solver of `distances` on graphs that
are embedded and packed, and a sort. For POT, graphs are taken in the order of the distances of centroids, and solved
only if neither this bound nor relaxed transport exceeds the fifth smallest distance so far (Kusner et al., From word
embeddings to document distances, 2015). All results are compared. Molecules are looked for in the folder `molecules`
beside the archives. The sizes are numbers of molecules of ZINC.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import os
import tempfile
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import ot
from scipy.spatial.distance import cdist

import wassergraph as wg
from reporting import circumstances, duration, markdown, save, times
from wassergraph.arrays import FloatArray, IntArray
from wassergraph.metrics.node_embedding import NodeEmbedding
from wassergraph.metrics.solvers import Exact
from wassergraph.pairwise.prepare import prepare
from wassergraph.pairwise.solve import solve
from wassergraph.pairwise.tiles import Tile

PACKAGES = ("wassergraph", "POT", "numpy", "scipy", "rdkit")
HOME = Path(os.environ.get("WASSERGRAPH_DATA", "../shared/datasets")).resolve()
QUERIES, K, DEPTH = 50, 5, 3
ATTRIBUTED = ("ENZYMES", "PROTEINS_full", "BZR", "COX2", "SYNTHETICnew", "Synthie")
#: Brute force and POT answer fewer queries if there are more graphs than this, since they take seconds for each.
MANY, FEW = 5000, 10


def best(repeat: int, work: Callable[[], Any]) -> tuple[float, Any]:
    """Return the shortest time of several repetitions, and the result."""
    shortest, result = np.inf, None
    for _ in range(repeat):
        begin = perf_counter()
        result = work()
        shortest = min(shortest, perf_counter() - begin)
    return shortest, result


def read_smiles(name: str, n: int | None = None) -> list[str]:
    """Return the SMILES of a file of molecules."""
    with gzip.open(HOME.parent / "molecules" / name, "rt", encoding="utf-8") as file:
        if name.endswith(".csv.gz"):
            return [row["smiles"] for row in islice(csv.DictReader(file), n)]
        return [line.split()[0] for line in islice(file, n)]


def sorted_rows(distances: FloatArray) -> tuple[FloatArray, IntArray]:
    """Return the smallest entries of every row, and their columns."""
    order = np.argsort(distances, axis=1, kind="stable")[:, :K]
    return np.take_along_axis(distances, order, axis=1), order


class Points:
    """The nodes of embedded graphs as numpy arrays, for POT."""

    def __init__(self, embedding: NodeEmbedding) -> None:
        assert embedding.points is not None
        ptr = embedding.ptr
        self.clouds = [embedding.points[ptr[g] : ptr[g + 1]] for g in range(len(embedding))]
        self.centroids = np.array([cloud.mean(axis=0) for cloud in self.clouds])


def search_with_pot(library: Points, query: FloatArray) -> FloatArray:
    """Return the smallest distances of one query, with POT for the graphs that two bounds leave."""
    bounds = np.sqrt(((library.centroids - query.mean(axis=0)) ** 2).sum(axis=1))
    nearest: list[float] = []
    for g in np.argsort(bounds):
        worst = nearest[-1] if len(nearest) == K else np.inf
        if bounds[g] > worst:
            break
        costs = cdist(query, library.clouds[g])
        if max(costs.min(axis=0).mean(), costs.min(axis=1).mean()) > worst:
            continue
        nearest = sorted([*nearest, float(ot.emd2([], [], costs))])[:K]
    return np.array(nearest)


def compare(name: str, graphs: wg.GraphBatch, options: dict[str, Any], repeat: int, *, with_pot: bool) -> list[str]:
    """Measure one set; return a row of the table."""
    order = np.random.default_rng(0).permutation(len(graphs))
    new, library = graphs[order[:QUERIES]], graphs[np.sort(order[QUERIES:])]
    build, index = best(1, lambda: wg.GraphIndex(library, wg.WWL(DEPTH, **options)))
    seconds, (distances, _) = best(repeat, lambda: index.query(new, k=K))
    counts = {key: value / QUERIES for key, value in index.last_counts.items()}
    some = FEW if len(library) > MANY else QUERIES
    sides = [index.scheme.embed(each, DEPTH) for each in (new[:some], library)]
    problem = prepare(sides, [DEPTH], Exact())
    brute, (expected, _) = best(repeat, lambda: sorted_rows(solve(problem, Tile(0, some, 0, len(library)))[0]))
    assert np.array_equal(distances[:some], expected), name
    one, every = seconds / QUERIES, brute / some
    pot = ""
    if with_pot:
        points, queries = Points(sides[1]), Points(sides[0]).clouds
        total, found = best(1, lambda: np.array([search_with_pot(points, query) for query in queries]))
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)
        pot = f"{duration(total / some)} ({times(total / some / one)})"
    with tempfile.TemporaryDirectory() as folder:
        index.save(Path(folder) / "index.wgi")
        size = (Path(folder) / "index.wgi").stat().st_size / len(library)
    settled = ", ".join(f"{counts[key]:,.1f}" for key in ("vectors", "image", "abandoned", "solved"))
    brute_text = f"{duration(every)} ({times(every / one)})"
    return [name, f"{len(library):,}", duration(one), brute_text, pot, settled, duration(build), f"{size:,.0f} B"]


def main() -> None:
    """Measure everything, print it, and write it to RESULTS.md."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=3, help="repetitions, of which the best counts")
    parser.add_argument("--sizes", type=int, nargs="*", default=[1000, 10_000, 50_000, 249_455])
    options = parser.parse_args()
    demo, _ = wg.load_dataset("demo")
    for kind in ("categorical", "joint"):  # loads what is imported at the first use
        wg.GraphIndex(demo, wg.WWL(kind=kind)).query(demo)
        wg.distances(demo[:5], demo[5:9], metric=wg.WWL(kind=kind))
    rows = []
    for name in ATTRIBUTED:
        graphs, _ = wg.load_dataset(name)
        rows.append(compare(name, graphs, {"standardize": True}, options.repeat, with_pot=True))
        print(*rows[-1], sep=" | ", flush=True)
    for name, kind in (("NCI1", "categorical"),):
        graphs, _ = wg.load_dataset(name)
        rows.append(compare(f"{name}, labels", graphs, {"kind": kind}, options.repeat, with_pot=False))
        print(*rows[-1], sep=" | ", flush=True)
    molecules = wg.from_smiles(read_smiles("MUV.csv.gz"))
    for title, each in (
        ("MUV", {}),
        ("MUV, attributes", {"kind": "continuous"}),
        ("MUV, labels", {"kind": "categorical"}),
    ):
        rows.append(compare(title, molecules, each, options.repeat, with_pot=title.endswith("attributes")))
        print(*rows[-1], sep=" | ", flush=True)
    zinc = wg.from_smiles(read_smiles("zinc250k.smi.gz"))
    for size in options.sizes:
        rows.append(compare("ZINC", zinc[:size], {}, options.repeat, with_pot=False))
        print(*rows[-1], sep=" | ", flush=True)
    header = [
        "set",
        "graphs",
        "index",
        "all distances",
        "POT, pruned",
        "vectors, image, abandoned, solved",
        "building",
        "file",
    ]
    save(
        "## Search",
        f"{circumstances(PACKAGES)}\n\nSeconds per query; the size of the file per graph.\n\n{markdown(header, rows)}",
    )


if __name__ == "__main__":
    main()
