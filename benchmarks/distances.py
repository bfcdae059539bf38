"""Compare the speed and memory of the distances with the reference package's loop and POT, measured in one run.

    make benchmarks
    WASSERGRAPH_DATA=path/to/archives .venv/bin/python benchmarks/distances.py [--repeat 3] [--quick] [--only NAME …]

The reference loop is what the published package does for every pair: ``ot.dist``, then ``ot.emd2``, in Python. It is
timed on pairs drawn at random with a fixed seed, as many at every depth, and its mean time is scaled to all pairs; ours
computes all of them, from the graphs to the matrix. Both sides take turns, the best of several turns counts, and the
numbers that both computed are compared. A full run writes its tables to ``RESULTS.md``; with ``--quick`` or ``--only``
they are just printed.
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
from dataclasses import asdict, dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import ot  # type: ignore[import-untyped, unused-ignore]
from ot.lp import emd_wrap  # type: ignore[import-untyped, unused-ignore]

import wassergraph as wg
from reporting import circumstances, duration, markdown, save, times
from wassergraph.arrays import FloatArray, IntArray
from wassergraph.graphs.batch import GraphBatch
from wassergraph.metrics.decisions import Kind
from wassergraph.metrics.node_embedding import Features, Mass, NodeEmbedding
from wassergraph.pairwise.api import embedding_distances

HEADING = "## Distances"
PACKAGES = ("wassergraph", "POT", "numpy", "scipy")
SEED = 0
MIB = 2**20


@dataclass(frozen=True)
class Effort:
    """How much is measured."""

    repeat: int = 3  # turns, of which the best counts
    pairs: int = 3_200  # pairs in the sample of a loop, over all depths
    block: int = 50  # at most so many random graphs against as many others


# Our side


@dataclass(frozen=True)
class Work:
    """All distances of a data set at one or more depths."""

    dataset: str
    depths: tuple[int, ...]
    kind: Kind
    standardize: bool = False
    mass: Mass = "share"

    @property
    def graphs(self) -> GraphBatch:
        """The data set, read once."""
        return load(self.dataset)

    @property
    def n_pairs(self) -> int:
        """How many different pairs of graphs there are."""
        return len(self.graphs) * (len(self.graphs) - 1) // 2

    def ours(self, n_jobs: int) -> FloatArray:
        """Compute all distances (len(depths), n_graphs, n_graphs) as a user would, embedding included."""
        depth = self.depths if len(self.depths) > 1 else self.depths[0]
        distances = wg.distances(
            self.graphs,
            metric=wg.WWL(depth=depth, kind=self.kind, standardize=self.standardize, mass=self.mass),
            n_jobs=n_jobs,
        )
        return np.asarray(distances).reshape(len(self.depths), len(self.graphs), len(self.graphs))


ENZYMES = Work("ENZYMES", (3,), "continuous", standardize=True)
ENZYMES_JOINT = replace(ENZYMES, kind="joint")
ENZYMES_DEPTHS = replace(ENZYMES, depths=tuple(range(8)))
IMDB = Work("IMDB-BINARY", tuple(range(8)), "continuous")
NCI1 = Work("NCI1", tuple(range(8)), "categorical")
DD = Work("DD", tuple(range(8)), "categorical")
REDDIT = Work("threads of comments", tuple(range(8)), "continuous")
DD_ONE_DEPTH = replace(DD, depths=(3,))


@cache
def load(dataset: str) -> GraphBatch:
    """Read a data set from the data home, or make the threads of comments."""
    if dataset == REDDIT.dataset:
        return reddit_graphs()
    return wg.load_dataset(dataset, data_home=data_home())[0]


def data_home() -> Path:
    """Return the folder with the archives of the data sets."""
    return Path(os.environ.get("WASSERGRAPH_DATA", "../shared/datasets")).resolve()


# The other side: POT, called pair by pair


PairSolver: TypeAlias = Callable[[FloatArray, FloatArray, str], float]


@dataclass(frozen=True)
class Sample:
    """Random pairs of graphs, the same number at every depth, with the node vectors that POT gets."""

    where: tuple[IntArray, IntArray, IntArray]  # the place of each in our result: depth, first graph, second graph
    left: list[FloatArray]
    right: list[FloatArray]
    metric: str

    def __len__(self) -> int:
        return len(self.left)

    def loop(self) -> Timed:
        """Do what the reference package does for every pair."""
        return time_each(lambda x, y: pot_exact(x, y, self.metric), zip(self.left, self.right, strict=True))

    def core(self) -> Timed:
        """Solve the same pairs with POT's C++ core alone, ground costs and weights at hand."""
        ready = [pot_problem(x, y, self.metric) for x, y in zip(self.left, self.right, strict=True)]
        return time_each(lambda *problem: float(emd_wrap.emd_c(*problem, 100_000, 1)[1]), ready)


