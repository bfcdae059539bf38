"""Ground costs far from both ends of the range of floats: everything is divided by one power of two, exactly."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wassergraph.arrays import FloatArray, IntArray
from wassergraph.errors import InputError
from wassergraph.metrics.node_embedding import NodeEmbedding

#: The largest cost is brought to about 2 to this power: its square is far from overflow, that of a cost 1e290 times
#: smaller far from underflow.
HEADROOM = 480


def scale_exponent(sides: Sequence[NodeEmbedding], *costs: float) -> int:
    """Return the power of two that all costs are divided by, from the points of both sides and other ``costs``.

    Dividing by a power of two is exact: no result changes by a bit, but attributes of 1e200 or of 1e-200 work.
    """
    points = [side.points for side in sides if side.points is not None and side.points.size]
    largest = max([*costs, *(max(p.max(), -p.min()) for p in points)], default=0.0)
    if not np.isfinite(largest):
        raise InputError(f"the embedding has a point with the coordinate {largest}, which is not a finite number")
    return math.frexp(largest)[1] - HEADROOM


def scale_down(points: FloatArray, exponent: int) -> FloatArray:
    """Return the points divided by two to the power of ``exponent``."""
    return np.asarray(np.ldexp(points.astype(np.float64, copy=False), -exponent))


def scale_up(values: FloatArray, exponent: int, dtype: np.dtype[Any], pairs: IntArray) -> NDArray[Any]:
    """Return the distances (n_depths, k) of pairs (k, 2), scaled back, as numbers of a type that must hold them."""
    with np.errstate(over="ignore", under="ignore"):
        distances: NDArray[Any] = np.ldexp(values, exponent).astype(dtype)
    overflows = np.argwhere(~np.isfinite(distances))
    if overflows.size:
        i, j = pairs[overflows[0, 1]]
        problem = f"the distance between the graphs {i} and {j} is too large for {dtype}"
        raise InputError(problem, remedy="scale the attributes down")
    return distances
