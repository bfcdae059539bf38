"""Compare the speed of the comparison kernels with GraKeL, as ratios measured in one run, and measure whole data sets.

    make benchmarks
    WASSERGRAPH_DATA=path/to/archives .venv/bin/python benchmarks/baselines.py [--repeat 3] [--quick] [--only NAME …]

Both sides begin with graphs that are ready for them, a GraphBatch on ours and ``grakel.Graph`` objects on the other,
and end with the square kernel matrix. They take turns, the best of several turns counts, and the matrices are compared.
Whole data sets run on two threads, each kernel in a separate process whose memory is measured. A full run writes its
tables to ``RESULTS.md``; with ``--quick`` or ``--only`` they are just printed.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from scipy.spatial import cKDTree

import wassergraph as wg
from reporting import circumstances, duration, markdown, save, times
from wassergraph import baselines
from wassergraph.arrays import FloatArray
from wassergraph.graphs.batch import GraphBatch

HEADING = "## Comparison kernels"
PACKAGES = ("wassergraph", "grakel", "numpy", "scipy", "scikit-learn")
MIB = 2**20
AT_MOST_SECONDS, AT_MOST_MIB = 600, 4096
QUICK = 40  # graphs of each set for a quick look


@dataclass(frozen=True)
class Effort:
    """How much is measured."""

    repeat: int = 3  # turns, of which the best counts
    quick: bool = False


def make_meshes(sizes: Sequence[int]) -> GraphBatch:
    """Make closed surfaces of points that are joined to the four nearest ones, with labels and three attributes."""
    random = np.random.default_rng(0)
    edges, labels, attributes = [], [], []
    for n in sizes:
        points = random.normal(size=(n, 3))
        points *= np.array([1.0, 1.5, 0.5]) / np.linalg.norm(points, axis=1)[:, None]
        neighbors = cKDTree(points).query(points, k=5)[1][:, 1:]
        joined = np.column_stack([np.repeat(np.arange(n), 4), neighbors.ravel()])
        edges.append(np.unique(np.sort(joined, axis=1), axis=0))
        labels.append((points > 0) @ [1, 2, 1])
        attributes.append(points)
    return wg.from_edges(edges, n_nodes=sizes, node_labels=labels, node_attributes=attributes, symmetrize=True)


MADE: dict[str, Callable[[], GraphBatch]] = {
    "one mesh": lambda: make_meshes([5000]),
    "meshes like FIRSTMM_DB": lambda: make_meshes(np.linspace(800, 2000, 41).astype(int).tolist()),
}


@cache
def load(dataset: str) -> GraphBatch:
    """Read a data set as the paper uses it: in BZR_MD and COX2_MD the bonds only, weighted, with one-hot labels."""
    if dataset in MADE:
        return MADE[dataset]()
    home = Path(os.environ.get("WASSERGRAPH_DATA", "../shared/datasets")).resolve()
    graphs: GraphBatch = wg.load_dataset(dataset, data_home=home)[0]
    if dataset.endswith("_MD"):
        return graphs.drop_edges(1).weights_from_attributes().one_hot_labels()
    return graphs


# Beside GraKeL


@dataclass(frozen=True)
class Row:
    """A row of the first table: its name on the command line, its title, its target, and both kernels."""

    name: str
    work: str
    at_least: str
    dataset: str
    n_graphs: int | None
    ours: Callable[[int], Any]
    theirs: str
    options: dict[str, Any]
    attributes: bool = False

    def graphs(self, effort: Effort) -> GraphBatch:
        """Return the graphs that are compared; GraKeL's GraphHopper fails at nodes without edges."""
        graphs = load(self.dataset)
        if self.attributes:
            graphs = graphs[np.array([graph.degrees.min() > 0 for graph in graphs])]
        few = 10 if self.attributes else QUICK
        return graphs[: few if effort.quick else self.n_graphs]


