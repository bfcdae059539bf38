"""Prepare a Problem from embeddings: choose the solver, pack the graphs, and scale masses and costs."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import DTypeLike

from wassergraph.arrays import FloatArray
from wassergraph.errors import InputError
from wassergraph.metrics.node_embedding import NodeEmbedding
from wassergraph.metrics.solvers import Sinkhorn, Sliced, Solver
from wassergraph.pairwise.histograms import LabelBags, histograms
from wassergraph.pairwise.layout import Sizes
from wassergraph.pairwise.masses import node_masses, weighted_total
from wassergraph.pairwise.options import check_dtype, check_sides, most_steps
from wassergraph.pairwise.problem import LabelProblem, LineProblem, Problem, TransportProblem
from wassergraph.pairwise.scaling import scale_exponent
from wassergraph.pairwise.sides import is_weighted, pack_clouds, pack_sides
from wassergraph.pairwise.solve import problem_type

#: The default of max_iter for Sinkhorn.
_SINKHORN_ROUNDS = 100_000


def prepare(
    sides: Sequence[NodeEmbedding], depths: Sequence[int], solver: Solver, dtype: DTypeLike = np.float64
) -> Problem:
    """Prepare the distances between embedded graphs.

    Parameters
    ----------
    sides : one or two NodeEmbedding
        The embedded graphs; those of one side are compared with each other.
    depths : sequence of int
        The depths to compute, in any order; they are sorted, and repeats are dropped.
    solver : Exact, Sinkhorn or Sliced
        The solver; with random lines, its seed must be a number.
    dtype : float64 or float32
        The type of the result.

    Returns
    -------
    Problem
        Ready for :func:`wassergraph.pairwise.solve.solve`.
    """
    check_sides(sides, solver)
    if not depths:
        raise InputError("there are no depths", remedy="pass at least one")
    wanted = tuple(sorted(set(depths)))
    cut = [side.upto(wanted[-1]) for side in sides]
    sizes = [size_terms(side) for side in cut]
    common = _Common((len(cut[0]), len(cut[-1])), len(cut) == 1, wanted, check_dtype(dtype), sizes[0], sizes[-1])
    prepare_as = _PREPARE[problem_type(cut[0], solver)]
    return prepare_as(cut, common, solver)


class _Common(NamedTuple):
    """The fields that all problems have."""

    shape: tuple[int, int]
    symmetric: bool
    depths: tuple[int, ...]
    dtype: np.dtype[Any]
    left_size: FloatArray | None
    right_size: FloatArray | None


def size_terms(side: NodeEmbedding) -> FloatArray | None:
    """Return a number for each graph; the absolute difference of two is added to their distance.

    The closed form for counts of labels charges ½ for a node without a partner, and the rest of the price is here.
    """
    nodes = np.diff(side.ptr).astype(np.float64)
    more = side.unmatched - 0.5 if side.counted and side.kind == "categorical" else 0.0
    if side.size_weight == 0 and more == 0:
        return None
    return np.asarray(side.size_weight * np.log(np.maximum(nodes, 1.0)) + more * nodes)


def _label_problem(sides: list[NodeEmbedding], common: _Common, solver: Solver) -> LabelProblem:
    bags = [LabelBags(side.ptr, side.codes) for side in sides if side.codes is not None]
    masses = [node_masses(side, weighted=is_weighted(sides), total=weighted_total(1)) for side in sides]
    counted = histograms(bags, [mass for mass, _ in masses], shared_only=True)
    sizes = [label_sizes(side, total.astype(np.float64)) for side, (_, total) in zip(sides, masses, strict=True)]
    return LabelProblem(
        **common._asdict(), left=counted[0], right=counted[-1], left_sizes=sizes[0], right_sizes=sizes[-1]
    )


def label_sizes(side: NodeEmbedding, total: FloatArray) -> Sizes:
    """Return the sizes of graphs for shares or for counts; core/labels.hpp says why."""
    return Sizes(np.ones_like(total), (total - 1) / 2) if side.counted else Sizes(total, np.zeros_like(total))


def _line_problem(sides: list[NodeEmbedding], common: _Common, solver: Solver) -> LineProblem:
    exponent = scale_exponent(sides)
    clouds = pack_clouds(sides, exponent)
    directions = _directions(sides[0], common.depths, solver) if isinstance(solver, Sliced) else (np.ones((1, 1)),)
    return LineProblem(**common._asdict(), left=clouds[0], right=clouds[-1], directions=directions, exponent=exponent)


def _directions(side: NodeEmbedding, depths: tuple[int, ...], solver: Sliced) -> tuple[FloatArray, ...]:
    """Draw random lines; those of a smaller depth are the first coordinates of those of the largest."""
    random = np.random.default_rng(solver.random_state)
    drawn = random.normal(size=(solver.n_projections, side.dim * (side.depth + 1)))
    cut = [drawn[:, : (depth + 1) * side.dim] for depth in depths]
    return tuple(lines / np.linalg.norm(lines, axis=1, keepdims=True) for lines in cut)


def _transport_problem(sides: list[NodeEmbedding], common: _Common, solver: Solver) -> TransportProblem:
    first, sinkhorn = sides[0], isinstance(solver, Sinkhorn)
    reg, tol = (float(solver.reg), float(solver.tol)) if isinstance(solver, Sinkhorn) else (0.0, 0.0)
    max_iter = most_steps(solver) or (_SINKHORN_ROUNDS if sinkhorn else 0)
    label_cost = 0.0 if first.codes is None else 1.0 if first.points is None else first.label_weight
    prices = first.prices
    exponent = scale_exponent(sides, label_cost, reg, *prices.tolist())
    packed = pack_sides(sides, exponent, nested=len(common.depths) > 1 and not sinkhorn)
    return TransportProblem(
        **common._asdict(),
        left=packed[0],
        right=packed[-1],
        solver="sinkhorn" if sinkhorn else "exact",
        width=first.dim * (first.depth + 1),
        dim=first.dim,
        label_weight=first.label_weight,
        label_cost=math.ldexp(label_cost, -exponent),
        prices=np.ldexp(prices, -exponent),
        exponent=exponent,
        reg=math.ldexp(reg, -exponent),
        tol=tol,
        max_iter=int(max_iter),
    )


_Prepare: TypeAlias = Callable[[list[NodeEmbedding], _Common, Solver], Problem]
_PREPARE: dict[type[Problem], _Prepare] = {
    LabelProblem: _label_problem,
    LineProblem: _line_problem,
    TransportProblem: _transport_problem,
}
