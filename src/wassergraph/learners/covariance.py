"""Covariances of Gaussian processes: their Cholesky factors, and what is predicted of each value from others."""

from __future__ import annotations

import numpy as np

from wassergraph.arrays import FloatArray, IntArray
from wassergraph.learners.lapack import factorize, invert_factor


def factor_of(kernel: FloatArray, noise: float | FloatArray) -> FloatArray | None:
    """Return the lower Cholesky factor of a kernel with noise; None if it is not positive definite.

    What is above the diagonal of the factor has no meaning.
    """
    covariance = kernel.copy()
    covariance.flat[:: len(kernel) + 1] += noise
    factor = covariance.T  # symmetric, and by columns, as LAPACK wants it
    return factor if factorize(factor) else None


def left_out(factor: FloatArray, coefficients: FloatArray, groups: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return the errors and the variances of values that are predicted from those of all other groups.

    Parameters
    ----------
    factor : (n, n) floats
        The lower Cholesky factor of the covariance C of the values y.
    coefficients : (n) floats
        C⁻¹ y.
    groups : (n) integers
        The group of each.

    Returns
    -------
    errors, variances : (n) floats
        y minus what is predicted for it, and how uncertain that is.
    """
    inverse = factor.copy(order="F")
    invert_factor(inverse)
    errors, variances = np.empty(len(groups)), np.empty(len(groups))
    order = np.argsort(groups, kind="stable")
    for members in np.split(order, np.flatnonzero(np.diff(groups[order])) + 1):
        lower = np.tril(inverse[np.ix_(members, members)])
        covariance = np.linalg.inv(lower + np.tril(lower, -1).T)
        errors[members] = covariance @ coefficients[members]
        variances[members] = np.diagonal(covariance)
    return errors, variances
