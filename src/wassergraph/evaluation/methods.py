"""The methods that can be evaluated, by name, and the parameters that each may choose from.

They are those that Togninalli et al. (2019) compare, with the candidates of their appendix A.6 for classes; and for
molecules, fingerprints.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from wassergraph.arrays import FloatArray
from wassergraph.baselines.histogram import EdgeHistogram, VertexHistogram
from wassergraph.baselines.hopper import GraphHopper
from wassergraph.baselines.kernel import GraphKernel
from wassergraph.baselines.rbf import RBFWL, ContinuousVertexHistogram
from wassergraph.baselines.subtree import WLOptimalAssignment, WLSubtree
from wassergraph.errors import NotFiniteError, Option
from wassergraph.evaluation import matrices
from wassergraph.evaluation.compared import Compared
from wassergraph.evaluation.matrices import MatrixOptions, Threads
from wassergraph.graphs.values import DecidedTask
from wassergraph.metrics.node_embedding import EmbeddingKind
from wassergraph.tuning.grid import (
    ATTRIBUTE_C_VALUES,
    DEPTHS,
    GAMMAS,
    LABEL_C_VALUES,
    REGRESSION_GAMMAS,
    WIDE_REGRESSION_GAMMAS,
    Grid,
    ridge_grid,
)
from wassergraph.tuning.wide import WIDE_C_VALUES, WIDE_GAMMAS

#: Computes the matrices of graphs.
ComputeMatrices: TypeAlias = Callable[[Any, MatrixOptions, Threads], Sequence[FloatArray]]

#: The strengths of the entropic regularization to choose from; 0 is the exact distance. It replaces all strengths
#: below 0.2, whose distances are close to it (0.5 % on average on ENZYMES) and take much longer. The largest comes
#: first, so that of equally accurate ones the largest is chosen.
REGS = (10.0, 1.0, 0.5, 0.2, 0.0)


@dataclass(frozen=True)
class Method:
    """A way to compare graphs.

    Attributes
    ----------
    title : str
        The name for tables and pictures.
    kinds : tuple of str
        The kinds that the method is defined for; the first is its default.
    compute : callable or None
        Computes one matrix for each depth and regularization of :class:`MatrixOptions`, in the order of
        :meth:`parameters`; None for a wide search, whose matrices :mod:`wassergraph.evaluation.ways` computes.
    depths, regs : tuple
        The depths, and the strengths of the entropic regularization, to choose from.
    distances : bool
        Whether the matrices are distances, so that gamma is chosen, too; otherwise they are kernels.
    normalize : bool
        Whether the kernels are normalized, as the authors of the method do.
    averages : bool
        Whether attributes are averaged over neighbors.
    refines : bool
        Whether labels are refined, perhaps over edge labels.
    random : bool
        Whether kernels are drawn at random, and their mean is taken.
    compares_edges : bool
        Whether edges are compared, not nodes.
    compares_fingerprints : bool
        Whether the fingerprints of molecules are compared, not their graphs.
    is_forest : bool
        Whether a random forest is fitted to features, which take the place of matrices.
    form_of : str or None
        The method that this is another form of. Such forms are not part of "all".
    """

    title: str
    kinds: tuple[EmbeddingKind, ...]
    compute: ComputeMatrices | None
    depths: tuple[int, ...] = DEPTHS
    regs: tuple[float, ...] = ()
    distances: bool = False
    normalize: bool = False
    averages: bool = False
    refines: bool = False
    random: bool = False
    compares_edges: bool = False
    compares_fingerprints: bool = False
    is_forest: bool = False
    form_of: str | None = None

    @property
    def wide(self) -> bool:
        """Whether this is a wide search."""
        return self.compute is None

    @property
    def has_masses(self) -> bool:
        """Whether every node may have the mass 1, which exact transport alone allows."""
        return self.distances and not self.regs and not self.wide

    def parameters(self, options: MatrixOptions) -> tuple[dict[str, Any], ...]:
        """Return the parameters of each matrix: its mass, depth and regularization, where there are any to choose."""
        masses = [{}] if options.masses == ("share",) else [{"mass": mass} for mass in options.masses]
        depths = [{"depth": depth} for depth in options.depths] or [{}]
        regs = [{"reg": reg} for reg in options.regs] or [{}]
        return tuple({**mass, **depth, **reg} for mass in masses for depth in depths for reg in regs)

    def grid(self, options: MatrixOptions, task: DecidedTask = "classification") -> Grid:
        """Return all candidates to choose from; for numbers, those of ridge regression."""
        if task == "regression":
            gammas = WIDE_REGRESSION_GAMMAS if self.wide else REGRESSION_GAMMAS
            return ridge_grid(self.parameters(options), gammas if self.distances else None)
        if self.wide:
            return Grid(self.parameters(options), WIDE_GAMMAS, WIDE_C_VALUES)
        C_values = LABEL_C_VALUES if options.kind == "categorical" else ATTRIBUTE_C_VALUES
        return Grid(self.parameters(options), GAMMAS if self.distances else None, C_values)

    def matrices(self, graphs: Compared, options: MatrixOptions, threads: Threads) -> NDArray[Any]:
        """Compute the distances or kernels of graphs (n_matrices, N, N); kernels have a diagonal with the mean 1.

        For random forests these are the features of the graphs (1, N, n_features).
        """
        assert self.compute is not None, "a wide search has no matrices of its own"
        stack = np.stack(self.compute(graphs, options, threads))
        if not self.distances and not self.is_forest:
            scales = np.trace(stack, axis1=1, axis2=2) / stack.shape[1]
            stack /= np.where(scales > 0, scales, 1.0)[:, None, None]  # a kernel of zeros stays one
        if not np.isfinite(stack).all():
            raise NotFiniteError(
                f"the matrix of {self.title} has entries that are not finite",
                remedy="scale the attributes, or pass {}",
                options=[Option("standardize", True)],
            )
        return stack


_LABELS: tuple[EmbeddingKind, ...] = ("categorical",)
_ATTRIBUTES: tuple[EmbeddingKind, ...] = ("continuous",)
#: The options that comparison kernels have, by name.
_REFINING, _ATTRIBUTED = ("edge_labels", "normalize"), ("standardize", "normalize")
_AVERAGING = ("isolated_nodes", *_ATTRIBUTED)


def _kernel(kernel: type[GraphKernel[Any]], *names: str) -> ComputeMatrices:
    return partial(matrices.kernels, kernel, names)


def _by_columns(kernel: type[GraphKernel[Any]]) -> ComputeMatrices:
    return partial(matrices.kernels_by_columns, kernel, _AVERAGING)


_edges = partial(Method, kinds=_LABELS, depths=(), compares_edges=True)
_averaged = partial(Method, kinds=_ATTRIBUTES, averages=True)
_hashed = partial(Method, kinds=_ATTRIBUTES, normalize=True, random=True)
_fingerprints = partial(Method, kinds=_LABELS, depths=(), compares_fingerprints=True)
_distances = partial(Method, distances=True, averages=True)

METHODS: dict[str, Method] = {
    "v": Method("V", _LABELS, _kernel(VertexHistogram, "normalize"), depths=()),
    "e": _edges("E", compute=_kernel(EdgeHistogram, "normalize")),
    "v-gaussian": Method(
        "V (Gaussian)", _LABELS, partial(matrices.gaussian_histograms, VertexHistogram, 1), depths=(), form_of="v"
    ),
    # Both directions of an edge are counted.
    "e-gaussian": _edges("E (Gaussian)", compute=partial(matrices.gaussian_histograms, EdgeHistogram, 2), form_of="e"),
    "wl": Method("WL", _LABELS, _kernel(WLSubtree, *_REFINING), refines=True),
    "wl-oa": Method("WL-OA", _LABELS, _kernel(WLOptimalAssignment, *_REFINING), refines=True),
    "vh-c": _averaged("VH-C", compute=_kernel(ContinuousVertexHistogram, *_AVERAGING), depths=(0,)),
    "vh-c-columns": _averaged(
        "VH-C (gamma by columns)", compute=_by_columns(ContinuousVertexHistogram), form_of="vh-c"
    ),
    "rbf-wl": _averaged("RBF-WL", compute=_kernel(RBFWL, *_AVERAGING)),
    "rbf-wl-columns": _averaged("RBF-WL (gamma by columns)", compute=_by_columns(RBFWL), form_of="rbf-wl"),
    "hgk-wl": _hashed("HGK-WL", compute=partial(matrices.hashed, "wl")),
    "hgk-sp": _hashed("HGK-SP", compute=partial(matrices.hashed, "sp"), depths=()),
    "hgk-sp-all-pairs": _hashed(
        "HGK-SP (all pairs)", compute=partial(matrices.hashed, "sp", all_pairs=True), depths=(), form_of="hgk-sp"
    ),
    "gh": Method("GH", _ATTRIBUTES, _kernel(GraphHopper, *_ATTRIBUTED), depths=(), normalize=True),
    "tanimoto": _fingerprints("Tanimoto", compute=matrices.tanimoto_of_bits),
    "tanimoto-counts": _fingerprints("Tanimoto (counts)", compute=matrices.tanimoto_of_counts, form_of="tanimoto"),
    "rf": _fingerprints("random forest", compute=matrices.fingerprint_counts, is_forest=True),
    "wwl": _distances("WWL", ("categorical", "continuous", "joint"), matrices.wwl, refines=True),
    "wwl-wide": _distances("WWL (wide search)", ("categorical", "continuous"), None, form_of="wwl"),
    "wwl-sinkhorn": _distances(
        "WWL (Sinkhorn)", ("continuous", "joint"), matrices.wwl, regs=REGS, refines=True, form_of="wwl"
    ),
}


def method_title(method: str) -> str:
    """Return the name of a method, or of one with variants, as in ``method+variant``, for tables and pictures."""
    name, *variants = method.split("+")
    return " + ".join([METHODS[name].title if name in METHODS else name, *variants])
