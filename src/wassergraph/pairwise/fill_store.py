"""Compute a store: create it, or continue one that was begun; either way, the same call."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from wassergraph.arrays import Stop
from wassergraph.errors import DiskError, InputError, MissingFolderError, NoFolderError, NotWritableError, Option
from wassergraph.files.atomic import remove_leftovers
from wassergraph.files.locks import claim_file
from wassergraph.metrics.node_embedding import NodeEmbedding
from wassergraph.optional import require
from wassergraph.pairwise.compute import run_tiles
from wassergraph.pairwise.foresight import estimate_distances
from wassergraph.pairwise.prepare import prepare
from wassergraph.pairwise.problem import Problem
from wassergraph.pairwise.recipe import Recipe, check_same, solver_of
from wassergraph.pairwise.solve import solve
from wassergraph.pairwise.store import (
    LOCKED,
    Header,
    StoreSink,
    check_inputs,
    create_store,
    finished,
    is_damaged,
    read_grid,
    read_header,
    read_problem,
    remove_partial_files,
    remove_tile,
)
from wassergraph.pairwise.tiles import ON_DISK, Tile
from wassergraph.pairwise.work import tiles
from wassergraph.pairwise.workers import SolveStored
from wassergraph.parallel.engine import Engine
from wassergraph.parallel.estimate import estimate_wanted, tell
from wassergraph.parallel.progress import Progress
from wassergraph.parallel.threads import ThreadEngine


def fill_store(
    out: str | Path,
    recipe: Recipe,
    embed: Callable[[], Sequence[NodeEmbedding]],
    engine: Engine,
    *,
    max_iter: int | None = None,
    n_jobs: int | None = None,
    verify: bool = False,
    progress: bool = False,
) -> Path:
    """Compute the tiles that a store lacks; create the store if it does not exist.

    Parameters
    ----------
    out : str or Path
        The folder of the store; its name ends with ``.zarr``.
    recipe : dict
        What the distances depend on; the recipe of an existing store must be equal. If lines are to be drawn at random
        and there is no seed, that of the store is used, or one is drawn.
    embed : callable
        Returns the embedded graphs, one or two sides; called only for a new store.
    engine : Engine
        What computes the tiles.
    max_iter : int, optional
        The largest number of steps of a solver, which may differ from that of the call that began the store.
    n_jobs : int, optional
        The number of threads that verify tiles.
    verify : bool
        Whether to read all finished tiles, and compute those again whose checksum is wrong.
    progress : bool
        Whether to show progress bars.

    Returns
    -------
    Path
        The folder.
    """
    path = check_store_target(out)
    problem = None if _exists(path) else _create(path, recipe, embed, max_iter)
    header = read_header(path)
    check_same(header.recipe, _with_seed(recipe, header.recipe), out)
    stored = SolveStored(path, header.digest, max_iter)
    with claim_file(path / LOCKED) as is_mine:
        if not is_mine:
            raise InputError("another process is computing this store", remedy="wait until it ends", file=out)
        remove_leftovers(path)
        remove_partial_files(path)
        if verify:
            _remove_damaged(path, header, n_jobs, progress)
        if not finished(path, read_grid(path, header)).all():
            _fill(stored, header, problem or read_problem(path, header, max_iter), engine, progress)
            _check_finished(path, header)
    return path


def check_store_target(out: str | Path) -> Path:
    """Check that a store can be written to a path, and return the absolute path.

    Links are not resolved, since workers on other machines may have others.
    """
    require("zarr")
    target = Path(out).absolute()
    if Path(out).suffix != ".zarr":
        raise InputError(f"{{}} must end with .zarr, got {str(out)!r}", options=[Option("out")])
    if not target.parent.is_dir():
        raise MissingFolderError(f"there is no folder {Path(out).parent}", remedy="create it first", file=out)
    if target.exists() and not target.is_dir():
        raise NoFolderError("this is a file", remedy="remove it, or choose another path", file=out)
    if not os.access(target if target.exists() else target.parent, os.W_OK):
        raise NotWritableError("there is no permission to write this store", remedy="choose another path", file=out)
    return target


def _exists(path: Path) -> bool:
    return path.is_dir() and any(path.iterdir())


def _create(
    path: Path, recipe: Recipe, embed: Callable[[], Sequence[NodeEmbedding]], max_iter: int | None
) -> Problem | None:
    """Create a store, and return its problem; None if another process has created it in the meantime."""
    sides = embed()
    recipe = _with_seed(recipe, {})
    depths = np.atleast_1d(recipe["depth"]).tolist()
    problem = prepare(sides, depths, solver_of(recipe, max_iter), recipe["dtype"])
    try:
        create_store(Path(os.path.realpath(path)), recipe, sides, tiles(problem, ON_DISK))
    except DiskError:
        if _exists(path):
            return None
        raise
    return problem


def _with_seed(recipe: Recipe, stored: Recipe) -> Recipe:
    """Return a recipe with a seed if it needs one: its own, that of the store, or a new one."""
    if recipe["solver"] != "sliced" or recipe["random_state"] is not None:
        return recipe
    seed = stored.get("random_state")
    return {**recipe, "random_state": int(np.random.default_rng().integers(2**32)) if seed is None else seed}


def _fill(stored: SolveStored, header: Header, problem: Problem, engine: Engine, progress: bool) -> None:
    """Compute the missing tiles of a store."""
    path, solver = stored.path, partial(solve, problem) if engine.shares_memory else stored
    grid = tiles(problem, edges=read_grid(path, header).edges)
    done = finished(path, grid)
    if estimate_wanted(progress):
        share = float(grid.costs[~done].sum() / grid.costs.sum())
        tell(estimate_distances(problem, engine, share=share, size=ON_DISK, stored=True))
    slots = tuple(problem.depths.index(depth) for depth in np.atleast_1d(header.recipe["depth"]).tolist())
    sink = StoreSink(path, header.digest, problem.symmetric, slots)
    run_tiles(solver, grid, sink, engine, finished=done, progress=progress)


def _check_finished(path: Path, header: Header) -> None:
    """Raise an error if a tile is missing although it was computed."""
    if not finished(path, read_grid(path, header)).all():
        problem = "tiles are missing although they were computed"
        raise DiskError(problem, remedy="check the executor and the file system", file=path)


def _remove_damaged(path: Path, header: Header, n_jobs: int | None, progress: bool) -> None:
    """Remove the tiles that cannot be read."""
    check_inputs(path, header)
    grid = read_grid(path, header)
    present = grid.where(finished(path, grid))
    with Progress("checksums", len(present), "tiles", show=progress) as bar:

        def work(tile: Tile, _: Stop) -> bool:
            return is_damaged(path, tile, symmetric=grid.symmetric)

        def done(tile: Tile, damaged: bool) -> None:
            if damaged:
                remove_tile(path, grid, tile)
            bar.update(1)

        ThreadEngine(n_jobs).run(work, present, done)
