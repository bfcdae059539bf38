"""LineSearch: distances of one attribute at depth 0, where sorting solves transport, to all graphs at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wassergraph.arrays import FloatArray, IntArray, Stop
from wassergraph.metrics.node_embedding import NodeEmbedding
from wassergraph.pairwise.masses import node_masses, weighted_total
from wassergraph.pairwise.prepare import size_terms
from wassergraph.pairwise.problem import Cloud, LineProblem
from wassergraph.pairwise.scaling import scale_down, scale_exponent
from wassergraph.pairwise.solve import solve_pairs
from wassergraph.search.neighbors import FoundGraphs, Wanted, all_solved, nearest
from wassergraph.search.stored import LARGEST_POINT, Stored, check_between, check_equal, check_finite, check_masses


class LineGraphs(NamedTuple):
    """Graphs as points on a line, and the terms of their sizes."""

    cloud: Cloud
    apart: FloatArray | None

    @classmethod
    def of(cls, embedding: NodeEmbedding, exponent: int, *, weighted: bool) -> LineGraphs:
        """Return embedded graphs as points, divided by a power of two."""
        assert embedding.points is not None
        mass, total = node_masses(embedding, weighted=weighted, total=weighted_total(1))
        points = np.ascontiguousarray(scale_down(embedding.points, exponent))
        return cls(Cloud(embedding.ptr.astype(np.int64), points, mass, total), size_terms(embedding))


class LineSearch:
    """Find the nearest graphs by one attribute.

    Parameters
    ----------
    graphs : LineGraphs
        The graphs.
    exponent : int
        Points were divided by 2**exponent.
    weighted : bool
        Whether nodes have weights.
    """

    def __init__(self, graphs: LineGraphs, exponent: int, *, weighted: bool) -> None:
        self._graphs, self._exponent, self._weighted = graphs, exponent, weighted

    @classmethod
    def of(cls, embedding: NodeEmbedding, *, weighted: bool, farthest: float = 0.0) -> LineSearch:
        """Return the search among embedded graphs."""
        exponent = scale_exponent([embedding], farthest)
        return cls(LineGraphs.of(embedding, exponent, weighted=weighted), exponent, weighted=weighted)

    def __len__(self) -> int:
        return len(self._graphs.cloud.ptr) - 1

    @property
    def exponent(self) -> int:
        """Points were divided by 2**exponent."""
        return self._exponent

    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        """All arrays by name."""
        apart = self._graphs.apart
        return self._graphs.cloud._asdict() | ({} if apart is None else {"apart": apart})

    def prepare(self, embedding: NodeEmbedding) -> LineGraphs:
        """Return other graphs as points."""
        return LineGraphs.of(embedding, self._exponent, weighted=self._weighted)

    def prepare_own(self) -> LineGraphs:
        """Return the graphs themselves."""
        return self._graphs

    def find(
        self, queries: LineGraphs, rows: Sequence[int], wanted: Wanted, stop: Stop
    ) -> tuple[list[FoundGraphs], IntArray]:
        """Find the nearest graphs of some queries: see :class:`wassergraph.search.searcher.Searcher`."""
        problem = LineProblem(
            shape=(len(queries.cloud.ptr) - 1, len(self)),
            symmetric=False,
            depths=(0,),
            dtype=np.dtype(np.float64),
            left_size=queries.apart,
            right_size=self._graphs.apart,
            left=queries.cloud,
            right=self._graphs.cloud,
            directions=(np.ones((1, 1)),),
            exponent=self._exponent,
        )
        everyone = np.arange(len(self))
        pairs = (np.column_stack([np.full(len(self), row), everyone]) for row in rows)
        found = [nearest(everyone, solve_pairs(problem, each, stop)[0], wanted) for each in pairs]
        return found, all_solved(len(rows) * len(self))

    # In files

    @property
    def numbers(self) -> dict[str, int]:
        """The numbers that a file holds beside the arrays."""
        return {"exponent": self._exponent}

    @classmethod
    def from_stored(cls, stored: Stored) -> LineSearch:
        """Return the search of a file: see :class:`wassergraph.search.searcher.Searcher`."""
        n_graphs, n_nodes = len(stored.sizes), int(stored.sizes.sum())
        cloud = Cloud(
            ptr=stored.array("ptr", np.int64, n_graphs + 1),
            points=stored.array("points", np.float64, n_nodes, 1),
            mass=stored.array("mass", np.int64, n_nodes),
            total=stored.array("total", np.int64, n_graphs),
        )
        return cls(LineGraphs(cloud, stored.apart()), stored.exponent("exponent"), weighted=stored.weighted)

    def check(self, stored: Stored) -> None:
        """Raise an error unless all numbers are possible."""
        cloud, apart = self._graphs
        check_masses(cloud.ptr, cloud.mass, cloud.total, stored.totals(weighted_total(1)))
        check_equal("ptr", np.diff(cloud.ptr), stored.sizes)
        check_between("points", cloud.points, -LARGEST_POINT, LARGEST_POINT)
        if apart is not None:
            check_finite("apart", apart)
