"""Problem: everything that a worker needs to compute any part of a matrix of distances.

A problem is frozen and can be pickled. The scales of masses and costs are part of it, so that a tile, a list of pairs
and the whole matrix agree bit for bit, wherever they are computed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from wassergraph.arrays import BoolArray, FloatArray, IntArray
from wassergraph.pairwise.layout import Histogram, Side, Sizes


@dataclass(frozen=True, eq=False)
class Problem:
    """The distances between N and M embedded graphs at several depths, prepared for the solvers.

    Attributes
    ----------
    shape : (N, M)
        The number of graphs on the left and on the right.
    symmetric : bool
        Whether both sides are the same graphs.
    depths : tuple of int
        The depths, in increasing order.
    dtype : numpy.dtype
        The type of the distances; they are always computed in float64.
    left_size, right_size : (N), (M) floats or None
        If graphs of different size are moved apart, a number for each graph; |left - right| is added to distances.
    """

    shape: tuple[int, int]
    symmetric: bool
    depths: tuple[int, ...]
    dtype: np.dtype[Any]
    left_size: FloatArray | None
    right_size: FloatArray | None

    @property
    def includes_diagonal(self) -> bool:
        """Whether a graph may have a positive distance to itself, so that it must be computed."""
        return False

    @property
    def wanted(self) -> BoolArray:
        """Whether each depth from 0 to the largest is among the depths."""
        return np.isin(np.arange(self.depths[-1] + 1), self.depths)


@dataclass(frozen=True, eq=False)
class LabelProblem(Problem):
    """Distances between histograms of labels, in closed form."""

    left: Histogram
    right: Histogram
    left_sizes: Sizes
    right_sizes: Sizes


class Cloud(NamedTuple):
    """The nodes of many graphs as points (n_nodes, width), divided by a power of two, with integer masses."""

    ptr: IntArray
    points: FloatArray
    mass: IntArray
    total: IntArray


@dataclass(frozen=True, eq=False)
class LineProblem(Problem):
    """Distances between points projected on lines, averaged over the lines.

    ``directions`` has an array (n_lines, width of the depth) for every depth. Costs were divided by 2**exponent.
    """

    left: Cloud
    right: Cloud
    directions: tuple[FloatArray, ...]
    exponent: int


@dataclass(frozen=True, eq=False)
class TransportProblem(Problem):
    """Distances by optimal transport between nodes, pair by pair.

    ``width`` is the number of coordinates of a point, ``dim`` that of one depth. Costs were divided by 2**exponent, as
    were ``label_cost``, the cost of labels that differ at all depths, and ``reg``, the strength of the entropy.
    ``prices`` are what a node without a partner costs at each depth up to the largest, if masses are counts.
    ``max_iter`` of 0 means as many steps as the size of the graphs suggests.
    """

    left: Side
    right: Side
    solver: Literal["exact", "sinkhorn"]
    width: int
    dim: int
    label_weight: float
    label_cost: float
    prices: FloatArray
    exponent: int
    reg: float
    tol: float
    max_iter: int

    @property
    def includes_diagonal(self) -> bool:
        """Whether the distance of a graph to itself is computed: an entropic plan also moves mass there."""
        return self.solver == "sinkhorn"
