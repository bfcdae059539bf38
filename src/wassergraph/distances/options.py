"""The options of the solvers, checked once."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import DTypeLike

from wassergraph.errors import InputError, InputTypeError, Option
from wassergraph.graphs.invariants import check_choice
from wassergraph.metrics.node_embedding import NodeEmbedding

Solver: TypeAlias = Literal["auto", "exact", "sinkhorn", "sliced"]
RandomState: TypeAlias = int | np.random.Generator | None


@dataclass(frozen=True)
class SolverOptions:
    """How distances are computed; the fields are parameters of :func:`wassergraph.wwl_distances`."""

    solver: Solver = "auto"
    reg: float | None = None
    tol: float = 1e-9
    max_iter: int | None = None
    n_projections: int = 100
    random_state: RandomState = None
    dtype: DTypeLike = np.float64

    def __post_init__(self) -> None:
        check_choice("solver", self.solver, Solver)
        if (self.solver == "sinkhorn") != (self.reg is not None):
            raise InputError("{} is used with {} only", options=[Option("reg"), Option("solver", "sinkhorn")])
        _check_positive("reg", self.reg)
        _check_positive("tol", self.tol)
        _check_positive("n_projections", self.n_projections, integer=True)
        _check_positive("max_iter", self.max_iter, integer=True)
        if isinstance(self.random_state, int | np.integer) and self.random_state < 0:
            raise InputError(f"{{}} must be at least 0, got {self.random_state}", options=[Option("random_state")])
        if np.dtype(self.dtype) not in (np.dtype(np.float64), np.dtype(np.float32)):
            raise ValueError(f"dtype must be float64 or float32, got {self.dtype}")

    def seed(self) -> int:
        """Return ``random_state`` as a number, or draw one."""
        if isinstance(self.random_state, int | np.integer):
            return int(self.random_state)
        return int(np.random.default_rng(self.random_state).integers(2**32))

    def with_seed(self) -> SolverOptions:
        """Return the same options with a number as ``random_state``, so that lines can be drawn again elsewhere."""
        return replace(self, random_state=self.seed()) if self.solver == "sliced" else self


def check_sides(sides: Sequence[NodeEmbedding], options: SolverOptions) -> None:
    """Raise an error if one or two embeddings cannot be compared, or not by this solver."""
    left, right = sides[0], sides[-1]
    if left.counted and options.solver not in ("auto", "exact"):
        problem = f"{{}} is exact, but the solver is {options.solver}"
        raise InputError(problem, remedy="use {}", options=[Option("mass", "count"), Option("solver", "auto")])
    if options.solver == "sliced" and left.kind != "continuous":
        problem = f"{{}} works with attributes only, but the kind {left.kind} has labels"
        raise InputError(problem, remedy="use {}", options=[Option("solver", "sliced"), Option("solver", "auto")])
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


def check_depths(depth: object) -> list[int]:
    """Return one depth, or several, as a list; raise an error unless they are whole numbers of at least 0."""
    depths = [operator.index(h) for h in depth] if np.ndim(depth) else [operator.index(depth)]  # type: ignore[arg-type,attr-defined]
    if not depths or min(depths) < 0:
        problem = f"{{}} must be a whole number of at least 0, or a sequence of such numbers, got {depth!r}"
        raise InputError(problem, options=[Option("depth")])
    return depths


def _check_positive(name: str, number: object, *, integer: bool = False) -> None:
    if number is None:
        return
    noun, bound, kind = ("integer", 2**62, Integral) if integer else ("number", math.inf, Real)
    option = Option(name)
    if not isinstance(number, kind):
        raise InputTypeError(f"{{}} must be {'an' if integer else 'a'} {noun}, got {number!r}", options=[option])
    if not 0 < number < bound:  # type: ignore[operator]
        below = " below 2**62" if integer else ""
        raise InputError(f"{{}} must be a positive {noun}{below}, got {number}", options=[option])
