"""Compute a matrix tile by tile: an engine runs the tiles, and hands their values to a sink."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import DTypeLike, NDArray

from wassergraph.arrays import Stop
from wassergraph.distances.sinks import ArraySink, Sink
from wassergraph.distances.tiles import Tile, TileGrid
from wassergraph.parallel.engine import Engine
from wassergraph.parallel.progress import Progress
from wassergraph.parallel.threads import ThreadEngine

#: Computes a tile (n_layers, rows, columns); pure, and picklable if the engine has workers in other processes.
SolveTile: TypeAlias = Callable[[Tile, Stop], NDArray[Any]]


def run_tiles(
    solve: SolveTile, grid: TileGrid, sink: Sink, engine: Engine, *, label: str = "distances", progress: bool = False
) -> None:
    """Compute all tiles of a grid and hand each to the sink, with one progress bar over all pairs of graphs."""
    with Progress(label, grid.n_pairs(), "pairs", show=progress) as bar:
        engine.run(partial(solve_into, solve, sink), grid, lambda tile: bar.update(grid.n_pairs(tile)))


def solve_into(solve: SolveTile, sink: Sink, tile: Tile, stop: Stop) -> None:
    """Compute one tile and hand it to the sink, unless the work was stopped in between."""
    values = solve(tile, stop)
    if not stop[0]:
        sink.write(tile, values)


def fill_array(
    solve: SolveTile,
    grid: TileGrid,
    *,
    n_layers: int = 1,
    dtype: DTypeLike = np.float64,
    n_jobs: int | None = None,
    label: str = "distances",
    progress: bool = False,
) -> NDArray[Any]:
    """Compute all tiles on threads and return them as one array (n_layers, N, M)."""
    out = np.empty((n_layers, *grid.shape), dtype=dtype)
    sink = ArraySink(out, symmetric=grid.symmetric)
    run_tiles(solve, grid, sink, ThreadEngine(n_jobs), label=label, progress=progress)
    return out
