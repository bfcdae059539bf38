"""What is checked before distances are computed: depths, the type of the result, embeddings against each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from wassergraph.errors import InputError, Option
from wassergraph.metrics.node_embedding import NodeEmbedding
from wassergraph.metrics.solvers import Exact, Sliced, Solver


def check_dtype(dtype: DTypeLike) -> np.dtype[Any]:
    """Return the type of distances."""
    if np.dtype(dtype) not in (np.dtype(np.float64), np.dtype(np.float32)):
        raise ValueError(f"dtype must be float64 or float32, got {dtype}")
    return np.dtype(dtype)


def most_steps(solver: Solver) -> int | None:
    """Return the largest number of steps that a solver may take, if there is one."""
    return None if isinstance(solver, Sliced) else solver.max_iter


def check_sides(sides: Sequence[NodeEmbedding], solver: Solver) -> None:
    """Raise an error if one or two embeddings cannot be compared, or not by this solver."""
    left, right = sides[0], sides[-1]
    if left.counted and not isinstance(solver, Exact):
        problem = f"{{}} is exact, but the solver is {solver.name}"
        raise InputError(problem, remedy="use {}", options=[Option("mass", "count"), Option("solver", "exact")])
    if isinstance(solver, Sliced) and left.kind != "continuous":
        problem = f"{{}} works with attributes only, but the kind {left.kind} has labels"
        raise InputError(problem, remedy="use {}", options=[Option("solver", "sliced"), Option("solver", "exact")])
    if (right.kind, right.dim, right.depth) != (left.kind, left.dim, left.depth):
        raise ValueError(
            f"the embeddings differ: {left.kind} with {left.dim} attributes and depth {left.depth} against "
            f"{right.kind} with {right.dim} attributes and depth {right.depth}"
        )
    for name in ("mass", "unmatched", "size_weight"):
        if getattr(left, name) != getattr(right, name):
            raise ValueError(f"the embeddings differ: {name} is {getattr(left, name)} against {getattr(right, name)}")
    if left.kind == "joint" and left.label_weight != right.label_weight:
        raise ValueError(f"the embeddings differ: label_weight is {left.label_weight} against {right.label_weight}")
