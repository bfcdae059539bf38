"""The paper's methods: what each makes of graphs, and from which parameters it may choose (appendix A.6)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from wassergraph.arrays import FloatArray
from wassergraph.baselines.hashing import HashGraphKernel
from wassergraph.baselines.histogram import EdgeHistogram, VertexHistogram
from wassergraph.baselines.hopper import GraphHopper
from wassergraph.baselines.rbf import RBFWL, ContinuousVertexHistogram
from wassergraph.baselines.subtree import WLOptimalAssignment, WLSubtree
from wassergraph.distances.api import wwl_distances
from wassergraph.embedding.attributes import Isolated
from wassergraph.graphs.batch import GraphBatch
from wassergraph.learning.grid import ATTRIBUTE_C_VALUES, GAMMAS, LABEL_C_VALUES, Grid

Kind: TypeAlias = Literal["categorical", "continuous", "joint"]

#: The paper's depths.
DEPTHS = tuple(range(8))
#: The paper's strengths of the entropy (appendix A.7), with 0, the exact distance, in the place of 0.01, 0.05 and 0.1:
#: on ENZYMES they are 0.5 % off on average, and 2.5 % at most, and would take half a day. The strongest comes first, so
#: that of equally good ones the most entropic is chosen.
REGS = (10.0, 1.0, 0.5, 0.2, 0.0)
#: How far the marginals of an entropic plan may be off, added up over all nodes. Who changes it changes the format of
#: the cache as well (store.py): it is no part of a recipe.
SINKHORN_TOL = 1e-2


@dataclass(frozen=True)
class Recipe:
    """All that the matrices of a method depend on, beside the graphs.

    Attributes
    ----------
    method : str
        A name of :data:`METHODS`.
    kind : "categorical", "continuous" or "joint"
        Whether labels, attributes or both are compared.
    depths : tuple of int
        The Weisfeiler–Lehman iterations to choose from.
    standardize : bool
        Whether attributes are scaled, by the mean and spread over all graphs; no class is looked at.
    isolated : "halve" or "keep"
        What becomes of the attributes of nodes without neighbors: see :func:`wassergraph.wl_embedding`.
    normalize : bool
        Whether a kernel is divided by the root of k(G, G) k(G', G'). If not, it is divided by one number, the mean of
        its diagonal, which only says what C means.
    regs : tuple of float
        With Sinkhorn, the strengths of the entropy to choose from; 0 is none, the exact distance.
    iterations, draws, seed : int
        With the hash graph kernels, how often attributes are hashed, the mean of how many such kernels is taken, and
        what they are drawn with.
    """

    method: str
    kind: Kind
    depths: tuple[int, ...] = DEPTHS
    standardize: bool = False
    isolated: Isolated = "halve"
    normalize: bool = False
    regs: tuple[float, ...] = ()
    iterations: int = 20
    draws: int = 10
    seed: int = 0


@dataclass(frozen=True)
class Threads:
    """How to compute: as in :func:`wassergraph.wwl_distances`."""

    n_jobs: int | None = None
    progress: bool = False


Compute: TypeAlias = Callable[[GraphBatch, Recipe, Threads], Sequence[FloatArray]]


@dataclass(frozen=True)
class Method:
    """A way to compare graphs.

    ``compute`` gives a matrix for each depth (and reg) of a recipe, or one only if there are no depths. ``distances``
    says that gamma is still to be chosen, ``normalize`` whether its authors normalize it.
    """

    title: str
    kinds: tuple[Kind, ...]
    compute: Compute
    depths: tuple[int, ...] = DEPTHS
    distances: bool = False
    normalize: bool = False
    regs: tuple[float, ...] = ()

    def names(self, recipe: Recipe) -> tuple[dict[str, Any], ...]:
        """Say what tells the matrices of a recipe from each other."""
        regs = [{"reg": reg} for reg in recipe.regs] or [{}]
        depths = [{"depth": depth} for depth in recipe.depths] or [{}]
        return tuple({**depth, **reg} for depth in depths for reg in regs)

    def grid(self, recipe: Recipe) -> Grid:
        """Give the paper's candidates."""
        C_values = LABEL_C_VALUES if recipe.kind == "categorical" else ATTRIBUTE_C_VALUES
        return Grid(self.names(recipe), GAMMAS if self.distances else None, C_values)

    def matrices(self, graphs: GraphBatch, recipe: Recipe, threads: Threads) -> NDArray[Any]:
        """Compute the distances, or kernels, of some graphs (n_matrices, N, N)."""
        matrices = np.stack(self.compute(graphs, recipe, threads))
        if not self.distances:
            scales = np.trace(matrices, axis1=1, axis2=2) / matrices.shape[1]
            matrices /= np.where(scales > 0, scales, 1.0)[:, None, None]  # where nothing is counted, all stays 0
        if not np.isfinite(matrices).all():
            raise ArithmeticError(f"{self.title} is not finite on these graphs: scale their attributes, or standardize")
        return matrices