@dataclass(frozen=True)
class Timed:
    """The numbers of several calls and the seconds each took."""

    values: FloatArray
    seconds: FloatArray

    @property
    def uncertainty(self) -> float:
        """The standard error of the mean time, as a share of it."""
        return float(self.seconds.std() / self.seconds.mean() / np.sqrt(len(self.seconds)))


def pot_exact(x: FloatArray, y: FloatArray, metric: str) -> float:
    """Compute one distance as the reference package does, with as many pivots as large graphs need."""
    return float(ot.emd2([], [], ot.dist(x, y, metric=metric), numItermax=10**9))


def pot_problem(x: FloatArray, y: FloatArray, metric: str) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return uniform weights and ground costs in the form that the C++ core takes."""
    costs = np.ascontiguousarray(ot.dist(x, y, metric=metric), dtype=np.float64)
    return np.full(len(x), 1 / len(x)), np.full(len(y), 1 / len(y)), costs


def draw(work: Work, pairs: int) -> Sample:
    """Draw random pairs of different graphs, and embed their nodes up to the depth of each."""
    random = np.random.default_rng(SEED)
    n, each = len(work.graphs), -(-pairs // len(work.depths))
    place = np.repeat(np.arange(len(work.depths)), each)
    first = random.integers(n, size=len(place))
    second = (first + random.integers(1, n, size=len(place))) % n
    embedding = wg.WWL(depth=max(work.depths), kind=work.kind, standardize=work.standardize).embed(work.graphs)
    vectors = [node_vectors(embedding.upto(depth)) for depth in work.depths]

    def of(graphs: IntArray) -> list[FloatArray]:
        ptr = embedding.ptr
        return [vectors[h][ptr[g] : ptr[g + 1]].copy() for h, g in zip(place, graphs, strict=True)]

    metric = "hamming" if embedding.points is None else "euclidean"
    return Sample((place, first, second), of(first), of(second), metric)


def node_vectors(embedding: NodeEmbedding) -> FloatArray:
    """Return one row of numbers per node: its point, or its labels numbered depth by depth."""
    if embedding.points is not None:
        return embedding.points
    assert embedding.codes is not None
    numbers = [np.unique(codes, return_inverse=True)[1] for codes in embedding.codes]
    return np.stack(numbers, axis=1).astype(np.float64)


# Timing


def time_each(function: Callable[..., float], arguments: Iterator[Any] | Sequence[Any]) -> Timed:
    """Call a function for each tuple of arguments, and time every call."""
    values, seconds = [], []
    for positional in arguments:
        begin = time.perf_counter()
        values.append(function(*positional))
        seconds.append(time.perf_counter() - begin)
    return Timed(np.array(values), np.array(seconds))


def clocked(function: Callable[[], FloatArray]) -> tuple[float, FloatArray]:
    """Return the seconds that a call takes, and its result."""
    begin = time.perf_counter()
    result = function()
    return time.perf_counter() - begin, result


def take_turns(
    ours: Callable[[], FloatArray], theirs: Callable[[], Timed], repeat: int
) -> tuple[float, FloatArray, Timed]:
    """Run both sides in turn; return our best time, our result, and their best turn."""
    result = ours()  # a first turn that does not count: it imports what it needs
    best, turns = np.inf, []
    for _ in range(repeat):
        turns.append(theirs())
        del result  # one result at a time in memory
        seconds, result = clocked(ours)
        best = min(best, seconds)
    return best, result, min(turns, key=lambda turn: float(turn.seconds.sum()))


def compare(ours: FloatArray, theirs: FloatArray, what: str) -> None:
    """Check that both sides computed the same; POT's Euclidean costs lose half of the digits."""
    if not np.allclose(ours, theirs, rtol=1e-5, atol=1e-5):
        raise RuntimeError(f"{what}: we differ from POT by up to {np.abs(ours - theirs).max():.2g}")


