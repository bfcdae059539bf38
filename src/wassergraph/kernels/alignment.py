"""Alignment of kernels with classes or numbers, and the combination of several kernels that is aligned best."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import nnls

from wassergraph.arrays import FloatArray
from wassergraph.kernels.finite import finite_array

#: Directions of the kernels that are shorter than this share of the longest are rounding.
_RANK = 1e-12


def kernel_alignment(K: ArrayLike, y: ArrayLike) -> float:  # noqa: N803 - K is a matrix
    """Compute how well a kernel agrees with classes or numbers, from -1 to 1.

    This is the centered alignment of Cortes, Mohri and Rostamizadeh (2012), the cosine between two kernels once both
    are centered: ⟨K, T⟩ / (‖K‖ ‖T‖). T is 1 for two graphs of the same class and 0 for others; for numbers it is the
    product of both.

    Parameters
    ----------
    K : (N, N) numbers
        The kernel.
    y : (N) array
        The class or the number of every graph; floats are numbers.

    Returns
    -------
    float
        0 if the kernel, or the target, is the same for all graphs.

    See Also
    --------
    kernels.align_kernels : weights of several kernels
    kernels.laplacian_kernel : the kernel of distances

    Examples
    --------
    >>> import wassergraph as wg
    >>> graphs, y = wg.load_dataset("demo")
    >>> D = wg.distances(graphs, metric=wg.WWL(depth=[1, 2], kind="categorical"))
    >>> [round(wg.kernels.kernel_alignment(K, y), 2) for K in wg.kernels.laplacian_kernel(D, gamma=1.0)]
    [0.68, 0.71]
    """
    if np.ndim(K) != 2:
        raise ValueError(f"K must be one kernel, a matrix, got the shape {np.shape(K)}")
    kernel, target = _centered(_read_kernels(np.asarray(K)[None], y)[0]), _centered(_target(y))
    length = np.linalg.norm(kernel) * np.linalg.norm(target)
    return float(np.vdot(kernel, target) / length) if length > 0 else 0.0


def align_kernels(kernels: ArrayLike, y: ArrayLike) -> FloatArray:
    """Compute weights of several kernels whose weighted sum is aligned best with classes or numbers.

    The sum Σ w_k K_k with w ≥ 0 maximizes :func:`wassergraph.kernels.kernel_alignment`. Up to their scale, the weights
    minimize ‖Σ w_k K_k - T‖² over w ≥ 0 with all matrices centered, a problem of non-negative least squares in as many
    unknowns as there are kernels (Cortes, Mohri and Rostamizadeh 2012). The sum of positive definite kernels is
    positive definite. It takes n_kernels² N² operations. Learn weights on training graphs only.

    Parameters
    ----------
    kernels : (n_kernels, N, N) numbers
        The kernels of the training graphs: of several depths, values of gamma, kinds or methods.
    y : (N) array
        The class or the number of every training graph; floats are numbers.

    Returns
    -------
    weights : (n_kernels) floats
        With the sum 1; the kernel to use is ``np.tensordot(weights, kernels, 1)``, and the same for new graphs.

    Raises
    ------
    ValueError
        If no kernel agrees with the targets, so that all weights would be 0.

    See Also
    --------
    kernels.kernel_alignment : how well one kernel agrees
    kernels.laplacian_kernel : the kernel of distances

    Examples
    --------
    >>> import wassergraph as wg
    >>> graphs, y = wg.load_dataset("demo")
    >>> D = wg.distances(graphs, metric=wg.WWL(depth=range(3), kind="categorical"))
    >>> weights = wg.kernels.align_kernels(wg.kernels.laplacian_kernel(D, gamma=1.0), y)
    >>> weights.shape, round(float(weights.sum()), 6)
    ((3,), 1.0)
    """
    stack = _read_kernels(kernels, y)
    centered = np.stack([_centered(kernel).ravel() for kernel in stack])
    lengths = np.linalg.norm(centered, axis=1)
    units = centered / np.where(lengths > 0, lengths, 1.0)[:, None]
    # ‖Σ w_k U_k - T‖² as a problem with n_kernels rows: the products of the kernels are RᵀR.
    values, vectors = np.linalg.eigh(units @ units.T)
    large = values > _RANK * values.max(initial=0.0)
    roots, directions = np.sqrt(values[large]), vectors[:, large]
    products = units @ _centered(_target(y)).ravel()
    weights, _ = nnls((directions * roots).T, directions.T @ products / roots)
    weights = np.where(lengths > 0, weights / np.where(lengths > 0, lengths, 1.0), 0.0)
    if not weights.any():
        raise ValueError("no kernel agrees with the targets: all weights would be 0")
    return np.asarray(weights / weights.sum())


def _read_kernels(kernels: ArrayLike, y: ArrayLike) -> FloatArray:
    """Return kernels as an array (n_kernels, N, N); raise an error if they are not symmetric or do not fit y."""
    stack = np.asarray(finite_array("kernels", kernels), dtype=np.float64)
    if np.ndim(y) != 1 or not np.size(y):
        raise ValueError(f"y must have one class or number for every graph, got the shape {np.shape(y)}")
    n_graphs = np.size(y)
    if stack.ndim != 3 or stack.shape[1:] != (n_graphs, n_graphs) or not len(stack):
        raise ValueError(
            f"kernels must have the shape (n_kernels, {n_graphs}, {n_graphs}) for {n_graphs} targets, got {stack.shape}"
        )
    if not np.allclose(stack, stack.transpose(0, 2, 1), rtol=1e-6, atol=1e-9 * np.abs(stack).max(initial=0.0)):
        raise ValueError("kernels must be symmetric: pass those of training graphs with training graphs")
    return stack


def _target(y: ArrayLike) -> FloatArray:
    """Return the kernel that would be ideal: 1 for equal classes and 0 for others, or the products of numbers."""
    targets = np.asarray(y)
    if targets.dtype.kind == "f":
        shifted = finite_array("y", targets) - targets.mean()
        return np.asarray(np.outer(shifted, shifted))
    return np.asarray(targets[:, None] == targets, dtype=np.float64)


def _centered(kernel: FloatArray) -> FloatArray:
    """Return a kernel whose features have the mean 0; zeros if all features are the same up to rounding."""
    means = kernel.mean(axis=0)
    centered = np.asarray(kernel - means - kernel.mean(axis=1)[:, None] + means.mean())
    rounding = _RANK * np.linalg.norm(kernel)
    return centered if np.linalg.norm(centered) > rounding else np.zeros_like(centered)