ROWS = (
    Row(
        "v",
        "V, NCI1",
        "5×",
        "NCI1",
        None,
        lambda n_jobs: baselines.VertexHistogram(n_jobs=n_jobs),
        "VertexHistogram",
        {},
    ),
    Row(
        "e",
        "E, NCI1, one label for all edges",
        "5×",
        "NCI1",
        None,
        lambda n_jobs: baselines.EdgeHistogram(n_jobs=n_jobs),
        "EdgeHistogram",
        {},
    ),
    Row(
        "wl",
        "WL, depth 3, NCI1",
        "5×",
        "NCI1",
        None,
        lambda n_jobs: baselines.WLSubtree(3, n_jobs=n_jobs),
        "WeisfeilerLehman",
        {"n_iter": 3},
    ),
    Row(
        "wl-oa",
        "WL-OA, depth 3, the first 800 graphs of NCI1",
        "50×",
        "NCI1",
        800,
        lambda n_jobs: baselines.WLOptimalAssignment(3, n_jobs=n_jobs),
        "WeisfeilerLehmanOptimalAssignment",
        {"n_iter": 3},
    ),
    Row(
        "hopper",
        "GraphHopper, Gaussian, the first 60 graphs of ENZYMES that have an edge at every node",
        "200×",
        "ENZYMES",
        60,
        lambda n_jobs: baselines.GraphHopper(n_jobs=n_jobs),
        "GraphHopper",
        {"kernel_type": ("gaussian", 1 / 18)},
        attributes=True,
    ),
)
ROW_COLUMNS = ["work", "at least", "reached", "ours, 1 thread", "GraKeL", "ours, 2 threads"]


def to_grakel(graphs: GraphBatch, *, attributes: bool) -> list[Any]:
    """Convert graphs to those of GraKeL, with node labels or attributes; edges without labels all get the same one."""
    import grakel

    listed = []
    for graph in graphs:
        arcs = list(zip(graph.arc_tails.tolist(), graph.indices.tolist(), strict=True))
        neighbors: dict[int, dict[int, float]] = {v: {} for v in range(graph.n_nodes)}
        for u, v in arcs:
            neighbors[u][v] = 1.0
        node_data = graph.node_attributes if attributes else graph.node_labels
        assert node_data is not None
        edge_labels = [0] * len(arcs) if graph.edge_labels is None else graph.edge_labels.tolist()
        nodes, edges = dict(enumerate(node_data.tolist())), dict(zip(arcs, edge_labels, strict=True))
        listed.append(grakel.Graph(neighbors, nodes, edges, graph_format="all" if attributes else "dictionary"))
    return listed


def clocked(function: Callable[[], FloatArray]) -> tuple[float, FloatArray]:
    """Return the seconds that a call takes, and its result."""
    begin = time.perf_counter()
    result = function()
    return time.perf_counter() - begin, result


def beside(row: Row, effort: Effort) -> list[str]:
    """Let both sides compute the kernel matrix in turn; return the cells of the row."""
    import grakel

    graphs = row.graphs(effort)
    theirs = to_grakel(graphs, attributes=row.attributes)
    expected = np.empty(0)
    best = {"ours": np.inf, "grakel": np.inf, "both": np.inf}
    for n_jobs in (1, 2):
        row.ours(n_jobs).fit_transform(graphs[:4])  # loads what is imported at the first use
    for _ in range(effort.repeat):
        seconds, expected = clocked(lambda: getattr(grakel, row.theirs)(**row.options).fit_transform(theirs))
        best["grakel"] = min(best["grakel"], seconds)
        for name, n_jobs in (("ours", 1), ("both", 2)):
            model = row.ours(n_jobs)
            seconds, found = clocked(lambda model=model: model.fit_transform(graphs))  # type: ignore[misc]
            best[name] = min(best[name], seconds)
            compare(found, expected, row.work)
    ratio = best["grakel"] / best["ours"]
    cells = [times(ratio), *(duration(best[name]) for name in ("ours", "grakel", "both"))]
    print(f"{row.name}: {', '.join(cells)}", file=sys.stderr, flush=True)
    return [row.work, row.at_least, *cells]


