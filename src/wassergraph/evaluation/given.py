"""Distances that were computed before, and are evaluated in place of graphs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wassergraph.errors import InputError, Option
from wassergraph.models.given_distances import check_stack
from wassergraph.pairwise.distance_store import DistanceStore


@dataclass(frozen=True, eq=False)
class GivenDistances:
    """The distances between N graphs.

    Attributes
    ----------
    stack : (n_depths, N, N) floats
        The distances.
    depths : tuple of int
        The depths, in increasing order.
    """

    stack: NDArray[Any]
    depths: tuple[int, ...]

    @classmethod
    def read(cls, distances: Any, depth: int | Sequence[int] | None) -> GivenDistances:
        """Read distances, for depths in the same order; by default those of a store, or 0, 1, 2 and so on."""
        stack = check_stack(distances)
        if isinstance(distances, DistanceStore):
            depth = _check_store_depths(distances, depth)
        depths = list(range(len(stack))) if depth is None else [int(h) for h in np.atleast_1d(depth)]
        if len(depths) != len(stack) or len(set(depths)) < len(depths) or min(depths, default=0) < 0:
            problem = (
                f"{{}} must have a different number of at least 0 for each of {len(stack)} matrices, got {depth!r}"
            )
            raise InputError(problem, options=[Option("depth")])
        order = np.argsort(depths)
        is_sorted = bool((np.diff(order) > 0).all())
        return cls(stack if is_sorted else stack[order], tuple(sorted(depths)))

    def __len__(self) -> int:
        return len(self.stack[0])


def _check_store_depths(store: DistanceStore, depth: int | Sequence[int] | None) -> Any:
    """Return the depths of a store; raise an error if others are given."""
    stored = store.recipe["depth"]
    if depth is not None and np.atleast_1d(depth).tolist() != np.atleast_1d(stored).tolist():
        problem = f"{{}} is {stored} in the store, got {depth!r}"
        raise InputError(problem, remedy="leave it out", options=[Option("depth")], file=store.path)
    return stored
