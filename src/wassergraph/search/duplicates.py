"""find_duplicates: groups of graphs that are equal, or near each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from wassergraph.arrays import IntArray
from wassergraph.errors import InputError, InputTypeError, Option
from wassergraph.formats.detect import as_batch
from wassergraph.graphs.batch import GraphBatch
from wassergraph.graphs.invariants import count
from wassergraph.graphs.slices import offsets
from wassergraph.graphs.values import is_missing
from wassergraph.metrics.depths import single_depth
from wassergraph.metrics.metric import Metric, read_metric, require_exact
from wassergraph.parallel.executors import engine_for
from wassergraph.search.duplicate_groups import Duplicates
from wassergraph.search.equal_graphs import equal_groups, linked_groups
from wassergraph.search.index import GraphIndex
from wassergraph.search.isomorphism import count_different
from wassergraph.search.making import embed_in_parts
from wassergraph.search.members import read_names
from wassergraph.search.neighbors import check_radius


def find_duplicates(
    graphs: object,
    y: Any = None,
    *,
    radius: float = 0.0,
    names: Sequence[str] | None = None,
    metric: Metric | None = None,
    n_jobs: int | None = None,
    progress: bool = False,
) -> Duplicates:
    """Find groups of graphs that are equal for the WWL kernel, or near each other.

    If equal graphs are in both parts of a split, a model is tested on graphs that it has seen: see Ivanov, Sviridov and
    Burnaev (2019), "Understanding isomorphism bias in graph data sets".

    Parameters
    ----------
    graphs : GraphBatch, or graphs of another library
        N graphs.
    y : (N) sequence, optional
        The class, or the number, of every graph; None or NaN where it is not known. Groups whose graphs have different
        ones are listed.
    radius : float
        The largest distance of neighbors. A group consists of all graphs that are connected through neighbors, so that
        with a radius above 0 two of its graphs may be farther apart. With 0, graphs of a group have the same embedding:
        the kernel does not tell them apart at this depth. Attributes are compared up to rounding.
    names : (N) sequence of str, optional
        The names of the graphs; by default their positions.
    metric : WWL, optional
        How graphs are compared, with one depth and the exact solver; by default ``WWL()``. With the mass "share",
        graphs of different sizes may be equal, such as two rings; with "count" they are not.
    n_jobs, progress
        As in :func:`wassergraph.distances`.

    Returns
    -------
    Duplicates
        The groups, and how many graphs of each are really different, with all their data; ``print`` it for a table.

    Raises
    ------
    ValueError
        If an option is wrong, or if there is not one value of y, or one name, for each graph.

    See Also
    --------
    GraphIndex : the nearest graphs
    evaluate : an evaluation without duplicates, with ``deduplicate``

    Examples
    --------
    >>> import wassergraph as wg
    >>> molecules = ["CCO", "CCN", "OCC", "C1CCCCC1", "C1CCCC1"]
    >>> found = wg.find_duplicates(molecules)
    >>> [group.tolist() for group in found.groups], found.different
    ([[0, 2], [3, 4]], [1, 2])
    >>> [group.tolist() for group in wg.find_duplicates(molecules, metric=wg.WWL(mass="count")).groups]
    [[0, 2]]
    """
    metric = read_metric(metric)
    require_exact(metric, "a search for duplicates")
    radius, depth = check_radius(radius), single_depth(metric.depth)
    batch = as_batch(graphs)
    targets, listed = None if y is None else _read_targets(y, len(batch)), read_names(names, len(batch))
    if not len(batch):
        raise InputError("there are no graphs to search among", remedy="pass at least one")
    scheme = metric.learn(batch)
    if radius > 0:
        groups = _near_groups(batch, radius, metric, n_jobs, progress)
    else:
        embedding = embed_in_parts(scheme, batch, depth, None, engine_for(None, n_jobs), progress)[1]
        groups = equal_groups(embedding, n_jobs=n_jobs, progress=progress)
    groups.sort(key=lambda group: (-len(group), int(group[0])))
    different = count_different(batch, groups)
    return Duplicates(groups, different, listed, targets, radius, depth, scheme.compared, batch.noun)


def _near_groups(
    batch: GraphBatch, radius: float, metric: Metric, n_jobs: int | None, progress: bool
) -> list[IntArray]:
    """Return the groups of graphs that are connected through neighbors."""
    index = GraphIndex(batch, metric, n_jobs=n_jobs, progress=progress)
    found = index.neighbors_within(radius, n_jobs=n_jobs, progress=progress)[1]
    near = np.concatenate([np.zeros(0, dtype=np.int64), *found])
    ends = offsets([len(each) for each in found])
    shape = len(batch), len(batch)
    return linked_groups(csr_array((np.ones(len(near), dtype=np.bool_), near, ends), shape=shape))


def _read_targets(y: Any, n_graphs: int) -> list[Any]:
    """Return what is known of each graph, None where nothing is; raise an error unless there is one value for each."""
    if isinstance(y, str) or not hasattr(y, "__len__"):
        raise InputTypeError("{} must have one value for every graph", remedy="pass a list", options=[Option("y")])
    values = [value.item() if isinstance(value, np.generic) else value for value in y]
    if len(values) != n_graphs:
        problem = f"there are {count(n_graphs, 'graph')}, but {count(len(values), 'value')} in {{}}"
        raise InputError(problem, remedy="pass one for each graph", options=[Option("y")])
    return [None if is_missing(value) else value for value in values]