def compare(ours: FloatArray, theirs: FloatArray, what: str) -> None:
    """Check that both sides agree; GraKeL loses digits, since it computes squared distances as differences."""
    if not np.allclose(ours, theirs, rtol=1e-6, atol=0):
        raise RuntimeError(f"{what}: we differ from GraKeL by up to {np.abs(ours / theirs - 1).max():.2g}")


# Every kernel on every data set of the paper, each in a separate process

LABELED = ("MUTAG", "PTC_MR", "NCI1", "PROTEINS", "DD", "ENZYMES")
ATTRIBUTED = (
    "ENZYMES",
    "PROTEINS_full",
    "IMDB-BINARY",
    "BZR",
    "COX2",
    "BZR_MD",
    "COX2_MD",
    "SYNTHETICnew",
    "Synthie",
)
HASHES = {"SYNTHETICnew": 100}  # iterations of the hash graph kernels, 20 for the others


def hashing(base: str) -> Callable[[str], Any]:
    """Return a function that makes the hash graph kernel as the paper uses it for a data set."""

    def make(dataset: str) -> Any:
        return baselines.HashGraphKernel(base, 3, iterations=HASHES.get(dataset, 20), random_state=0, n_jobs=2)  # type: ignore[arg-type,unused-ignore]

    return make


LABEL_KERNELS: dict[str, Callable[[str], Any]] = {
    "V": lambda _: baselines.VertexHistogram(n_jobs=2),
    "E": lambda _: baselines.EdgeHistogram(n_jobs=2),
    "WL": lambda _: baselines.WLSubtree(3, n_jobs=2),
    "WL-OA": lambda _: baselines.WLOptimalAssignment(3, n_jobs=2),
}
ATTRIBUTE_KERNELS: dict[str, Callable[[str], Any]] = {
    "VH-C": lambda _: baselines.ContinuousVertexHistogram(standardize=True, n_jobs=2),
    "RBF-WL": lambda _: baselines.RBFWL(3, standardize=True, n_jobs=2),
    "HGK-WL": hashing("wl"),
    "HGK-SP": hashing("sp"),
    "GH": lambda _: baselines.GraphHopper(standardize=True, n_jobs=2),
}
LARGE_KERNELS: dict[str, Callable[[str], Any]] = {
    "SP": lambda _: baselines.ShortestPath(n_jobs=2),
    "HGK-SP": hashing("sp"),
    "GH of labels": lambda _: baselines.GraphHopper(node_kernel="dirac", n_jobs=2),
    "GH": lambda _: baselines.GraphHopper(standardize=True, n_jobs=2),
}
KERNELS = LABEL_KERNELS | ATTRIBUTE_KERNELS | LARGE_KERNELS
TABLES: dict[str, tuple[str, dict[str, Callable[[str], Any]], tuple[str, ...]]] = {
    "labels": ("Kernels of labels", LABEL_KERNELS, LABELED),
    "attributes": ("Kernels of attributes; degrees in IMDB-BINARY", ATTRIBUTE_KERNELS, ATTRIBUTED),
    "large": ("Kernels of shortest paths on large graphs", LARGE_KERNELS, tuple(MADE)),
}


def one(kernel: str, dataset: str, quick: bool) -> None:
    """Compute one kernel matrix; print the seconds that it took and the peak memory in bytes."""
    make = KERNELS[kernel]
    graphs = load(dataset)[: QUICK if quick else None]
    make(dataset).fit_transform(wg.load_dataset("demo")[0][:4])  # loads what is imported at the first use
    # The peak is reset, because reading the text of a large data set may take more memory than its kernel does.
    resets = Path("/proc/self/clear_refs")
    if resets.exists():
        resets.write_text("5", encoding="ascii")
    seconds, _ = clocked(lambda: make(dataset).fit_transform(graphs))
    print(json.dumps([seconds, peak_memory()]))


