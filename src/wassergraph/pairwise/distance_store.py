"""DistanceStore: a matrix of distances on disk that is used like an array."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import DTypeLike, NDArray

from wassergraph.arrays import IntArray
from wassergraph.errors import InputError, Option
from wassergraph.pairwise.store import (
    check_inputs,
    check_unchanged,
    finished,
    is_damaged,
    open_array,
    read_grid,
    read_header,
    readable,
)

Index: TypeAlias = int | slice | IntArray


class DistanceStore:
    """Distances on disk, which are read when they are indexed.

    Functions that take distances take a store as well. ``np.asarray(store)`` reads all of it into memory. Indices mean
    what they mean for numpy arrays; whole tiles are read, so that an index of neighboring rows is faster than rows at
    random places.

    :func:`wassergraph.distances` with ``out`` and :func:`wassergraph.open_distances` return stores.

    Attributes
    ----------
    path : Path
        The folder of the store.
    recipe : dict
        What the distances were computed from, and how.
    digest : str
        A digest of the recipe and of the embedded graphs.
    computed_with : dict
        The commit, and the versions of libraries, that the store was created with.
    shape : tuple of int
        (N, M), or (len(depth), N, M) if it was computed for a sequence of depths.
    dtype : numpy.dtype
        float64 or float32.
    tile_shape : (int, int)
        The number of rows and of columns of a tile.
    ndim : int
        The number of axes, 2 or 3.
    size : int
        The number of entries.
    nbytes : int
        The number of bytes that all entries take in memory.

    See Also
    --------
    open_distances : open a store
    distances : compute distances, with ``out`` into a store

    Examples
    --------
    >>> import tempfile
    >>> import wassergraph as wg
    >>> graphs, y = wg.load_dataset("demo")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     D = wg.distances(graphs, metric=wg.WWL(2), out=f"{folder}/D.zarr")
    ...     K = wg.kernels.laplacian_kernel(D, gamma=1.0)
    >>> D.shape, K.shape
    ((60, 60), (60, 60))
    """

    def __init__(self, path: Path) -> None:
        header = read_header(path)
        self.path = path
        self.recipe, self.digest, self.computed_with = header.recipe, header.digest, header.computed_with
        self._array = open_array(path)
        self._one_depth = np.ndim(self.recipe["depth"]) == 0
        self.shape: tuple[int, ...] = self._array.shape[1:] if self._one_depth else self._array.shape
        self.dtype: np.dtype[Any] = self._array.dtype
        self.tile_shape: tuple[int, int] = self._array.chunks[1:]

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of entries."""
        return int(np.prod(self.shape))

    @property
    def nbytes(self) -> int:
        """The number of bytes that all entries take in memory."""
        return self.size * self.dtype.itemsize

    def __len__(self) -> int:
        return self.shape[0]

    def __iter__(self) -> Iterator[NDArray[Any]]:
        at_a_time = 1 if self.ndim == 3 else self.tile_shape[0]  # each tile is read once
        for first in range(0, len(self), at_a_time):
            yield from self[first : first + at_a_time]

    def __repr__(self) -> str:
        return f"DistanceStore({str(self.path)!r}, shape={self.shape}, dtype={self.dtype})"

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:
        if copy is False:
            raise ValueError("a store cannot be used as an array without a copy in memory: pass copy=None or copy=True")
        return np.asarray(self[...], dtype=dtype)

    def __getitem__(self, key: Any) -> Any:
        """Read a part of the distances; the index means what it means for a numpy array."""
        index = _spread(key, self.shape)
        return self._read_pairs(index) if _is_list_of_pairs(index) else self._read_block(index)

    def _read_block(self, index: list[Index]) -> Any:
        """Read the rectangle that contains all wanted entries, and index it like any array."""
        axes = [_wanted(part, n) for part, n in zip(index, self.shape, strict=True)]
        selection = [_as_slice(positions) for positions, _ in axes]
        with readable(self.path, "a part of this store", mendable=True):
            block = np.asarray(self._array.oindex[(0, *selection) if self._one_depth else tuple(selection)])
        self._check_complete(block)
        return block[tuple(inside for _, inside in axes)]

    def _check_complete(self, values: NDArray[Any]) -> None:
        """Raise an error if a tile was removed, or if these values are those of another store."""
        check_unchanged(self.path, self.digest)
        if np.isnan(values).any():
            problem = "tiles were removed after the store was opened"
            raise InputError(problem, remedy="repeat the call that computed it", file=self.path)

    def _read_pairs(self, index: list[Index]) -> NDArray[Any]:
        """Read single entries, given by lists of rows and columns, without the rectangle that contains them."""
        rows, columns = np.asarray(index[-2]), np.asarray(index[-1])
        depths = np.int64(0) if self._one_depth else np.arange(self.shape[0])[index[0]]
        values = np.empty((depths.size, rows.size), dtype=self.dtype)
        with readable(self.path, "a part of this store", mendable=True):
            for slot, depth in enumerate(np.atleast_1d(depths).tolist()):
                values[slot] = self._array.vindex[depth, rows, columns]
        self._check_complete(values)
        return values.reshape(*depths.shape, rows.size)