# The rows of the first table


@dataclass(frozen=True)
class Reached:
    """The result of a row of the table: seconds on both sides, and how the other side was timed."""

    ours: float
    theirs: float
    timed: str
    ratio: float
    details: str = ""


@dataclass(frozen=True)
class Row:
    """A row of the table: its name on the command line, its title, its target, and how it is measured."""

    name: str
    work: str
    against: str
    at_least: str
    measure: Callable[[Effort], Reached]


def beside(work: Work, solve: Callable[[Sample], Timed], n_jobs: int, effort: Effort) -> Reached:
    """Compare the time of all our distances with that of POT on a sample, scaled to all pairs."""
    sample = draw(work, effort.pairs)
    own, distances, other = take_turns(lambda: work.ours(n_jobs), lambda: solve(sample), effort.repeat)
    compare(distances[sample.where], other.values, work.dataset)
    total = float(other.seconds.mean()) * work.n_pairs * len(work.depths)
    return Reached(own, total, f"{len(sample):,} pairs, ±{other.uncertainty:.0%}", total / own)


def loop(work: Work) -> Callable[[Effort], Reached]:
    """Compare all our distances, two threads, with the reference loop, run once for every depth."""
    return partial(beside, work, Sample.loop, 2)


def two_threads(work: Work, effort: Effort) -> Reached:
    """Compare two threads with one."""

    def alone() -> Timed:
        seconds, result = clocked(lambda: work.ours(1))
        return Timed(result, np.array([seconds]))

    own, distances, other = take_turns(lambda: work.ours(2), alone, effort.repeat)
    if not np.array_equal(distances, other.values):
        raise RuntimeError("one thread and two give different distances")
    total = float(other.seconds.sum())
    return Reached(own, total, "all pairs", total / own)


def counts(work: Work, effort: Effort) -> Reached:
    """Compare nodes of mass 1 with graphs of mass 1, one thread."""

    def shares() -> Timed:
        seconds, result = clocked(lambda: work.ours(1))
        return Timed(result, np.array([seconds]))

    own, _, other = take_turns(lambda: replace(work, mass="count").ours(1), shares, effort.repeat)
    total = float(other.seconds.sum())
    return Reached(own, total, "all pairs", total / own)


# Random embeddings, the paper's runtime experiment

# The mean number of nodes, and how many graphs meet as many others: fewer where POT takes long.
SIZES = {10: 50, 20: 50, 50: 50, 100: 40, 200: 24, 500: 12, 1000: 6, 2000: 3, 4000: 1}
DIMENSION = 16
FIT_FROM = 100


def random_embeddings(effort: Effort) -> Reached:
    """Compare with POT on graphs of growing size, one thread, the same pairs on both sides."""
    table = []
    for mean, block in SIZES.items():
        own, other, n_pairs = beside_pot(mean, min(block, effort.block), effort.repeat)
        table.append((mean, n_pairs, own, other))
    _, _, own, other = min(table, key=lambda line: line[3] / line[2])
    return Reached(own, other, "per pair, at the worst size", other / own, growth_table(table))


def beside_pot(
    mean: int, block: int, repeat: int, theirs: PairSolver = pot_exact, **options: Any
) -> tuple[float, float, int]:
    """Return our seconds per pair, POT's, and the number of pairs, for random graphs of a mean size."""
    embedding = random_embedding(mean, 2 * block)
    left, right = cut(embedding, 0, block), cut(embedding, block, 2 * block)
    xs, ys = split(left), split(right)

    def ours() -> FloatArray:
        distances: FloatArray = embedding_distances(left, right, depths=[0], **({"n_jobs": 1} | options))[0]
        return distances

    own, distances, other = take_turns(
        ours, lambda: time_each(theirs, [(x, y, "euclidean") for x in xs for y in ys]), repeat
    )
    compare(distances.ravel(), other.values, f"random graphs of {mean} nodes")
    return own / distances.size, float(other.seconds.mean()), distances.size


