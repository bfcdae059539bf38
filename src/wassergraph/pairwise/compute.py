"""Compute a matrix tile by tile: an engine runs the tiles, and hands their values to a sink."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import DTypeLike, NDArray

from wassergraph.arrays import BoolArray, Stop
from wassergraph.errors import InputTypeError, Option
from wassergraph.pairwise.sinks import ArraySink, Sink
from wassergraph.pairwise.tiles import Tile, TileGrid
from wassergraph.parallel.engine import Engine
from wassergraph.parallel.progress import Progress
from wassergraph.parallel.threads import ThreadEngine

#: Computes a tile (n_layers, rows, columns); pure, and picklable if the engine has workers in other processes.
SolveTile: TypeAlias = Callable[[Tile, Stop], NDArray[Any]]


def run_tiles(
    solve: SolveTile,
    grid: TileGrid,
    sink: Sink,
    engine: Engine,
    *,
    finished: BoolArray | None = None,
    label: str = "distances",
    progress: bool = False,
) -> None:
    """Compute all tiles of a grid and hand each to the sink, with one progress bar over all pairs of graphs.

    Parameters
    ----------
    solve : callable
        Computes a tile.
    grid : TileGrid
        The tiles.
    sink : Sink
        Where they go.
    engine : Engine
        What runs them.
    finished : (n_tiles) bool, optional
        Which tiles, in the order of the grid, need not be computed.
    label, progress
        The name of the progress bar, and whether to show it.
    """
    work: Callable[[Tile, Stop], NDArray[Any] | None] = solve
    workers_write = engine.shares_memory or sink.is_shared
    if workers_write:
        work = partial(_solve_into, solve, sink)
    missing = grid if finished is None else grid.where(~finished)
    total, rest = grid.n_pairs(), sum(grid.n_pairs(tile) for tile in missing)
    costs = dict(zip(missing, missing.costs.tolist(), strict=True))
    with Progress(label, total, "pairs", done=total - rest, work=sum(costs.values()), show=progress) as bar:

        def done(tile: Tile, values: NDArray[Any] | None) -> None:
            if not workers_write:
                sink.write(tile, _check_values(tile, values))
            bar.update(grid.n_pairs(tile), costs[tile])

        engine.run(work, missing, done)


def _solve_into(solve: SolveTile, sink: Sink, tile: Tile, stop: Stop) -> None:
    """Compute one tile and pass it to the sink, unless the work was stopped in between."""
    values = solve(tile, stop)
    if not stop[0]:
        sink.write(tile, values)


def _check_values(tile: Tile, values: Any) -> NDArray[Any]:
    """Return what an executor returned for a tile; raise an error if it is not the values of a tile."""
    if not isinstance(values, np.ndarray) or values.shape[1:] != tile.shape:
        found = f"an array of shape {values.shape}" if isinstance(values, np.ndarray) else repr(values)
        problem = f"{{}} returned {found} in place of {tile.shape[0]} × {tile.shape[1]} distances"
        raise InputTypeError(problem, options=[Option("executor")])
    return values


def fill_array(
    solve: SolveTile,
    grid: TileGrid,
    *,
    n_layers: int = 1,
    dtype: DTypeLike = np.float64,
    engine: Engine | None = None,
    n_jobs: int | None = None,
    label: str = "distances",
    progress: bool = False,
    out: NDArray[Any] | None = None,
) -> NDArray[Any]:
    """Compute all tiles, on threads unless another engine is given, and return them as one array (n_layers, N, M).

    The array is ``out``, if that is given.
    """
    out = np.empty((n_layers, *grid.shape), dtype=dtype) if out is None else out
    sink = ArraySink(out, symmetric=grid.symmetric)
    run_tiles(solve, grid, sink, engine or ThreadEngine(n_jobs), label=label, progress=progress)
    return out
