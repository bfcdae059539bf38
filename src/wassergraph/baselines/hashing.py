"""Hash graph kernels: attributes become labels by random hash functions, again and again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from scipy.sparse import csr_array, hstack
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from wassergraph.arrays import FloatArray, IntArray
from wassergraph.baselines.counts import count_known_labels, self_similarity, shared_labels
from wassergraph.baselines.kernel import GraphKernel, normalize
from wassergraph.baselines.paths import count_connected
from wassergraph.errors import InputError, Option
from wassergraph.formats.detect import as_batch
from wassergraph.graphs.batch import GraphBatch
from wassergraph.graphs.invariants import check_whole, locate_node
from wassergraph.metrics.decisions import Standardize
from wassergraph.metrics.labels import mix, wl_codes
from wassergraph.metrics.wwl import WWL
from wassergraph.pairwise.histograms import LabelBags
from wassergraph.parallel.progress import Progress

Base: TypeAlias = Literal["wl", "sp"]
#: From here on, whole numbers in floats have gaps.
_LARGEST_BIN = 2.0**53


class HashGraphKernel(GraphKernel["Hashed"]):
    """Kernel of graphs whose attributes are hashed to labels at random, many times (Morris et al. 2016).

    In every iteration a node with attributes x gets the label ⌊(vᵀx + b) / w⌋, where v is drawn from the standard
    normal distribution and b uniformly from 0 to w (p-stable locality-sensitive hashing, with p = 2): the nearer two
    nodes are, the more often they get the same label. On these labels a kernel for labels is computed, and

        k(G, G') = 1/I Σ_i k_base(labels i of G, labels i of G')

    is the mean over I iterations: HGK-WL with the Weisfeiler–Lehman subtree kernel as base, HGK-SP with that of
    shortest paths. As in the authors' code one direction is drawn for all dimensions together, w = 1, and attributes
    are standardized. Where the authors' code refines labels and hashes separately and pairs them at every depth, here
    they are paired first and refined together, which distinguishes more nodes. Pairs of nodes that are not connected,
    and a node paired with itself, do not count here; in the authors' code they do (``all_pairs=True``).

    Parameters
    ----------
    base : "wl" or "sp"
        The kernel for labels.
    depth : int
        With "wl", the Weisfeiler–Lehman iterations.
    iterations : int
        The number of hash functions; the paper uses 20, and 100 for SYNTHETICnew.
    bin_width : float
        The width w of a bin.
    standardize : bool or "auto"
        Whether to shift and scale attributes to mean 0 and variance 1 over the nodes of the training graphs. True by
        default, unlike elsewhere: bins of a fixed width mean the same for all attributes only if these have the same
        scale.
    use_labels : bool
        Whether nodes must also have the same label; all graphs must have node labels then.
    all_pairs : bool
        With "sp", whether a node paired with itself, and pairs of nodes that are not connected, count, too.
    normalize : bool
        Whether to divide by the root of k(G, G) k(G', G'), as the authors' code does.
    random_state : int, RandomState or None
        The seed of the hash functions.
    n_jobs, progress
        As in :func:`wassergraph.distances`.

    Attributes
    ----------
    directions_, offsets_ : (iterations, n_attributes), (iterations) floats
        The hash functions.
    scheme_ : Scheme
        How graphs are embedded, as learned from the training graphs.
    n_train_ : int
        The number of training graphs.

    See Also
    --------
    baselines.WLSubtree : the kernel for labels of "wl"
    baselines.ShortestPath : the kernel for labels of "sp"
    baselines.RBFWL : attributes without hashing

    Examples
    --------
    >>> import wassergraph as wg
    >>> graphs, y = wg.load_dataset("demo")
    >>> kernel = wg.baselines.HashGraphKernel("wl", depth=2, random_state=0)
    >>> kernel.fit_transform(graphs[:40]).shape, kernel.transform(graphs[40:]).shape
    ((40, 40), (20, 40))
    """

    def __init__(
        self,
        base: Base = "wl",
        depth: int = 3,
        *,
        iterations: int = 20,
        bin_width: float = 1.0,
        standardize: Standardize = True,
        use_labels: bool = False,
        all_pairs: bool = False,
        normalize: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
        progress: bool = False,
    ) -> None:
        self.base = base
        self.depth = depth
        self.iterations = iterations
        self.bin_width = bin_width
        self.standardize = standardize
        self.use_labels = use_labels
        self.all_pairs = all_pairs
        super().__init__(normalize=normalize, n_jobs=n_jobs, progress=progress)
        self.random_state = random_state

    def features(self, graphs: object) -> csr_array:
        """Count the labels of all iterations; the product of two such matrices is the kernel, not normalized.

        Parameters
        ----------
        graphs : GraphBatch, or graphs of another library
            The graphs.

        Returns
        -------
        (n_graphs, n_labels) sparse array
            One column for each label of the training graphs; counts are divided by the root of ``iterations``.
        """
        check_is_fitted(self)
        new, training = self._represent(as_batch(graphs))
        tables = [count_known_labels(*bags) for bags in zip(training.bags(), new.bags(), strict=True)]
        return csr_array(hstack(tables, format="csr") / np.sqrt(len(tables)))

    def fit_transform_depths(self, graphs: object, depths: Sequence[int]) -> FloatArray:
        """Fit the kernel, and return the similarities of the training graphs for several depths.

        Parameters
        ----------
        graphs : GraphBatch, or graphs of another library
            The training graphs.
        depths : sequence of int
            The depths; those of the parameter ``depth`` at most, and 0 for the base "sp".

        Returns
        -------
        kernels : (n_depths, n_train, n_train) floats
            Each equal to the kernel with that depth; what is counted at one depth is reused for the next.
        """
        self._check_depths(depths)
        self.fit(graphs)
        bags = list(self._training.bags())
        total = np.zeros((self.n_train_, self.n_train_))
        levels: dict[int, FloatArray] = {}
        with Progress("kernel", (max(depths) + 1) * len(bags), "iterations", show=self.progress) as bar:
            for level in range(max(depths) + 1):
                for bag in bags:
                    total += shared_labels(_level(bag, level), n_jobs=self.n_jobs)
                    bar.update(1)
                levels[level] = total / len(bags)
        matrices = np.stack([levels[depth] for depth in depths])
        for matrix in matrices if self.normalize else ():
            normalize(matrix, matrix.diagonal().copy(), matrix.diagonal().copy())
        return matrices

    def _check_depths(self, depths: Sequence[int]) -> None:
        """Raise an error unless kernels of these depths are computed on the way to the greatest one."""
        if not len(depths):
            raise InputError("there are no depths", remedy="pass at least one")
        greatest = self.depth if self.base == "wl" else 0  # shortest paths have no depth
        if max(check_whole("depths", depth, 0) for depth in depths) > greatest:
            problem = f"{{}} must be at most {greatest} for {self!r}, got {max(depths)}"
            raise InputError(
                problem, remedy="make a kernel of a greater depth, with base='wl'", options=[Option("depths")]
            )

    def _learn(self, batch: GraphBatch) -> Hashed:
        if self.base not in get_args(Base):
            raise ValueError(f'base must be "wl" or "sp", got {self.base!r}')
        check_whole("iterations", self.iterations, 1)
        check_whole("depth", self.depth, 0)
        if not 0 < float(self.bin_width) < np.inf:
            raise ValueError(f"bin_width must be positive and finite, got {self.bin_width}")
        self._options = self.base, self.depth, self.bin_width, self.use_labels, self.all_pairs
        self.scheme_ = WWL(kind="continuous", standardize=self.standardize).learn(batch)
        random = check_random_state(self.random_state)
        self.directions_ = random.normal(size=(self.iterations, self.scheme_.n_attributes))
        self.offsets_ = random.uniform(0, self.bin_width, size=self.iterations)
        return self._form(batch)

    def _form(self, batch: GraphBatch) -> Hashed:
        base, depth, bin_width, use_labels, all_pairs = self._options
        with np.errstate(over="ignore", invalid="ignore"):  # values that are too large raise an error below
            bins = np.floor((self.scheme_.attributes(batch) @ self.directions_.T + self.offsets_) / bin_width)
        _check_bins(batch, bins, bin_width)
        labels = bins.T.astype(np.int64)
        if use_labels:
            if batch.node_labels is None:
                raise ValueError("these graphs have no node labels: pass use_labels=False")
            labels = mix(mix(labels.astype(np.uint64)) + batch.node_labels.astype(np.uint64)).astype(np.int64)
        return Hashed(batch, labels, base, depth, all_pairs)

    def _compare(self, left: Hashed, right: Hashed | None) -> FloatArray:
        total = np.zeros((len(left), len(left if right is None else right)))
        others = repeat(None) if right is None else right.bags()
        with Progress("kernel", len(left.labels), "iterations", show=self.progress) as bar:
            for bags, other in zip(left.bags(), others, strict=False):
                total += shared_labels(bags, other, n_jobs=self.n_jobs)
                bar.update(1)
        return total / len(left.labels)

    def _self_similarity(self, graphs: Hashed) -> FloatArray:
        return np.asarray(np.mean([self_similarity(bags) for bags in graphs.bags()], axis=0))


def _level(bags: LabelBags, level: int) -> LabelBags:
    """Return the labels of one level; paths, which are counted already, have no other."""
    return bags if bags.n_levels == 1 else LabelBags(bags.ptr, bags.codes[level : level + 1])


def _check_bins(batch: GraphBatch, bins: FloatArray, bin_width: float) -> None:
    """Raise an error if bins are numbered so high that floats cannot distinguish neighboring ones."""
    lost = ~(np.abs(bins) < _LARGEST_BIN).all(axis=1)
    if lost.any():
        graph, node = locate_node(batch, int(lost.argmax()))
        raise InputError(
            f"the attributes are too large for bins of the width {bin_width:g}",
            remedy="scale the attributes down, use wider bins, or pass {}",
            options=[Option("standardize", True)],
            graph=graph,
            node=node,
        )


@dataclass(frozen=True)
class Hashed:
    """Graphs with a label for every node in every iteration (iterations, n_nodes)."""

    batch: GraphBatch
    labels: IntArray
    base: Base
    depth: int
    all_pairs: bool

    def __len__(self) -> int:
        return len(self.batch)

    def bags(self) -> Iterator[LabelBags]:
        """Yield the labels that the base kernel counts in each iteration; they are computed each time, and not kept."""
        for labels in self.labels:
            if self.base == "wl":
                yield LabelBags(self.batch.node_ptr, wl_codes(self.batch, labels, self.depth))
            else:
                yield count_connected(self.batch, labels.astype(np.uint64), all_pairs=self.all_pairs)