def random_embedding(mean: int, n_graphs: int) -> NodeEmbedding:
    """Draw the points of graphs, whose numbers of nodes are normally distributed around a mean."""
    random = np.random.default_rng(SEED)
    sizes = np.maximum(np.rint(random.normal(mean, mean / 10, n_graphs)), 1).astype(np.int64)
    ptr = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
    return NodeEmbedding(
        ptr,
        0,
        kind="continuous",
        features=Features.NODE_ATTRIBUTES,
        points=random.standard_normal((ptr[-1], DIMENSION)),
    )


def cut(embedding: NodeEmbedding, begin: int, end: int) -> NodeEmbedding:
    """Keep the graphs from begin to end - 1."""
    assert embedding.points is not None
    ptr = embedding.ptr[begin : end + 1]
    return replace(embedding, ptr=ptr - ptr[0], points=embedding.points[ptr[0] : ptr[-1]])


def split(embedding: NodeEmbedding) -> list[FloatArray]:
    """Return the points of every graph."""
    assert embedding.points is not None
    return list(np.split(embedding.points, embedding.ptr[1:-1]))


# One pair of very large graphs

LARGE = 10_000


def large_pair(effort: Effort) -> Reached:
    """Compare one pair of large graphs, two threads; POT is timed once, since it takes minutes."""
    own, other, _ = beside_pot(LARGE, 1, 1, n_jobs=2)
    peak = json.loads(run_child(LARGE_CHILD, str(LARGE), str(DIMENSION)))
    details = f"One pair of {LARGE:,} nodes: the whole process took {peak / MIB:,.0f} MiB at most (limit: 1,024 MiB)."
    return Reached(own, other, "one pair, one turn", other / own, details)


# Sinkhorn

SINKHORN_SIZES = {100: 6, 200: 4, 500: 3, 1000: 2, 2000: 1}
REG, MARGINAL_ERROR = 0.1, 1e-9


def pot_sinkhorn(x: FloatArray, y: FloatArray, metric: str) -> float:
    """Compute the cost of the entropic plan with POT, to the same error of the marginals."""
    a, b, costs = pot_problem(x, y, metric)
    # POT compares the Euclidean norm of the errors with its threshold, we their sum.
    threshold = MARGINAL_ERROR / np.sqrt(len(y))
    return float((ot.sinkhorn(a, b, costs, REG, stopThr=threshold, numItermax=10**6) * costs).sum())


def sinkhorn(effort: Effort) -> Reached:
    """Compare Sinkhorn with that of POT and with our exact solver, one thread."""
    solver = wg.Sinkhorn(REG, MARGINAL_ERROR, max_iter=10**6)
    table, lines = [], []
    for mean, block in SINKHORN_SIZES.items():
        block = min(block, effort.block)
        own, other, n_pairs = beside_pot(mean, block, effort.repeat, pot_sinkhorn, solver=solver)
        exact = exact_seconds(mean, block, effort.repeat)
        table.append((own, other))
        cells = duration(own), duration(other), times(other / own), duration(exact), times(exact / own)
        lines.append([f"{mean:,}", f"{n_pairs:,}", *cells])
    columns = [
        "mean nodes",
        "pairs",
        "ours, per pair",
        "POT, per pair",
        "ratio",
        "our exact solver",
        "exact / Sinkhorn",
    ]
    own, other = min(table, key=lambda line: line[1] / line[0])
    title = f"Sinkhorn with reg {REG} to an error of the marginals of {MARGINAL_ERROR}, one thread, the same pairs:\n\n"
    return Reached(own, other, "per pair, at the worst size", other / own, title + markdown(columns, lines))


def exact_seconds(mean: int, block: int, repeat: int) -> float:
    """Return the seconds per pair of our exact solver."""
    return pair_seconds(random_embedding(mean, 2 * block), block, repeat)


