"""What a page will take, in time and memory, told before it is made."""

from __future__ import annotations

from wassergraph.graphs.batch import GraphBatch
from wassergraph.metrics.scheme import Scheme
from wassergraph.pairwise.foresight import sample_graphs, sample_scheme
from wassergraph.parallel.estimate import Estimate
from wassergraph.parallel.memory import check_memory

#: The stages of a page.
DISTANCES, MAPS = "distances of the page", "maps"
#: How many matrices are in memory at once: the distances, and those that maps are computed from.
_MATRICES = 4
#: The seconds of t-SNE and of metric scaling: factors, and powers of the number of graphs, as measured from 100 to
#: 3,000 graphs.
_TSNE, _SCALING = (2.8e-4, 1.45), (1.7e-6, 2.0)


def check_page(n_graphs: int) -> None:
    """Raise an error if a page would not fit in memory."""
    check_memory(_page_bytes(n_graphs), f"a page of {n_graphs:,} graphs", remedy="pass a sample of the graphs")


def estimate_page(graphs: GraphBatch, scheme: Scheme, depth: int, n_threads: int, *, given: bool = False) -> Estimate:
    """Estimate what a page of graphs will take.

    Parameters
    ----------
    graphs : GraphBatch
        The graphs.
    scheme : Scheme
        How they are embedded.
    depth : int
        The depth.
    n_threads : int
        How many threads compute distances.
    given : bool
        Whether the distances are there already.

    Returns
    -------
    Estimate
        With the stages of the distances and of the maps.
    """
    n, n_pairs = len(graphs), len(graphs) * (len(graphs) - 1) // 2
    sampled = sample_scheme(scheme, sample_graphs(graphs), [depth], n_threads, n_pairs)
    distances = 0.0 if given else sampled.seconds(n, n_pairs, n_threads)
    maps = sum(factor * n**power for factor, power in (_TSNE, _SCALING))
    return Estimate(n, n_pairs, {DISTANCES: distances, MAPS: maps}, _page_bytes(n))


def _page_bytes(n_graphs: int) -> float:
    return 8.0 * _MATRICES * n_graphs**2
