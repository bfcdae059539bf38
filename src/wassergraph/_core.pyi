# The compiled core (core/bindings). Arrays are contiguous, and have the types that are named here; others are errors.
import numpy as np
from numpy.typing import NDArray

from wassergraph.arrays import BoolArray, FloatArray, IntArray
from wassergraph.transport.layout import Side
from wassergraph.transport.tasks import Rules

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