def pair_seconds(embedding: NodeEmbedding, block: int, repeat: int, **options: Any) -> float:
    """Return our seconds per pair, one thread, between some graphs and as many others."""
    left, right = cut(embedding, 0, block), cut(embedding, block, 2 * block)
    depths = [embedding.depth]
    turns = [
        clocked(lambda: embedding_distances(left, right, depths=depths, n_jobs=1, **options)[0])[0]
        for _ in range(repeat + 1)
    ]
    return min(turns) / block**2


def sliced(effort: Effort) -> Reached:
    """Compare distances along 100 random lines with our exact solver, one thread."""
    trees = wg.WWL(depth=3, kind="continuous").embed(reddit_graphs()[:20])
    graphs = {
        f"random points, {mean:,} nodes": (random_embedding(mean, 2 * n), n) for mean, n in SINKHORN_SIZES.items()
    }
    graphs[f"threads of comments, {int(np.diff(trees.ptr).mean()):,} nodes, degrees, depth 3"] = trees, 10
    lines, table = [], []
    for title, (embedding, block) in graphs.items():
        exact = pair_seconds(embedding, block, effort.repeat)
        own = pair_seconds(embedding, block, effort.repeat, solver=wg.Sliced())
        table.append((own, exact))
        lines.append([title, f"{block**2:,}", duration(own), duration(exact), times(exact / own)])
    columns = ["graphs", "pairs", "sliced, per pair", "our exact solver", "exact / sliced"]
    own, exact = min(table, key=lambda line: line[1] / line[0])
    title = "Transport along 100 random lines, and exact, one thread, the same pairs:\n\n"
    return Reached(own, exact, "per pair, at the worst size", exact / own, title + markdown(columns, lines))


# Graphs like those of REDDIT: threads of comments, with degrees as attributes


N_TREES = 200


def reddit_edges(n_trees: int) -> list[IntArray]:
    """Make trees of 100 to 3,000 nodes, in which a node is answered the more often the more answers it has."""
    random = np.random.default_rng(SEED)
    trees = []
    for n in random.integers(100, 3_001, size=n_trees):
        edges = np.zeros((n - 1, 2), dtype=np.int64)
        edges[:, 1] = np.arange(1, n)
        for t in range(1, n - 1):  # to an end of an earlier edge, or to the first node
            edges[t, 0] = edges[random.integers(t), random.integers(2)] if random.random() < 0.8 else 0
        trees.append(edges)
    return trees


def reddit_graphs() -> GraphBatch:
    """Make the trees that are compared with the reference loop."""
    trees = reddit_edges(N_TREES)
    return wg.from_edges(trees, n_nodes=[len(edges) + 1 for edges in trees], symmetrize=True)


def reddit(effort: Effort) -> Reached:
    """Compare all distances of large trees with the reference loop, two threads."""
    return beside(REDDIT, Sample.loop, 2, replace(effort, pairs=min(effort.pairs, 320)))


def growth_table(table: list[tuple[int, int, float, float]]) -> str:
    """Return a table of both times at every size, and how they grow."""
    columns = ["mean nodes", "pairs", "ours, per pair", "POT, per pair", "ratio"]
    lines = [[f"{mean:,}", f"{n:,}", duration(a), duration(b), times(b / a)] for mean, n, a, b in table]
    sizes, _, own, other = (np.array(column) for column in zip(*table, strict=True))
    large = sizes >= FIT_FROM
    ours, theirs = (np.polyfit(np.log(sizes[large]), np.log(line[large]), 1)[0] for line in (own, other))
    return (
        f"Random embeddings of dimension {DIMENSION}, one thread on both sides, the same pairs:\n\n"
        + markdown(columns, lines)
        + f"\n\nFrom {FIT_FROM} nodes on, our time per pair grows like n^{ours:.2f}, POT's like n^{theirs:.2f}."
    )