def _wwl(graphs: GraphBatch, recipe: Recipe, threads: Threads) -> Sequence[FloatArray]:
    entropic: dict[str, Any] = {"solver": "sinkhorn", "tol": SINKHORN_TOL}
    options: list[dict[str, Any]] = [{**entropic, "reg": reg} if reg else {} for reg in recipe.regs] or [{}]
    stacks = [
        wwl_distances(
            graphs,
            depth=recipe.depths,
            kind=recipe.kind,
            standardize=recipe.standardize,
            isolated=recipe.isolated,
            **vars(threads),
            **option,
        )
        for option in options
    ]
    return [stack[place] for place in range(len(recipe.depths)) for stack in stacks]


def _vertices(graphs: GraphBatch, recipe: Recipe, threads: Threads) -> Sequence[FloatArray]:
    return [VertexHistogram(normalize=recipe.normalize, **vars(threads)).fit_transform(graphs)]


def _edges(graphs: GraphBatch, recipe: Recipe, threads: Threads) -> Sequence[FloatArray]:
    return [EdgeHistogram(normalize=recipe.normalize, **vars(threads)).fit_transform(graphs)]


def _gaussian_of(kernel: FloatArray) -> FloatArray:
    """Turn the inner products of histograms into exp(-‖h - h'‖² / 2)."""
    own = kernel.diagonal()
    return np.asarray(np.exp(-0.5 * np.maximum(own[:, None] + own - 2 * kernel, 0.0)))


def _gaussian_vertices(graphs: GraphBatch, recipe: Recipe, threads: Threads) -> Sequence[FloatArray]:
    return [_gaussian_of(kernel) for kernel in _vertices(graphs, recipe, threads)]


def _gaussian_edges(graphs: GraphBatch, recipe: Recipe, threads: Threads) -> Sequence[FloatArray]:
    return [_gaussian_of(kernel / 4) for kernel in _edges(graphs, recipe, threads)]  # both directions are counted


def _subtrees(graphs: GraphBatch, recipe: Recipe, threads: Threads) -> Sequence[FloatArray]:
    kernels = [WLSubtree(depth, normalize=recipe.normalize, **vars(threads)) for depth in recipe.depths]
    return [kernel.fit_transform(graphs) for kernel in kernels]


def _assignments(graphs: GraphBatch, recipe: Recipe, threads: Threads) -> Sequence[FloatArray]:
    kernels = [WLOptimalAssignment(depth, normalize=recipe.normalize, **vars(threads)) for depth in recipe.depths]
    return [kernel.fit_transform(graphs) for kernel in kernels]


def _attributes(recipe: Recipe, threads: Threads) -> dict[str, Any]:
    return {"standardize": recipe.standardize, "normalize": recipe.normalize, **vars(threads)}


