"""What is compared in place of graphs: the fingerprints of molecules, which need RDKit, or distances that are given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from wassergraph.errors import InputError, Option
from wassergraph.formats.molecule_groups import morgan_counts
from wassergraph.graphs.batch import GraphBatch
from wassergraph.models.given_distances import check_stack
from wassergraph.pairwise.distance_store import DistanceStore


@dataclass(frozen=True, eq=False)
class Fingerprints:
    """The fingerprints of molecules, which take the place of their graphs.

    Attributes
    ----------
    counts : (n_molecules, n_bits) integers
        How often each neighborhood of an atom, hashed to a bit, is in a molecule.
    """

    counts: NDArray[np.uint16]

    @classmethod
    def of(cls, molecules: Any) -> Fingerprints:
        """Compute the fingerprints of SMILES strings or RDKit molecules."""
        return cls(morgan_counts(molecules))

    def __len__(self) -> int:
        return len(self.counts)

    def __getitem__(self, positions: Any) -> Fingerprints:
        return Fingerprints(self.counts[positions])


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


#: What a method compares: graphs, the fingerprints of molecules, or nothing, if distances are given.
Compared: TypeAlias = GraphBatch | Fingerprints | GivenDistances
