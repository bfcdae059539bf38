"""Turn the places of one graph so that its nodes are where a plan moves those of another graph."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from wassergraph.arrays import FloatArray
from wassergraph.pictures.layout import spread


def images(matrix: csr_array, values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Compute the mean of what the nodes of the second graph receive.

    Parameters
    ----------
    matrix : (n, m) sparse array
        A plan.
    values : (n, d) floats
        What belongs to the nodes of the first graph, such as places.

    Returns
    -------
    (m, d) floats
        The mean for each node of the second graph, weighted by the mass that arrives; 0 where none does.
    (m) floats
        This mass.
    """
    received = np.asarray(matrix.sum(axis=0), dtype=np.float64).ravel()
    sums = np.asarray(matrix.T @ values)
    return np.divide(sums, received[:, None], out=np.zeros_like(sums), where=received[:, None] > 0), received


def best_rotation(points: FloatArray, onto: FloatArray, weights: FloatArray) -> FloatArray:
    """Compute the rotation, perhaps with a reflection, that brings points nearest to others (Procrustes).

    Parameters
    ----------
    points, onto : (m, 2) floats
        The points, and where they should be; both are moved so that their mean is at the origin.
    weights : (m) floats
        How much each point counts.

    Returns
    -------
    (2, 2) floats
        An orthogonal matrix; ``points @ rotation`` are the rotated points.
    """
    if not weights.sum():
        return np.eye(2)
    one, two = (each - np.average(each, axis=0, weights=weights) for each in (points, onto))
    left, _, right = np.linalg.svd(one.T @ (weights[:, None] * two))
    return np.asarray(left @ right)


def match_layout(points: FloatArray, places: FloatArray, matrix: csr_array) -> FloatArray:
    """Turn, reflect and scale the layout of the second graph to match that of the first.

    The scale is that of equal spread: the one of least squares would shrink a graph whose nodes receive mass from
    everywhere.

    Parameters
    ----------
    points : (m, 2) floats
        A layout of the second graph.
    places : (n, 2) floats
        The layout of the first.
    matrix : (n, m) sparse array
        The plan.

    Returns
    -------
    (m, 2) floats
        The layout of the second graph, with the mean at that of the first.
    """
    onto, received = images(matrix, places)
    wanted, found = spread(places), spread(points)
    scale = wanted / found if wanted > 0 and found > 0 else 1.0
    turned = (points - points.mean(axis=0)) @ best_rotation(points, onto, received)
    return np.asarray(scale * turned + places.mean(axis=0))


def upright(points: FloatArray) -> FloatArray:
    """Turn points so that their longest direction is the second axis, with the mean at the origin."""
    centered = points - points.mean(axis=0)
    axes = np.linalg.eigh(centered.T @ centered)[1]
    return np.asarray(centered @ axes)
