# The compiled core (core/bindings/). Arrays are contiguous and have the types that are named here; others are a TypeError.
import numpy as np
from numpy.typing import NDArray

from wassergraph.arrays import FloatArray, IntArray
from wassergraph.learning.svm.pairs import Deciders
from wassergraph.learning.svm.smo import Options, Problems, Solutions, Starts
from wassergraph.transport.layout import Side
from wassergraph.transport.tasks import Rules

def level() -> str: ...
def levels() -> list[str]: ...
def use_level(name: str) -> None: ...
def solve_block(
    pairs: IntArray, left: Side, right: Side, rules: Rules, out: FloatArray, status: IntArray
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
