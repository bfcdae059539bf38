"""From embeddings to distance matrices: the pairs are cut into blocks, run on threads, gathered, and watched.

Whatever the number of threads and the cut, each pair is computed by the same steps: results are the same to the last
bit.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from wassergraph.distances.blocks import RandomState, line_tasks, pair_tasks, sliced_tasks, tree_tasks
from wassergraph.embedding.attributes import Isolated
from wassergraph.embedding.embed import embed_all
from wassergraph.embedding.node_embedding import NodeEmbedding
from wassergraph.embedding.scheme import Kind, learn_scheme
from wassergraph.graphs.batch import GraphBatch
from wassergraph.parallel.threads import run_tasks

Solver: TypeAlias = Literal["auto", "exact", "sinkhorn", "sliced"]


def wwl_distances(
    graphs: GraphBatch,
    others: GraphBatch | None = None,
    *,
    depth: int | Sequence[int] = 3,
    kind: Kind = "auto",
    standardize: bool = False,
    isolated: Isolated = "halve",
    label_weight: float = 0.5,
    weights: ArrayLike | None = None,
    other_weights: ArrayLike | None = None,
    solver: Solver = "auto",
    reg: float | None = None,
    tol: float = 1e-9,
    max_iter: int | None = None,
    n_projections: int = 100,
    random_state: RandomState = None,
    n_jobs: int | None = None,
    progress: bool = False,
    dtype: DTypeLike = np.float64,
) -> NDArray[Any]:
    """Compute the Wasserstein Weisfeiler–Lehman distances between graphs, exactly unless another solver is asked for.

    D(G, G') is the least cost of moving the nodes of G onto those of G', each graph having a mass of 1, where moving a
    node costs the distance of the embeddings (:func:`wassergraph.wl_embedding`): normalized Hamming for labels,
    Euclidean for attributes.

    Parameters
    ----------
    graphs : GraphBatch
        N graphs. The embedding (which kind, the scale of the attributes) is learned from these.
    others : GraphBatch, optional
        M graphs to compare them with; by default the graphs themselves.
    depth : int or sequence of int
        The Weisfeiler–Lehman iterations H. All depths of a sequence are computed in one go.
    kind, standardize, isolated, label_weight
        How to embed the nodes: see :func:`wassergraph.wl_embedding`.
    weights, other_weights : (n_nodes) floats, optional
        The mass of every node of the graphs, and of the others; all alike by default. How finely masses are told apart
        is said in :func:`wassergraph.wl_embedding`.
    solver : "auto", "exact", "sinkhorn" or "sliced"
        "auto" is exact: a closed form for labels and for one-dimensional attributes, a network simplex otherwise.
        "sinkhorn" gives the cost of the entropic plan, as in the paper, which is not 0 even between equal graphs;
        "sliced" the mean over random lines, which is fast for large graphs and gives a positive definite kernel.
    reg : float
        With "sinkhorn", the strength of the entropy, the paper's γ.
    tol : float
        With "sinkhorn", how far the marginals may be off, added up over all nodes.
    max_iter : int, optional
        The most pivots, or rounds of Sinkhorn, for each pair of graphs and each depth; reaching it is an error.
    n_projections, random_state
        With "sliced", how many random lines, and the seed that draws them.
    n_jobs : int, optional
        The number of threads; None means 1, and -1 all processors.
    progress : bool
        Whether to show a progress bar.
    dtype : float64 or float32
        The type of the result; the computation is always in float64.

    Returns
    -------
    distances : (N, M), or (len(depth), N, M) for a sequence of depths

    Examples
    --------
    >>> import wassergraph as wg
    >>> graphs, y = wg.load_dataset("demo")
    >>> D = wg.wwl_distances(graphs, depth=2)
    >>> D.shape, float(D[0, 0])
    ((60, 60), 0.0)
    """
    depths = [operator.index(h) for h in depth] if np.ndim(depth) else [operator.index(depth)]  # type: ignore[union-attr,arg-type]
    if not depths or min(depths) < 0:
        raise ValueError(f"depth must be a number from 0 on, or a sequence of them, got {depth!r}")
    scheme = learn_scheme(graphs, kind=kind, standardize=standardize, isolated=isolated, label_weight=label_weight)
    if others is not None and not isinstance(others, GraphBatch):
        raise TypeError(f"others must be a GraphBatch, got a {type(others).__name__}")
    if others is None and other_weights is not None:
        raise ValueError("other_weights are the masses of the nodes of others, which are not given: use weights")
    batches = [graphs] if others is None else [graphs, others]
    _, embedded = embed_all(scheme, batches, max(depths), [weights, other_weights][: len(batches)])
    result = embedding_distances(
        embedded[0],
        None if others is None else embedded[1],
        depths=depths,
        solver=solver,
        reg=reg,
        tol=tol,
        max_iter=max_iter,
        n_projections=n_projections,
        random_state=random_state,
        n_jobs=n_jobs,
        progress=progress,
        dtype=dtype,
    )
    return result if np.ndim(depth) else result[0]


def embedding_distances(
    left: NodeEmbedding,
    right: NodeEmbedding | None = None,
    *,
    depths: Sequence[int],
    solver: Solver = "auto",
    reg: float | None = None,
    tol: float = 1e-9,
    max_iter: int | None = None,
    n_projections: int = 100,
    random_state: RandomState = None,
    n_jobs: int | None = None,
    progress: bool = False,
    dtype: DTypeLike = np.float64,
) -> NDArray[Any]:
    """Compute the distances between embedded graphs for several depths (len(depths), N, M).

    The parameters are those of :func:`wwl_distances`.
    """
    max_iter = _check_options(left, solver, reg, tol, max_iter, n_projections, dtype)
    _check_same_kind(left, right)
    steps = sorted(set(depths))
    if not steps:
        raise ValueError("depths is empty: give at least one depth")
    left = left.upto(steps[-1])
    right = None if right is None else right.upto(steps[-1])
    out = np.zeros((len(steps), len(left), len(left if right is None else right)), dtype=dtype)
    stop = np.zeros(1, dtype=np.bool_)
    wanted = np.isin(np.arange(steps[-1] + 1), steps)
    if solver in ("auto", "exact") and left.kind == "categorical":
        plan = tree_tasks(left, right, wanted, out, stop)
    elif solver == "sliced":
        plan = sliced_tasks(left, right, steps, n_projections, random_state, out, stop)
    elif solver in ("auto", "exact") and left.dim == 1 and left.depth == 0 and left.codes is None:
        plan = line_tasks(left, right, out, stop)
    else:
        plan = pair_tasks(left, right, wanted, solver, reg, tol, max_iter, out, stop)
    run_tasks(plan, stop, n_jobs, label="distances", unit="pairs", progress=progress)
    if right is None:
        from wassergraph.transport.tree import mirror

        for matrix in out:
            mirror(matrix)
    places = [steps.index(depth) for depth in depths]
    return out if places == list(range(len(steps))) else out[places]


def _check_options(
    left: NodeEmbedding,
    solver: str,
    reg: float | None,
    tol: float,
    max_iter: int | None,
    n_projections: int,
    dtype: DTypeLike,
) -> int | None:
    """Check all options but the embeddings; give ``max_iter`` as an integer."""
    if solver not in get_args(Solver):
        raise ValueError(f"solver must be one of {get_args(Solver)}, got {solver!r}")
    if (solver == "sinkhorn") != (reg is not None):
        raise ValueError('reg is the strength of the entropy with solver="sinkhorn", and has no meaning otherwise')
    _check_positive("reg", reg)
    _check_positive("tol", tol)
    _check_positive("n_projections", n_projections, whole=True)
    _check_positive("max_iter", max_iter, whole=True)
    if solver == "sliced" and left.kind != "continuous":
        raise ValueError(f'solver="sliced" projects points on lines; the {left.kind} kind has labels: use "auto"')
    if np.dtype(dtype) not in (np.dtype(np.float64), np.dtype(np.float32)):
        raise ValueError(f"dtype must be float64 or float32, got {dtype}")
    return None if max_iter is None else operator.index(max_iter)


def _check_positive(name: str, number: Any, *, whole: bool = False) -> None:
    if number is None:
        return
    sort, top, kind = ("whole number", 2**62, Integral) if whole else ("number", math.inf, Real)
    if not issubclass(type(number), kind):
        raise TypeError(f"{name} must be a {sort}, got {number!r}")
    if not 0 < number < top:
        raise ValueError(f"{name} must be a positive number{' below 2**62' if whole else ''}, got {number}")


def _check_same_kind(left: NodeEmbedding, right: NodeEmbedding | None) -> None:
    if right is None:
        return
    if (right.kind, right.dim, right.depth) != (left.kind, left.dim, left.depth):
        raise ValueError(
            f"the embeddings differ: {left.kind} with {left.dim} attributes and depth {left.depth} against "
            f"{right.kind} with {right.dim} attributes and depth {right.depth}"
        )
    if left.kind == "joint" and left.label_weight != right.label_weight:
        raise ValueError(f"the embeddings differ: label_weight is {left.label_weight} against {right.label_weight}")