EIGHT = "reference loop run eight times"
CORE = "POT's C++ core called directly (`ot.lp.emd_wrap.emd_c`) on ready cost matrices"
COUNTS = 'ENZYMES attributes with `mass="count"`'
COUNTS_JOINT = 'ENZYMES labels and attributes with `mass="count"`'
COMMENTS = f"{N_TREES} threads of comments, 100 to 3,000 nodes, degrees, depths 0…7"
PAPER = f"random points in {DIMENSION} dimensions, 10 to 4,000 nodes, 1 thread"
ROWS = (
    Row("enzymes", "ENZYMES attributes, depth 3, all pairs, 2 cores", "reference loop", "25×", loop(ENZYMES)),
    Row("enzymes-depths", "ENZYMES attributes, depths 0…7 together, 2 cores", EIGHT, "60×", loop(ENZYMES_DEPTHS)),
    Row("core", "ENZYMES attributes, depth 3, 1 thread", CORE, "3.5×", partial(beside, ENZYMES, Sample.core, 1)),
    Row("imdb", "IMDB-BINARY degrees, depths 0…7", EIGHT, "100×", loop(IMDB)),
    Row("nci1", "NCI1 labels, depths 0…7, 8.4 million pairs", EIGHT, "5,000×", loop(NCI1)),
    Row("dd", "D&D labels, depths 0…7", EIGHT, "20,000×", loop(DD)),
    Row("reddit", f"{COMMENTS}, 2 cores", EIGHT, "–", reddit),
    Row("random", PAPER, "POT exact, at every size", "4×", random_embeddings),
    Row("large", f"one pair of {LARGE:,} nodes, 2 threads", "POT exact", "5×", large_pair),
    Row("sinkhorn", f"Sinkhorn, reg {REG}, 100 to 2,000 nodes, 1 thread", "POT's `sinkhorn`", "5×", sinkhorn),
    Row("sliced", "sliced, 100 lines, 100 to 2,000 nodes, 1 thread", "our exact solver", "–", sliced),
    Row("threads", "2 threads against 1, ENZYMES", "ours", "1.8×", partial(two_threads, ENZYMES)),
    Row("counts", f"{COUNTS}, depth 3, 1 thread", "ours, shares", "0.67×", partial(counts, ENZYMES)),
    Row("counts-depths", f"{COUNTS}, depths 0…7, 1 thread", "ours, shares", "0.67×", partial(counts, ENZYMES_DEPTHS)),
    Row("counts-joint", f"{COUNTS_JOINT}, depth 3, 1 thread", "ours, shares", "0.67×", partial(counts, ENZYMES_JOINT)),
)
ROW_COLUMNS = ["work", "against", "at least", "reached", "ours", "theirs", "theirs timed on"]


# Memory and the first call, each in a separate process

# Linux lets a new process inherit ru_maxrss from the one that started it, so the peak is read elsewhere. It is reset
# before the call, because reading the text of a large data set may take more memory than its distances do.
MEMORY_CHILD = """
import json, sys
from pathlib import Path
import wassergraph as wg

def status(key):
    lines = Path("/proc/self/status").read_text().splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith(key))

work = json.loads(sys.argv[1])
graphs, _ = wg.load_dataset(work["dataset"], data_home=sys.argv[2])
depth = work["depths"] if len(work["depths"]) > 1 else work["depths"][0]
metric = wg.WWL(depth, kind=work["kind"], standardize=work["standardize"])
wg.distances(graphs[:4], metric=metric, n_jobs=2)
Path("/proc/self/clear_refs").write_text("5")
before = status("VmRSS")
result = wg.distances(graphs, metric=metric, n_jobs=2)
print(json.dumps([result.nbytes, before, status("VmHWM")]))
"""

LARGE_CHILD = """
import json, sys
from pathlib import Path
import numpy as np
from wassergraph.pairwise.api import embedding_distances
from wassergraph.metrics.node_embedding import Features, NodeEmbedding

n, dim = map(int, sys.argv[1:])
points = np.random.default_rng(0).standard_normal((2 * n, dim))
embedding = NodeEmbedding(
    np.array([0, n, 2 * n]), 0, kind="continuous", features=Features.NODE_ATTRIBUTES, points=points
)
embedding_distances(embedding, depths=[0], n_jobs=2)
lines = Path("/proc/self/status").read_text().splitlines()
print(json.dumps(1024 * next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))))
"""

