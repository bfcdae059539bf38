"""Searcher: what finds the nearest of many graphs, for one kind of embedding."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, Self

from numpy.typing import NDArray

from wassergraph.arrays import IntArray, Stop
from wassergraph.metrics.node_embedding import NodeEmbedding
from wassergraph.search.neighbors import FoundGraphs, Wanted
from wassergraph.search.stored import Stored


class Searcher(Protocol):
    """What finds the nearest of many graphs. It does not change, so that several threads can use it."""

    def __len__(self) -> int:
        """Return the number of graphs."""

    @property
    def exponent(self) -> int | None:
        """Points were divided by 2**exponent; None if there are none."""

    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        """All arrays by name, as they are stored."""

    def prepare(self, embedding: NodeEmbedding) -> Any:
        """Prepare other graphs, embedded in the same way, as queries."""

    def prepare_own(self) -> Any:
        """Return the graphs themselves as queries."""

    def find(self, queries: Any, rows: Sequence[int], wanted: Wanted, stop: Stop) -> tuple[list[FoundGraphs], IntArray]:
        """Find the nearest graphs of some queries.

        Parameters
        ----------
        queries : object
            The result of :meth:`prepare` or :meth:`prepare_own`.
        rows : sequence of int
            Which of them.
        wanted : Wanted
            How many graphs, and how near.
        stop : (1) bool
            If another thread sets it to True, the search ends early, and what is returned has no meaning.

        Returns
        -------
        list of FoundGraphs
            The nearest graphs of each query, with the distances that the matrix of all distances has.
        counts : (len(OUTCOMES)) integers
            How many graphs were ruled out by what, and of how many the distance was computed.
        """

    @property
    def numbers(self) -> dict[str, int]:
        """The numbers that a file holds beside the arrays, by name."""

    @classmethod
    def from_stored(cls, stored: Stored) -> Self:
        """Return the searcher of a file; raise an error unless the types and lengths of its arrays fit together."""

    def check(self, stored: Stored) -> None:
        """Raise an error unless all numbers are possible, so that results are right."""
