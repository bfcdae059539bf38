"""The matrices of each method: from graphs to distances or kernels, one for each depth and regularization."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal

import numpy as np

from wassergraph.arrays import FloatArray
from wassergraph.baselines.hashing import HashGraphKernel
from wassergraph.baselines.kernel import GraphKernel
from wassergraph.evaluation.compared import Fingerprints
from wassergraph.formats.molecule_groups import tanimoto_similarities
from wassergraph.graphs.batch import GraphBatch
from wassergraph.metrics.attributes import Isolated
from wassergraph.metrics.decisions import EdgeLabels, LabelWeight, Stereo, Unmatched
from wassergraph.metrics.node_embedding import EmbeddingKind, Mass
from wassergraph.metrics.solvers import Exact, Sinkhorn, Solver
from wassergraph.metrics.wwl import WWL
from wassergraph.pairwise.api import distances
from wassergraph.parallel.stages import next_part
from wassergraph.tuning.grid import DEPTHS

#: How far the marginals of an entropic plan may be off, summed over all nodes. It is not part of the matrix options, so
#: a change requires a new format of content keys (files/content_keys.py).
SINKHORN_TOL = 1e-2


@dataclass(frozen=True)
class MatrixOptions:
    """Everything that the matrices of a method depend on besides the graphs.

    Attributes
    ----------
    method : str
        A name of :data:`wassergraph.evaluation.methods.METHODS`.
    kind : "categorical", "continuous" or "joint"
        Whether labels, attributes or both are compared.
    depths : tuple of int
        The Weisfeiler–Lehman iterations to choose from.
    standardize : bool
        Whether attributes are standardized with the mean and standard deviation over all graphs; classes are not used.
    isolated_nodes : "halve" or "keep"
        How to average the attributes of nodes without neighbors: see :class:`wassergraph.WWL`.
    label_weight, unmatched_cost, size_weight, degrees, stereo
        As in :class:`wassergraph.WWL`, for its distances alone.
    edge_labels : bool
        Whether labels are refined over edge labels; for attributes alone it has no meaning.
    masses : tuple of "share" and "count"
        Whether all graphs have the same mass, or each node has, to choose from: see :class:`wassergraph.WWL`.
    normalize : bool
        Whether a kernel is divided by the square root of k(G, G) k(G', G'). If not, it is divided by the mean of its
        diagonal, which makes values of C comparable between kernels.
    regs : tuple of float
        With Sinkhorn, the strengths of the regularization to choose from; 0 is the exact distance.
    iterations, draws, seed : int
        With the hash graph kernels, how often attributes are hashed, of how many such kernels the mean is taken, and
        the seed of the first.
    """

    method: str
    kind: EmbeddingKind
    depths: tuple[int, ...] = DEPTHS
    standardize: bool = False
    isolated_nodes: Isolated = "halve"
    label_weight: LabelWeight = "auto"
    unmatched_cost: Unmatched = "auto"
    size_weight: float = 0.0
    degrees: bool = False
    edge_labels: bool = False
    stereo: Stereo = "auto"
    masses: tuple[Mass, ...] = ("share",)
    normalize: bool = False
    regs: tuple[float, ...] = ()
    iterations: int = 20
    draws: int = 10
    seed: int = 0

    @property
    def refined_over(self) -> EdgeLabels:
        """The value of ``edge_labels`` for the functions that compute matrices."""
        return "use" if self.edge_labels and self.kind != "continuous" else "ignore"

    @property
    def marked_by(self) -> Stereo:
        """The value of ``stereo`` for these functions: attributes alone have no labels that it could be a part of."""
        return "ignore" if self.kind == "continuous" else self.stereo

    def metric(self, **changes: Any) -> WWL:
        """Return the metric with these options; masses and solvers are among the changes."""
        return WWL(**{"depth": self.depths, **self.arguments(OF_METRIC), **changes})

    def arguments(self, names: Sequence[str]) -> dict[str, Any]:
        """Return options by name, as the functions that compute matrices take them."""
        read = {"edge_labels": self.refined_over, "stereo": self.marked_by}
        return {name: read[name] if name in read else getattr(self, name) for name in names}


#: The options that are parameters of the metric under the same name.
OF_METRIC = tuple(field.name for field in fields(MatrixOptions) if field.name in WWL().get_params())


@dataclass(frozen=True)
class Threads:
    """How to compute: ``n_jobs`` and ``progress`` as in :func:`wassergraph.distances`."""

    n_jobs: int | None = None
    progress: bool = False


def wwl(graphs: GraphBatch, options: MatrixOptions, threads: Threads) -> Sequence[FloatArray]:
    """Compute WWL distances: for each mass and depth, one for every regularization."""
    matrices: list[FloatArray] = []
    for mass in options.masses:
        stacks = []
        for solver in solvers(options):
            with next_part():
                metric = options.metric(mass=mass, solver=solver)
                stacks.append(np.asarray(distances(graphs, metric=metric, **vars(threads))))
        matrices += [stack[position] for position in range(len(options.depths)) for stack in stacks]
    return matrices


def solvers(options: MatrixOptions) -> list[Solver]:
    """Return a solver for every regularization."""
    return [Sinkhorn(reg, SINKHORN_TOL) if reg else Exact() for reg in options.regs] or [Exact()]


def kernels(
    kernel: Callable[..., GraphKernel[Any]],
    names: Sequence[str],
    graphs: GraphBatch,
    options: MatrixOptions,
    threads: Threads,
) -> Sequence[FloatArray]:
    """Compute a comparison kernel, which has options of these names: one for every depth, if there are any."""
    arguments = {**options.arguments(names), **vars(threads)}
    by_depth = [kernel(depth, **arguments) for depth in options.depths] or [kernel(**arguments)]
    return [each.fit_transform(graphs) for each in by_depth]


def kernels_by_columns(
    kernel: Callable[..., GraphKernel[Any]],
    names: Sequence[str],
    graphs: GraphBatch,
    options: MatrixOptions,
    threads: Threads,
) -> Sequence[FloatArray]:
    """Compute the same with gamma = 1 / number of columns of the embedding, which is scikit-learn's default."""
    arguments = {**options.arguments(names), **vars(threads)}
    width = WWL(kind="continuous").learn(graphs).n_attributes
    gammas = {depth: 1.0 / (width * (depth + 1)) for depth in options.depths}
    return [kernel(depth, gamma=gamma, **arguments).fit_transform(graphs) for depth, gamma in gammas.items()]


