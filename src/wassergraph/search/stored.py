"""Stored: what a file says about a searcher; every number and every array is checked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from wassergraph.arrays import FloatArray, IntArray
from wassergraph.graphs.saved_values import Arrays
from wassergraph.metrics.node_embedding import NodeEmbedding
from wassergraph.pairwise.prepare import size_terms
from wassergraph.pairwise.scaling import HEADROOM

#: No power of two that floats are divided by is larger, or smaller than its negative.
_MAX_EXPONENT = 4000
#: No scaled coordinate is larger: see pairwise/scaling.py.
LARGEST_POINT = 2.0 ** (HEADROOM + 1)


class Stored(NamedTuple):
    """The numbers and arrays of a searcher, and what the graphs of the index say about them.

    Attributes
    ----------
    numbers : mapping
        Numbers by name.
    arrays : dict
        Arrays by name.
    example : NodeEmbedding
        One of the graphs, embedded: what all of them have, such as codes, their depth and the number of coordinates.
    sizes : (n_graphs) integers
        The numbers of nodes of the graphs.
    weighted : bool
        Whether nodes have weights.
    """

    numbers: Mapping[str, Any]
    arrays: Arrays
    example: NodeEmbedding
    sizes: IntArray
    weighted: bool

    @property
    def largest(self) -> int:
        """The largest number of nodes."""
        return int(self.sizes.max())

    def totals(self, rounded: int) -> IntArray:
        """Return the mass of every graph (n_graphs), which with weights is ``rounded``."""
        return np.full_like(self.sizes, rounded) if self.weighted else self.sizes

    def exponent(self, name: str) -> int:
        """Return a power of two; raise an error unless it is a whole number that floats can have."""
        value = self.numbers[name]
        if not isinstance(value, int) or isinstance(value, bool) or abs(value) > _MAX_EXPONENT:
            raise ValueError(f"{name} is {value!r}, which is no power of two of floats")
        return value

    def array(self, name: str, dtype: DTypeLike, *shape: int | None) -> NDArray[Any]:
        """Return an array; raise an error unless it has this type and shape, where None is any length."""
        if name not in self.arrays:
            raise ValueError(f"{name} is missing")
        array = self.arrays[name]
        fits = array.ndim == len(shape) and all(
            n in (None, length) for n, length in zip(shape, array.shape, strict=True)
        )
        if array.dtype != dtype or not fits:
            wanted = f"{np.dtype(dtype)} ({', '.join('any' if n is None else str(n) for n in shape)})"
            raise ValueError(f"{name} should be {wanted}, but is {array.dtype} {array.shape}")
        return array

    def apart(self) -> FloatArray | None:
        """Return the terms of sizes (n_graphs), if distances have any."""
        return None if size_terms(self.example) is None else self.array("apart", np.float64, len(self.sizes))

    def part(self, prefix: str) -> Stored:
        """Return the same with the arrays whose names begin with a prefix, without it."""
        chosen = {name.removeprefix(prefix): a for name, a in self.arrays.items() if name.startswith(prefix)}
        return self._replace(arrays=chosen)


def check_rising(name: str, pointer: IntArray, end: int, *, step: int = 0) -> None:
    """Raise an error unless a pointer rises from 0 to an end, by at least a step each time."""
    if pointer[0] != 0 or pointer[-1] != end or pointer.min() < 0 or pointer.max() > end:
        raise ValueError(f"{name} does not run from 0 to {end}")
    if (np.diff(pointer) < step).any():
        raise ValueError(f"{name} does not rise")


def check_between(name: str, array: NDArray[Any], least: float, most: float) -> None:
    """Raise an error unless all numbers of an array lie between two limits; none of them may be nan."""
    if array.size and not (array.min() >= least and array.max() <= most):
        raise ValueError(f"{name} has the numbers {array.min()} to {array.max()}, outside of {least} to {most}")


def check_finite(name: str, array: NDArray[Any]) -> None:
    """Raise an error unless all numbers of an array are finite."""
    limits = np.finfo(array.dtype)
    check_between(name, array, float(limits.min), float(limits.max))


def check_equal(name: str, array: NDArray[Any], expected: NDArray[Any]) -> None:
    """Raise an error unless an array is what the graphs of the index say."""
    if not np.array_equal(array, expected):
        raise ValueError(f"{name} does not fit the graphs of the index")


def check_masses(ptr: IntArray, mass: IntArray, total: IntArray, expected: IntArray) -> None:
    """Raise an error unless the masses of nodes are positive and sum to the expected total in every graph.

    A solver moves mass until all of it is moved: it would run past the nodes of a graph whose masses sum to less.
    """
    check_rising("ptr", ptr, len(mass), step=1)
    check_equal("total", total, expected)
    check_between("mass", mass, 1, int(expected.max()))
    check_equal("mass", np.add.reduceat(mass, ptr[:-1], dtype=np.float64), expected)  # integers might wrap around
