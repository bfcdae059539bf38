"""Groups of graphs, which folds keep together: read from a column, or clusters of distances."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform

from wassergraph.arrays import BoolArray, FloatArray, IntArray
from wassergraph.errors import InputError, Option
from wassergraph.graphs.invariants import check_choice, check_whole, count
from wassergraph.kernels.laplacian import check_distances

#: The distance of two clusters: the largest of their graphs, or the mean.
Linkage: TypeAlias = Literal["complete", "average"]
#: Cells without a value, in lower case, as tables and pandas write them.
_MISSING = ("", "nan", "<na>")


def optional_groups(groups: ArrayLike | None, n_graphs: int) -> IntArray | None:
    """Read the groups that a user passes to ``fit``, if any: see :func:`read_groups`."""
    return None if groups is None else read_groups(np.asarray(groups).tolist(), n_graphs)


def read_groups(column: Sequence[Any] | NDArray[Any], n_graphs: int, *, name: str = "groups") -> IntArray:
    """Read a column of group names.

    Parameters
    ----------
    column : (n_graphs) array
        The name of the group of every graph, as text or numbers. Spaces around a name are ignored.
    n_graphs : int
        The number of graphs.
    name : str
        The name of the column, for messages.

    Returns
    -------
    (n_graphs) integers
        The groups, numbered from 0.

    Raises
    ------
    ValueError
        If a cell has no value: is empty, None or NaN.

    Examples
    --------
    >>> read_groups(["b", "a ", "b"], 3)
    array([1, 0, 1])
    """
    cells = read_cells(column, n_graphs, name, remedy="write the name of a group, or leave the row out")
    return np.unique(cells, return_inverse=True)[1]


def distance_groups(
    distances: ArrayLike,
    *,
    n_clusters: int | None = None,
    threshold: float | None = None,
    method: Linkage = "complete",
) -> IntArray:
    """Group graphs by hierarchical clustering of their distances.

    Parameters
    ----------
    distances : (n_graphs, n_graphs) floats
        The distances of the graphs, as of :func:`wassergraph.distances` for one depth.
    n_clusters : int, optional
        The number of clusters; there are fewer if distances are equal.
    threshold : float, optional
        The distance of clusters above which they are not joined. One of the two is needed.
    method : "complete" or "average"
        The distance of two clusters: the largest distance of their graphs, or the mean. With "complete", no two graphs
        of a cluster are farther apart than the threshold, and clusters are of more similar size.

    Returns
    -------
    (n_graphs) integers
        The groups, numbered from 0.

    Raises
    ------
    ValueError
        If the distances are not a symmetric matrix, or if none or both of n_clusters and threshold are given.

    Examples
    --------
    >>> distance_groups([[0, 1, 9], [1, 0, 8], [9, 8, 0]], threshold=2)
    array([0, 0, 1])
    """
    check_choice("method", method, Linkage)
    matrix = _square_distances(distances)
    if (n_clusters is None) == (threshold is None):
        options = [Option("n_clusters"), Option("threshold")]
        raise InputError("{} and {} are both given, or both missing", remedy="pass one of them", options=options)
    tree = linkage(squareform(matrix, checks=False), method)
    if n_clusters is not None and check_whole("n_clusters", n_clusters, 2) >= len(matrix):
        threshold = 0.0  # as many clusters as there are different graphs; "maxclust" would separate equal ones
    if threshold is not None:
        return np.asarray(fcluster(tree, threshold, "distance") - 1, dtype=np.int64)
    return np.asarray(fcluster(tree, n_clusters, "maxclust") - 1, dtype=np.int64)


def _square_distances(distances: ArrayLike) -> FloatArray:
    matrix = np.asarray(check_distances(distances), dtype=np.float64)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or len(matrix) < 2:
        problem = f"distances must be square, (N, N) of two graphs or more, got the shape {matrix.shape}"
        raise InputError(problem, remedy="pass those of one depth, such as distances[-1]")
    if not np.allclose(matrix, matrix.T, rtol=1e-5, atol=0):
        raise InputError("distances are not symmetric", remedy="pass distances of the same graphs in rows and columns")
    return matrix


def whole_groups(groups: IntArray, n_graphs: int, random: np.random.RandomState) -> BoolArray:
    """Draw whole groups with up to so many graphs in all; return which graphs these are (n).

    Groups (n), numbered from 0, are taken in random order, except those that would be too many graphs.
    """
    sizes = np.bincount(groups)
    is_drawn = np.zeros(len(sizes), dtype=np.bool_)
    for group in random.permutation(len(sizes)):
        is_drawn[group] = sizes[group] <= n_graphs
        n_graphs -= sizes[group] * is_drawn[group]
    return is_drawn[groups]


def read_cells(column: Sequence[Any] | NDArray[Any], n_graphs: int, name: str, *, remedy: str) -> list[str]:
    """Return cells as text; raise an error if one has no value."""
    cells = ["" if cell is None else str(cell).strip() for cell in column]
    check_length(len(cells), n_graphs, f"the column {name!r}")
    missing = [row for row, cell in enumerate(cells) if cell.lower() in _MISSING]
    if missing:
        problem = (
            f"{count(len(missing), 'cell')} of the column {name!r} {'has' if len(missing) == 1 else 'have'} no value"
        )
        raise InputError(f"{problem}, the first here", remedy=remedy, graph=missing[0])
    return cells


def check_length(n_values: int, n_graphs: int, name: str) -> None:
    """Raise an error unless there is one value for each graph."""
    if n_values != n_graphs:
        problem = f"there are {count(n_graphs, 'graph')}, but {count(n_values, 'value')} in {name}"
        raise InputError(problem, remedy="pass one value for each graph")