def _sums(graphs: GraphBatch, recipe: Recipe, threads: Threads) -> Sequence[FloatArray]:
    options = {"isolated": recipe.isolated, **_attributes(recipe, threads)}
    return [ContinuousVertexHistogram(depth, **options).fit_transform(graphs) for depth in recipe.depths]


def _gaussian(graphs: GraphBatch, recipe: Recipe, threads: Threads) -> Sequence[FloatArray]:
    options = {"isolated": recipe.isolated, **_attributes(recipe, threads)}
    return [RBFWL(depth, **options).fit_transform(graphs) for depth in recipe.depths]


def _gaussian_by_columns(graphs: GraphBatch, recipe: Recipe, threads: Threads) -> Sequence[FloatArray]:
    """Let gamma be one over the number of columns of the embedding, as scikit-learn does if not told otherwise."""
    options = {"isolated": recipe.isolated, **_attributes(recipe, threads)}
    width = 1 if graphs.node_attributes is None else graphs.node_attributes.shape[1]
    gammas = {depth: 1.0 / (width * (depth + 1)) for depth in recipe.depths}
    return [RBFWL(depth, gamma=gamma, **options).fit_transform(graphs) for depth, gamma in gammas.items()]


def _hashed(graphs: GraphBatch, recipe: Recipe, threads: Threads, base: Literal["wl", "sp"]) -> FloatArray:
    options = {"iterations": recipe.iterations, **_attributes(recipe, threads)}
    depths = recipe.depths or (0,)
    total = np.zeros((len(depths), len(graphs), len(graphs)))
    for seed in range(recipe.seed, recipe.seed + recipe.draws):
        total += HashGraphKernel(base, max(depths), random_state=seed, **options).fit_transform_depths(graphs, depths)
    return total / recipe.draws


def _hashed_subtrees(graphs: GraphBatch, recipe: Recipe, threads: Threads) -> Sequence[FloatArray]:
    return list(_hashed(graphs, recipe, threads, "wl"))


def _hashed_paths(graphs: GraphBatch, recipe: Recipe, threads: Threads) -> Sequence[FloatArray]:
    return list(_hashed(graphs, recipe, threads, "sp"))


def _hops(graphs: GraphBatch, recipe: Recipe, threads: Threads) -> Sequence[FloatArray]:
    return [GraphHopper(**_attributes(recipe, threads)).fit_transform(graphs)]


_LABELS: tuple[Kind, ...] = ("categorical",)
_ATTRIBUTES: tuple[Kind, ...] = ("continuous",)

METHODS: dict[str, Method] = {
    "v": Method("V", _LABELS, _vertices, depths=()),
    "e": Method("E", _LABELS, _edges, depths=()),
    "v-gaussian": Method("V (Gaussian)", _LABELS, _gaussian_vertices, depths=()),
    "e-gaussian": Method("E (Gaussian)", _LABELS, _gaussian_edges, depths=()),
    "wl": Method("WL", _LABELS, _subtrees),
    "wl-oa": Method("WL-OA", _LABELS, _assignments),
    "vh-c": Method("VH-C", _ATTRIBUTES, _sums, depths=(0,)),
    "rbf-wl": Method("RBF-WL", _ATTRIBUTES, _gaussian),
    "rbf-wl-columns": Method("RBF-WL (gamma by columns)", _ATTRIBUTES, _gaussian_by_columns),
    "hgk-wl": Method("HGK-WL", _ATTRIBUTES, _hashed_subtrees, normalize=True),
    "hgk-sp": Method("HGK-SP", _ATTRIBUTES, _hashed_paths, depths=(), normalize=True),
    "gh": Method("GH", _ATTRIBUTES, _hops, depths=(), normalize=True),
    "wwl": Method("WWL", ("categorical", "continuous", "joint"), _wwl, distances=True),
    "wwl-sinkhorn": Method("WWL (Sinkhorn)", ("continuous", "joint"), _wwl, distances=True, regs=REGS),
}
