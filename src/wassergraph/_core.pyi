# The compiled core (core/bindings). Arrays are contiguous, and have the types that are named here; others are errors.
import numpy as np
from numpy.typing import NDArray

from wassergraph.arrays import BoolArray, FloatArray, IntArray
from wassergraph.baselines.hops import HopTables
from wassergraph.baselines.points import PointSets
from wassergraph.learners.svm.pairs import Deciders
from wassergraph.learners.svm.smo import Options, Problems, Solutions, Starts
from wassergraph.pairwise.layout import Histogram, ImageRules, Library, Line, Rules, Side, Sizes
from wassergraph.pairwise.tiles import Tile

def level() -> str: ...
def levels() -> list[str]: ...
def use_level(name: str) -> None: ...
def solve_block(pairs: IntArray, left: Side, right: Side, rules: Rules, out: FloatArray, status: IntArray) -> None: ...
def solve_plan(
    cost: FloatArray,
    supply: IntArray,
    demand: IntArray,
    max_iter: int,
    stop: BoolArray,
    parent: NDArray[np.uint32],
    flow: IntArray,
    potential: FloatArray,
) -> int: ...
def ground_costs(points: FloatArray, others: FloatArray, result: FloatArray) -> None: ...
def gaussian_tile(
    tile: Tile,
    from_diagonal: bool,
    left: PointSets,
    right: PointSets,
    gamma: float,
    stop: BoolArray,
    out: FloatArray,
) -> None: ...
def hop_tile(
    tile: Tile,
    from_diagonal: bool,
    left: HopTables,
    right: HopTables,
    weights: FloatArray,
    kernel: int,
    gamma: float,
    stop: BoolArray,
    out: FloatArray,
) -> None: ...
def count_tile(
    tile: Tile,
    from_diagonal: bool,
    intersect: bool,
    left: Histogram,
    right: Histogram,
    stop: BoolArray,
    out: FloatArray,
) -> None: ...
def count_pairs(
    node_ptr: IntArray,
    indptr: IntArray,
    indices: IntArray,
    labels: IntArray,
    n_labels: int,
    n_steps: int,
    all_pairs: bool,
) -> tuple[IntArray, IntArray, IntArray]: ...
def hop_lengths(node_ptr: IntArray, indptr: IntArray, indices: IntArray) -> IntArray: ...
def count_hops(
    begin: int,
    node_ptr: IntArray,
    indptr: IntArray,
    indices: IntArray,
    ptr: IntArray,
    row: IntArray,
    widths: IntArray,
    starts: IntArray,
    counts: FloatArray,
) -> None: ...

# Support vector machines.
def solve_svm_problems(
    kernel: FloatArray, problems: Problems, options: Options, starts: Starts, solutions: Solutions
) -> None: ...
def decide_problems(
    deciders: Deciders, n_values: int, first_problem: int, first_value: int, decisions: FloatArray
) -> None: ...
def count_votes(deciders: Deciders, classes: IntArray, votes: NDArray[np.int32]) -> None: ...
def decide_rows(
    kernel: FloatArray, coefficients: FloatArray, intercepts: FloatArray, decisions: FloatArray
) -> None: ...
def label_tile(
    tile: Tile,
    above_diagonal: bool,
    left: Histogram,
    right: Histogram,
    left_sizes: Sizes,
    right_sizes: Sizes,
    wanted: BoolArray,
    stop: BoolArray,
    out: FloatArray,
) -> None: ...
def label_pairs(
    pairs: IntArray,
    left: Histogram,
    right: Histogram,
    left_sizes: Sizes,
    right_sizes: Sizes,
    wanted: BoolArray,
    stop: BoolArray,
    out: FloatArray,
) -> None: ...
def add_line(pairs: IntArray, left: Line, right: Line, stop: BoolArray, out: FloatArray) -> None: ...
def sinkhorn_block(
    pairs: IntArray,
    left: Side,
    right: Side,
    rules: Rules,
    reg: float,
    tol: float,
    out: FloatArray,
    status: IntArray,
) -> None: ...
def number_codes(codes: NDArray[np.uint64]) -> tuple[NDArray[np.uint64], IntArray]: ...
def count_numbers(
    ptr: IntArray, numbers: IntArray, weights: IntArray, n_distinct: int
) -> tuple[IntArray, IntArray, FloatArray]: ...
def decay(x: NDArray[np.floating], rate: float, out: NDArray[np.floating]) -> None: ...
def take_block(matrix: NDArray[np.floating], rows: IntArray, columns: IntArray, out: FloatArray) -> None: ...
def add_differences(matrix: FloatArray, weight: float, rows: FloatArray, columns: FloatArray) -> None: ...

# The search for the nearest graphs: core/nearest.hpp
LONG_ERROR: float

def find_nearest(
    library: Library,
    queries: Library,
    position: int,
    rules: Rules,
    images: ImageRules,
    bounds: FloatArray,
    apart: FloatArray,
    k: int,
    radius: float,
    counts: IntArray,
) -> tuple[int, IntArray, FloatArray]: ...
def quantile_means(ptr: IntArray, mass: IntArray, points: NDArray[np.float32], n_parts: int) -> NDArray[np.float32]: ...