FIRST_CALL_CHILD = """
import time
begin = time.perf_counter()
import wassergraph as wg
wg.distances(wg.load_dataset("demo")[0])
print(time.perf_counter() - begin)
"""

# The work, whether the limit is on the peak less the result or on the peak itself, and the limit in MiB.
MEMORY_CASES: tuple[tuple[str, Work, bool, int], ...] = (
    ("D&D labels, depth 3", DD_ONE_DEPTH, False, 1024),
    ("D&D labels, depths 0…7", DD, True, 300),
    ("NCI1 labels, depths 0…7", NCI1, True, 300),
    ("ENZYMES attributes, depths 0…7", ENZYMES_DEPTHS, True, 300),
)


def memory_table(effort: Effort) -> str:
    """Return a table of the peak memory of the whole process during the call, libraries and graphs included."""
    if not Path("/proc/self/clear_refs").exists():
        return "Peak memory is measured on Linux only."
    lines = []
    for title, work, beyond_result, limit in MEMORY_CASES:
        arguments = json.dumps(asdict(work)), str(data_home())
        runs = [json.loads(run_child(MEMORY_CHILD, *arguments)) for _ in range(effort.repeat)]
        result, before, peak = max(runs, key=lambda run: float(run[2]))
        at_most = f"{limit:,} MiB" + (" beyond the result" if beyond_result else "")
        lines.append([title, at_most, *(f"{size / MIB:,.0f} MiB" for size in (peak, result, peak - result, before))])
    columns = ["work", "at most", "peak", "result", "peak less result", "held before the call"]
    title = "Peak memory of the whole process during the call, libraries and graphs included:\n\n"
    return title + markdown(columns, lines)


def first_call_table(effort: Effort) -> str:
    """Return a table of the time of the first distances of a new process, import included."""
    seconds = min(float(run_child(FIRST_CALL_CHILD)) for _ in range(effort.repeat))
    title = "The first `distances` of a new process, on the embedded data set, import included:\n\n"
    return title + markdown(["at most", "measured"], [["0.4 s", duration(seconds)]])


def run_child(code: str, *arguments: str) -> str:
    """Run a script in a new process; return its output."""
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout


TABLES: dict[str, Callable[[Effort], str]] = {"memory": memory_table, "first-call": first_call_table}


# Report


INTRODUCTION = """\
How many times longer others take than `distances`, embedding included, for the same distances. The reference loop
is what the published package does for every pair, `ot.dist` and then `ot.emd2` in Python. It is timed on random pairs
and scaled to all pairs; ± is the standard error of that mean. Both sides took turns, the best of several turns counts,
and the distances that both computed agree."""


def measure_rows(names: Sequence[str], effort: Effort) -> Iterator[str]:
    """Measure the rows of the first table; yield it, then the details of its rows."""
    lines, details = [], []
    for row in ROWS:
        if row.name in names:
            reached = row.measure(effort)
            cells = [times(reached.ratio), duration(reached.ours), duration(reached.theirs), reached.timed]
            print(f"{row.name}: {', '.join(cells)}", file=sys.stderr, flush=True)
            lines.append([row.work, row.against, row.at_least, *cells])
            details.append(reached.details)
    if lines:
        yield markdown(ROW_COLUMNS, lines)
    yield from filter(None, details)


def main() -> None:
    """Measure, print, and write the results of a full run."""
    names = [*(row.name for row in ROWS), *TABLES]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=3, help="turns, of which the best counts (default: 3)")
    parser.add_argument("--quick", action="store_true", help="small samples and one turn, for a look")
    parser.add_argument("--only", nargs="+", choices=names, metavar="NAME", help=f"of {', '.join(names)}")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    effort = Effort(repeat=1, pairs=160, block=3) if options.quick else Effort(repeat=options.repeat)
    chosen = options.only or names
    parts = [INTRODUCTION, circumstances(PACKAGES), *measure_rows(chosen, effort)]
    parts += [table(effort) for name, table in TABLES.items() if name in chosen]
    section = "\n\n".join(parts)
    print(f"\n{section}")
    if not (options.quick or options.only):
        save(HEADING, section)


if __name__ == "__main__":
    main()
