"""The points of nodes, as the compiled kernels of attributes read them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from wassergraph.arrays import FloatArray, IntArray
from wassergraph.pairwise.layout import ROWS_AT_ONCE, by_feature


class PointSets(NamedTuple):
    """The points of the nodes of many graphs, by node and by feature; :mod:`wassergraph.pairwise.layout` says why."""

    ptr: IntArray  # (n_graphs + 1)
    rows: FloatArray  # ((n_nodes + 3) * width) node by node; the last three are none
    columns: FloatArray  # graph by graph and feature by feature, as by_feature has them
    width: int


def pack_points(ptr: IntArray, points: FloatArray) -> PointSets:
    """Pack the points (n_nodes, width) of graphs."""
    width = points.shape[1]
    rows = np.concatenate([points.ravel(), np.zeros((ROWS_AT_ONCE - 1) * width)])
    return PointSets(ptr, rows, by_feature(ptr, rows, width), width)