def gaussian_histograms(
    kernel: Callable[..., GraphKernel[Any]],
    n_counts: int,
    graphs: GraphBatch,
    options: MatrixOptions,
    threads: Threads,
) -> Sequence[FloatArray]:
    """Compute exp(-‖h - h'‖² / 2) of histograms h that count everything so many times, from their inner products."""
    (products,) = kernels(kernel, ("normalize",), graphs, options, threads)
    products = products / n_counts**2
    norms = products.diagonal()
    return [np.asarray(np.exp(-0.5 * np.maximum(norms[:, None] + norms - 2 * products, 0.0)))]


def hashed(
    base: Literal["wl", "sp"],
    graphs: GraphBatch,
    options: MatrixOptions,
    threads: Threads,
    *,
    all_pairs: bool = False,
) -> Sequence[FloatArray]:
    """Compute hash graph kernels with subtree or shortest-path kernels as their base.

    With ``all_pairs``, a node with itself and nodes that are not connected count as pairs, too.
    """
    arguments = {**options.arguments(("iterations", "standardize", "normalize")), **vars(threads)}
    depths = options.depths or (0,)
    total = np.zeros((len(depths), len(graphs), len(graphs)))
    for seed in range(options.seed, options.seed + options.draws):
        kernel = HashGraphKernel(base, max(depths), random_state=seed, all_pairs=all_pairs, **arguments)
        total += kernel.fit_transform_depths(graphs, depths)
    return list(total / options.draws)


def tanimoto_of_bits(prints: Fingerprints, options: MatrixOptions, threads: Threads) -> Sequence[FloatArray]:
    """Compute Tanimoto similarities of Morgan fingerprints."""
    return [tanimoto_similarities(np.minimum(prints.counts, 1))]


def tanimoto_of_counts(prints: Fingerprints, options: MatrixOptions, threads: Threads) -> Sequence[FloatArray]:
    """Compute Tanimoto similarities of Morgan fingerprints with counts."""
    return [tanimoto_similarities(prints.counts)]


def fingerprint_counts(prints: Fingerprints, options: MatrixOptions, threads: Threads) -> Sequence[FloatArray]:
    """Return Morgan fingerprints with counts, as features of molecules."""
    return [prints.counts.astype(np.float64)]
