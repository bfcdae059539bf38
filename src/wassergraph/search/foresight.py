"""What an index will take, in time and memory, told before it is made; and the refusal of what will not fit."""

from __future__ import annotations

from time import process_time

from wassergraph.graphs.batch import GraphBatch
from wassergraph.metrics.embed import embed_all
from wassergraph.metrics.scheme import Scheme
from wassergraph.pairwise.foresight import array_bytes, sample_graphs, speedup
from wassergraph.parallel.estimate import Estimate, announce
from wassergraph.parallel.memory import available_memory, check_memory
from wassergraph.parallel.stages import Stages
from wassergraph.search.making import make_searcher

#: The stages of an index.
EMBEDDING, LISTS = "embedding", "lists"
#: How often the arrays of the embedding and of the lists are in memory at once, when they are put together.
_COPIES = 3
#: With fewer graphs, an index fits in any memory, and is made without an estimate.
_MANY = 10_000


def foresee_index(
    graphs: GraphBatch, scheme: Scheme, depth: int, weighted: bool, n_threads: int, stages: Stages
) -> None:
    """Refuse an index that will not fit in memory, and announce what it will take, if somebody wants to know."""
    if not stages.told and len(graphs) < _MANY:
        return
    estimate = estimate_index(graphs, scheme, depth, weighted, n_threads)
    available = available_memory()
    if available is not None and estimate.memory > available:
        most = int(len(graphs) * available / estimate.memory)
        what, remedy = f"an index of {len(graphs):,} graphs", f"divide them among indexes of at most {most:,} graphs"
        check_memory(estimate.memory, what, remedy=remedy)
    if stages.told:
        announce(estimate, stages)


def estimate_index(graphs: GraphBatch, scheme: Scheme, depth: int, weighted: bool, n_threads: int) -> Estimate:
    """Estimate what an index of graphs will take, from that of a sample.

    Parameters
    ----------
    graphs : GraphBatch
        The graphs.
    scheme : Scheme
        How they are embedded.
    depth : int
        The depth.
    weighted : bool
        Whether nodes have weights.
    n_threads : int
        How many threads embed graphs.

    Returns
    -------
    Estimate
    """
    sample = sample_graphs(graphs)
    largest = int(graphs.sizes.max(initial=1))
    begin = process_time()
    _, (embedding,) = embed_all(scheme, [sample], depth, [None])
    embedded = process_time()
    searcher = make_searcher(embedding, weighted=weighted, largest=largest)
    done = process_time()
    growth = graphs.n_nodes / max(sample.n_nodes, 1)
    seconds = {EMBEDDING: growth * (embedded - begin) / speedup(n_threads), LISTS: growth * (done - embedded)}
    n_bytes = array_bytes(embedding) + sum(array.nbytes for array in searcher.arrays.values())
    return Estimate(len(graphs), 0, seconds, _COPIES * growth * n_bytes)
