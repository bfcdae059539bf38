"""Problems for workers in other processes: they read them from a store, once for each process.

Sending a problem with every tile would be slow, and a copy that a worker holds for others is lost when it dies. A task
is therefore a path, a digest and a tile.
"""

from __future__ import annotations

import tempfile
import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from numpy.typing import DTypeLike, NDArray

from wassergraph.arrays import Stop
from wassergraph.errors import MissingFileError
from wassergraph.metrics.node_embedding import NodeEmbedding
from wassergraph.metrics.solvers import Solver
from wassergraph.pairwise.options import most_steps
from wassergraph.pairwise.problem import Problem
from wassergraph.pairwise.recipe import describe_solver
from wassergraph.pairwise.solve import solve
from wassergraph.pairwise.store import check_unchanged, create_store, read_header, read_problem
from wassergraph.pairwise.tiles import Tile, TileGrid

#: How many problems a process keeps. One run needs one; two runs may use the same cluster.
_KEPT = 2
#: The name of the folder of graphs that are not in a store.
_TEMPORARY = "inputs.zarr"
_problems: OrderedDict[SolveStored, Problem] = OrderedDict()
_loading = threading.Lock()


@dataclass(frozen=True)
class SolveStored:
    """Compute tiles of the problem of a store; it is sent to other processes as a path and a digest.

    Attributes
    ----------
    path : Path
        The folder of the store.
    digest : str
        The digest of the store, so that no other store at the same path is used.
    max_iter : int, optional
        As in :func:`wassergraph.distances`.
    """

    path: Path
    digest: str
    max_iter: int | None = None

    def __call__(self, tile: Tile, stop: Stop) -> NDArray[Any]:
        """Compute a tile (n_depths, rows, columns)."""
        return solve(self._problem(), tile, stop)

    def _problem(self) -> Problem:
        """Return the problem; the first thread of a process that needs it loads it, and others wait."""
        with _loading:
            if self not in _problems:
                _problems[self] = self._load()
                while len(_problems) > _KEPT:
                    _problems.popitem(last=False)
            _problems.move_to_end(self)
            return _problems[self]

    def _load(self) -> Problem:
        if not self.path.is_dir():
            temporary = self.path.name == _TEMPORARY
            place = "set TMPDIR to a folder" if temporary else "put it on a file system"
            problem = "a worker finds no such folder"
            raise MissingFileError(problem, remedy=f"{place} that all workers share", file=self.path)
        check_unchanged(self.path, self.digest)
        return read_problem(self.path, read_header(self.path), self.max_iter)


@contextmanager
def stored_inputs(
    sides: Sequence[NodeEmbedding], depths: Sequence[int], solver: Solver, dtype: DTypeLike, grid: TileGrid
) -> Iterator[SolveStored]:
    """Write embedded graphs to a temporary folder for workers, and yield what computes the tiles of their distances.

    Parameters
    ----------
    sides : one or two NodeEmbedding
        The embedded graphs, as in :func:`wassergraph.pairwise.prepare.prepare`.
    depths, solver, dtype
        As there; a random state must be a number.
    grid : TileGrid
        The tiles.

    Yields
    ------
    SolveStored
        Picklable; it is of no use after the ``with`` block.
    """
    with tempfile.TemporaryDirectory(prefix="wassergraph-", ignore_cleanup_errors=True) as folder:
        path = Path(folder, _TEMPORARY)
        create_store(path, describe_solver(list(depths), solver, dtype), sides, grid)
        yield SolveStored(path, read_header(path).digest, most_steps(solver))
