"""Stores: matrices of distances on disk, written tile by tile. This is the only file that imports Zarr.

    D.zarr/                     a group in the Zarr format, version 3
      zarr.json                 attributes: recipe, digest, computed_with; locked while the store is computed
      distances/c/0/i/j         one file for each tile, which holds all depths and ends with a checksum
      inputs/left, right        the embedded graphs, which workers read

A store is put together under a temporary name and renamed, so that one that exists is complete but for its tiles. Each
tile is renamed likewise: a file that exists is complete. Of a symmetric matrix the tile below the diagonal is written
first, so that a tile is finished if the file on or above the diagonal exists.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wassergraph.arrays import BoolArray
from wassergraph.errors import DiskError, InputError, MissingFileError, Option
from wassergraph.files.atomic import atomic_folder
from wassergraph.files.provenance import current_provenance
from wassergraph.metrics.node_embedding import Features, NodeEmbedding
from wassergraph.optional import require
from wassergraph.pairwise.prepare import prepare
from wassergraph.pairwise.problem import Problem
from wassergraph.pairwise.recipe import Recipe, recipe_digest, solver_of
from wassergraph.pairwise.tiles import Tile, TileGrid, make_grid
from wassergraph.pairwise.work import constant_work

#: The name and the version of the layout above.
_NAME, FORMAT = "wassergraph distances", 1
#: The file that is locked while a store is computed.
LOCKED = "zarr.json"
_DISTANCES, _INPUTS, _SIDES = "distances", "inputs", ("left", "right")
_EMBEDDING_ARRAYS = ("ptr", "codes", "points", "weights")
#: The number of entries in a chunk of the inputs: 8 MiB.
_INPUT_CHUNK = 2**20


@dataclass(frozen=True)
class Header:
    """What a store says about itself."""

    recipe: Recipe
    digest: str
    computed_with: Mapping[str, Any]


def create_store(path: Path, recipe: Recipe, inputs: Sequence[NodeEmbedding], grid: TileGrid) -> None:
    """Create a store without tiles; the path must not exist, or be an empty folder.

    Parameters
    ----------
    path : Path
        The folder of the store.
    recipe : dict
        What :func:`wassergraph.pairwise.recipe.make_recipe` returns.
    inputs : sequence of NodeEmbedding
        One or two sides.
    grid : TileGrid
        The tiles of the matrix.
    """
    require("zarr")
    import zarr

    with _explained(path), atomic_folder(path) as folder:
        group = zarr.create_group(folder, zarr_format=3)
        _write_inputs(group.create_group(_INPUTS), inputs)
        n_depths = len(np.atleast_1d(recipe["depth"]))
        _create_array(
            group,
            _DISTANCES,
            shape=(n_depths, *grid.shape),
            chunks=(n_depths, *grid.edges),
            dtype=recipe["dtype"],
            fill_value=np.nan,
            dimension_names=("depth", "graph", "other"),
        )
        recipe = {**recipe, "tile": list(grid.edges)}  # no two stores with the same digest have different tiles
        made = current_provenance()
        group.update_attributes(
            {
                "format": _NAME,
                "version": FORMAT,
                "recipe": dict(recipe),
                "digest": recipe_digest(recipe, inputs),
                "computed_with": {"commit": made.commit, "versions": dict(made.versions)},
            }
        )


def read_header(path: Path) -> Header:
    """Return what a store says about itself; raise an error if there is no store at the path."""
    require("zarr")
    import zarr

    if not path.is_dir():
        raise MissingFileError("there is no such store", remedy="check the path", file=path)
    try:
        attributes: dict[str, Any] = dict(zarr.open_group(path, mode="r").attrs)
    except (OSError, ValueError, KeyError, TypeError):
        attributes = {}
    if attributes.get("format") != _NAME:
        problem = "this folder is not a store of distances"
        raise InputError(problem, remedy="pass the path of a store, or remove the folder", file=path)
    if attributes.get("version") != FORMAT:
        problem = (
            f"this store has the format {attributes.get('version')}, but this version of wassergraph reads {FORMAT}"
        )
        raise InputError(problem, remedy="use another version of wassergraph", file=path)
    with readable(path, "the recipe"):
        return Header(attributes["recipe"], attributes["digest"], attributes["computed_with"])


def open_array(path: Path, mode: str = "r") -> Any:
    """Open the Zarr array of a store: (n_depths, N, M)."""
    require("zarr")
    import zarr

    # Without the setting, a tile in which all entries are the fill value would not be written.
    with readable(path, "the array"):
        return zarr.open_array(path / _DISTANCES, mode=mode, config={"write_empty_chunks": True})


def read_grid(path: Path, header: Header) -> TileGrid:
    """Return the tiles of a store, row by row."""
    array = open_array(path)
    (n, m), edges = array.shape[1:], array.chunks[1:]
    return make_grid((n, m), constant_work(n, m, 1.0), symmetric=header.recipe["others"] is None, edges=edges)


# Inputs


def _write_inputs(group: Any, inputs: Sequence[NodeEmbedding]) -> None:
    for name, side in zip(_SIDES, inputs, strict=False):
        facts = {"depth": side.depth, **side.ground_rules(), "features": str(side.features)}
        folder = group.create_group(name, attributes=facts)
        for field in _EMBEDDING_ARRAYS:
            values = getattr(side, field)
            if values is not None:
                _write_array(folder, field, np.ascontiguousarray(values))


def _write_array(group: Any, name: str, values: NDArray[Any]) -> None:
    row = max(1, values[:1].size)
    chunks = (max(1, min(len(values), _INPUT_CHUNK // row)), *(max(1, n) for n in values.shape[1:]))
    array = _create_array(group, name, shape=values.shape, chunks=chunks, dtype=values.dtype, fill_value=0)
    array[...] = values


def _create_array(group: Any, name: str, **options: Any) -> Any:
    from zarr.codecs import Crc32cCodec

    config = {"write_empty_chunks": True}
    return group.create_array(name, filters=None, compressors=[Crc32cCodec()], config=config, **options)


def read_inputs(path: Path) -> list[NodeEmbedding]:
    """Read the embedded graphs of a store: one or two sides."""
    require("zarr")
    import zarr

    with readable(path, "the embedded graphs"):
        group: Any = zarr.open_group(path / _INPUTS, mode="r")
        return [_read_side(group[name]) for name in _SIDES if name in group]


def _read_side(group: Any) -> NodeEmbedding:
    facts = dict(group.attrs)
    arrays = {field: group[field][...] for field in _EMBEDDING_ARRAYS if field in group}
    return NodeEmbedding(**{**facts, "features": Features(facts["features"])}, **arrays)


def read_problem(path: Path, header: Header, max_iter: int | None = None) -> Problem:
    """Prepare the problem of a store from its inputs, which are checked."""
    depths = np.atleast_1d(header.recipe["depth"]).tolist()
    return prepare(check_inputs(path, header), depths, solver_of(header.recipe, max_iter), header.recipe["dtype"])


def check_inputs(path: Path, header: Header) -> list[NodeEmbedding]:
    """Return the embedded graphs; raise an error if recipe and inputs are not those that a store was created with."""
    inputs = read_inputs(path)
    if recipe_digest(header.recipe, inputs) != header.digest:
        problem = "the recipe or the embedded graphs of this store were changed or damaged after it was created"
        raise InputError(problem, remedy="remove the store and compute it again", file=path)
    return inputs


def check_unchanged(path: Path, digest: str) -> None:
    """Raise an error if there is another store at a path now, or none."""
    if read_header(path).digest != digest:
        raise InputError("another store has taken the place of this one", remedy="open it again", file=path)


# Tiles


@dataclass(frozen=True)
class StoreSink:
    """Write tiles to a store, from any thread of any process.

    Attributes
    ----------
    path, digest : Path, str
        The folder of the store, and its digest: a worker that is late must not write to a new store at the same path.
    symmetric : bool
        Whether tiles are written on both sides of the diagonal.
    slots : tuple of int
        For each depth of the store, the position among the depths of the values.
    """

    path: Path
    digest: str
    symmetric: bool
    slots: tuple[int, ...]

    @property
    def is_shared(self) -> bool:
        """Whether workers of other processes can write."""
        return True

    def write(self, tile: Tile, values: NDArray[Any]) -> None:
        """Write the values (n_depths, rows, columns) of a tile."""
        check_unchanged(self.path, self.digest)
        array, values = open_array(self.path, "r+"), values[list(self.slots)]
        with _explained(self.path):
            if self.symmetric and not tile.on_diagonal:
                array[:, tile.columns, tile.rows] = np.ascontiguousarray(values.transpose(0, 2, 1))
            array[:, tile.rows, tile.columns] = values


def finished(path: Path, grid: TileGrid) -> BoolArray:
    """Return which tiles of a whole grid, in its order, are in a store, with their copies below the diagonal."""
    table = np.zeros(np.max(grid.order, axis=0, initial=0) + 1, dtype=np.bool_)
    for row in range(len(table)):
        folder = _tile_file(path, row, 0).parent
        files = {entry.name for entry in os.scandir(folder) if entry.is_file()} if folder.is_dir() else set()
        table[row] = [str(column) in files for column in range(table.shape[1])]
    rows, columns = grid.order[:, 0], grid.order[:, 1]
    return np.asarray(table[rows, columns] & table[columns, rows] if grid.symmetric else table[rows, columns])


def _tile_file(path: Path, row: int, column: int) -> Path:
    return path / _DISTANCES / "c" / "0" / str(row) / str(column)


def is_damaged(path: Path, tile: Tile, *, symmetric: bool) -> bool:
    """Return whether a finished tile cannot be read, or its copy below the diagonal, because a checksum is wrong."""
    array = open_array(path)
    try:
        values = array[:, tile.rows, tile.columns]
        copy = array[:, tile.columns, tile.rows] if symmetric else values.transpose(0, 2, 1)
    except Exception:  # damaged bytes make Zarr raise errors of many types
        return True
    return not np.array_equal(values, copy.transpose(0, 2, 1))


def remove_tile(path: Path, grid: TileGrid, tile: Tile) -> None:
    """Remove a finished tile, so that it is computed again."""
    _tile_file(path, *grid.position(tile)).unlink(missing_ok=True)


def remove_partial_files(path: Path) -> None:
    """Remove what killed processes left of files that they were writing."""
    for leftover in (path / _DISTANCES).rglob("*.partial"):
        leftover.unlink(missing_ok=True)


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    """Turn an error of the disk into one that names the store and the remedy."""
    try:
        yield
    except OSError as error:
        problem = f"this store cannot be written: {error.strerror or error}"
        remedy = "finished tiles are kept; repeat the same call when the cause is removed"
        raise DiskError(problem, remedy=remedy, file=path) from error


@contextmanager
def readable(path: Path, part: str, *, mendable: bool = False) -> Iterator[None]:
    """Turn an error of Zarr, which may be of many types, into one that names the store and the remedy."""
    try:
        yield
    except MemoryError:
        raise
    except Exception as error:
        problem = f"{part} cannot be read, because files were damaged or removed ({error})"
        remedy = "repeat the call that computed it, with {}" if mendable else "remove the store and compute it again"
        options = [Option("verify", True)] if mendable else []
        raise InputError(problem, remedy=remedy, options=options, file=path) from error