def peak_memory() -> int | None:
    """Return the peak memory of this process in bytes, on Linux; ru_maxrss is of no use, since it is inherited."""
    status = Path("/proc/self/status")
    if not status.exists():
        return None
    lines = status.read_text(encoding="ascii").splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))


def whole_set(kernel: str, dataset: str, effort: Effort) -> str:
    """Run a kernel on a data set in a separate process; return its time and memory, in bold if above the limits."""
    command = [sys.executable, __file__, "--one", kernel, dataset, *(["--quick"] if effort.quick else [])]
    try:
        # Twice the limit, so that one sees by how much it is missed.
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, timeout=2 * AT_MOST_SECONDS)
    except subprocess.TimeoutExpired:
        return f"**more than {duration(2 * AT_MOST_SECONDS)}**"
    except subprocess.CalledProcessError as error:
        return f"**failed ({error.returncode})**"
    seconds, peak = json.loads(done.stdout.splitlines()[-1])
    cell = duration(seconds) + ("" if peak is None else f", {peak / MIB:,.0f} MiB")
    too_much = seconds > AT_MOST_SECONDS or (peak or 0) > AT_MOST_MIB * MIB
    print(f"{kernel} on {dataset}: {cell}", file=sys.stderr, flush=True)
    return f"**{cell}**" if too_much else cell


def whole_sets(name: str, effort: Effort) -> str:
    """Return a table of the time and memory of every kernel on every data set."""
    title, kernels, datasets = TABLES[name]
    lines = []
    for dataset in datasets:
        graphs = load(dataset)
        lines.append([dataset, f"{len(graphs):,}", f"{graphs.sizes.max():,}"])
        lines[-1] += [whole_set(kernel, dataset, effort) for kernel in kernels]
    table = markdown(["set", "graphs", "most nodes", *kernels], lines)
    limits = f"at most {AT_MOST_SECONDS // 60} min and {AT_MOST_MIB:,} MiB"
    return (
        f"{title}, the square matrix of whole sets on two threads: the time, and the peak memory of the whole process, "
        f"libraries and graphs included; {limits}, values above that are in bold:\n\n{table}"
    )


# Report


INTRODUCTION = """\
How many times longer GraKeL takes for the kernels that the paper compares with, from ready graphs to the kernel matrix,
and the time and memory for whole data sets. The ratio is that of one thread on both sides; both took turns, the best of
several turns counts, and the matrices agree."""


def measure_rows(names: Sequence[str], effort: Effort) -> Iterator[str]:
    """Measure the rows of the first table."""
    lines = [beside(row, effort) for row in ROWS if row.name in names]
    if lines:
        yield markdown(ROW_COLUMNS, lines)


def main() -> None:
    """Measure, print, and write the results of a full run."""
    names = [*(row.name for row in ROWS), *TABLES]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=3, help="turns, of which the best counts (default: 3)")
    parser.add_argument("--quick", action="store_true", help="few graphs and one turn, for a look")
    parser.add_argument("--only", nargs="+", choices=names, metavar="NAME", help=f"of {', '.join(names)}")
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    if options.one:
        first, second = options.one
        one(first, second, quick=options.quick)
        return
    effort = Effort(repeat=1, quick=True) if options.quick else Effort(repeat=options.repeat)
    chosen = options.only or names
    parts = [INTRODUCTION, circumstances(PACKAGES), *measure_rows(chosen, effort)]
    parts += [whole_sets(name, effort) for name in TABLES if name in chosen]
    section = "\n\n".join(parts)
    print(f"\n{section}")
    if not (options.quick or options.only):
        save(HEADING, section)


if __name__ == "__main__":
    main()