def _spread(key: Any, shape: tuple[int, ...]) -> list[Index]:
    """Return an index for every axis: a number, a slice, or an array of positions, none of them negative."""
    parts = list(key) if isinstance(key, tuple) else [key]
    given = [part for part in parts if part is not Ellipsis]
    if len(given) > len(shape) or len(parts) > len(given) + 1:
        raise IndexError(f"the distances have {len(shape)} axes, but the index is for {len(given)}")
    before = next((number for number, part in enumerate(parts) if part is Ellipsis), len(given))
    filled = given[:before] + [slice(None)] * (len(shape) - len(given)) + given[before:]
    return [_check_part(part, axis, n) for axis, (part, n) in enumerate(zip(filled, shape, strict=True))]


def _check_part(part: Any, axis: int, n: int) -> Index:
    if isinstance(part, slice):
        return part
    positions = np.asarray(part)
    if positions.dtype == np.bool_ and positions.shape == (n,):
        positions = np.flatnonzero(positions)
    if not positions.size and positions.ndim:
        positions = positions.astype(np.int64)
    if part is None or positions.dtype.kind not in "iu":
        raise IndexError(
            f"a store is indexed with numbers, slices and arrays of positions, got {part!r}; for anything else, use "
            "np.asarray(store)"
        )
    outside = (positions < -n) | (positions >= n)
    if outside.any():
        raise IndexError(
            f"index {positions[outside].flat[0]} is out of range for axis {axis} with {n} graphs or depths"
        )
    positions = np.where(positions < 0, positions + n, positions).astype(np.int64)
    return positions if positions.ndim else int(positions)


def _is_list_of_pairs(index: list[Index]) -> bool:
    """Return whether rows and columns are lists of the same length, as in ``D[[0, 1], [5, 7]]``, and depths are not."""
    *first, rows, columns = index
    if not (isinstance(rows, np.ndarray) and isinstance(columns, np.ndarray)):
        return False
    with_depths = any(isinstance(part, np.ndarray) for part in first)
    return not with_depths and rows.ndim == columns.ndim == 1 and rows.shape == columns.shape


def _wanted(part: Index, n: int) -> tuple[IntArray, Index]:
    """Return the positions of an axis to read, increasing, and the index of the part among these."""
    if isinstance(part, int):
        return np.array([part]), 0
    if isinstance(part, slice):
        positions = np.arange(n)[part]
        backwards = part.step is not None and part.step < 0
        return (positions[::-1], slice(None, None, -1)) if backwards else (positions, slice(None))
    positions, inside = np.unique(part, return_inverse=True)
    return positions, inside.reshape(part.shape)


def _as_slice(positions: IntArray) -> slice | IntArray:
    """Return positions that follow each other as a slice, which is read faster."""
    if len(positions) and positions[-1] - positions[0] + 1 == len(positions):
        return slice(int(positions[0]), int(positions[-1]) + 1)
    return positions if len(positions) else slice(0, 0)


def open_distances(path: str | Path, *, verify: bool = False) -> DistanceStore:
    """Open distances that were computed with ``distances(..., out=path)`` or ``wassergraph distances``.

    Parameters
    ----------
    path : str or Path
        The folder of the store.
    verify : bool
        Whether to read all of it, and compare the checksums.

    Returns
    -------
    DistanceStore
        The distances; nothing is read before they are used.

    Raises
    ------
    ValueError
        If the path is not a store, tiles are missing, or a checksum is wrong.

    See Also
    --------
    DistanceStore : what is returned
    distances : compute distances, with ``out`` into a store

    Examples
    --------
    >>> import tempfile
    >>> import wassergraph as wg
    >>> graphs, y = wg.load_dataset("demo")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     D = wg.distances(graphs, metric=wg.WWL(2), out=f"{folder}/D.zarr")
    ...     again = wg.open_distances(f"{folder}/D.zarr")
    ...     bool((again[:3] == D[:3]).all())
    True
    """
    target = Path(path).absolute()
    header = read_header(target)
    grid = read_grid(target, header)
    missing = int(np.count_nonzero(~finished(target, grid)))
    if missing:
        problem = f"{missing:,} of {len(grid):,} tiles ({missing / len(grid):.0%}) are missing"
        raise InputError(problem, remedy="repeat the call that began the store to compute them", file=path)
    if verify:
        check_inputs(target, header)
        damaged = sum(is_damaged(target, tile, symmetric=grid.symmetric) for tile in grid)
        if damaged:
            problem = f"{damaged:,} of {len(grid):,} tiles are damaged"
            remedy = "repeat the call that computed them, with {}"
            raise InputError(problem, remedy=remedy, options=[Option("verify", True)], file=path)
    return DistanceStore(target)
