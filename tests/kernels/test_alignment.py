"""Alignment of kernels, against its definition and a general optimizer."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

import wassergraph as wg


def random_kernels(seed, n_kernels, n_graphs):
    random = np.random.RandomState(seed)
    features = random.normal(size=(n_kernels, n_graphs, 3))
    return features @ features.transpose(0, 2, 1), random


def slow_alignment(kernel, target):
    n = len(kernel)
    center = np.eye(n) - np.ones((n, n)) / n
    kernel, target = center @ kernel @ center, center @ target @ center
    return np.sum(kernel * target) / np.sqrt(np.sum(kernel**2) * np.sum(target**2))


@given(st.integers(0, 10_000), st.booleans())
def test_alignment_is_its_definition(seed, numbers):
    (kernel,), random = random_kernels(seed, 1, 9)
    y = random.normal(size=9) if numbers else np.arange(9) % 3
    target = np.outer(y - y.mean(), y - y.mean()) if numbers else (y[:, None] == y).astype(float)
    assert wg.kernels.kernel_alignment(kernel, y) == pytest.approx(slow_alignment(kernel, target), abs=1e-12)


@given(st.integers(0, 10_000), st.integers(1, 5))
def test_no_weights_are_aligned_better(seed, n_kernels):
    kernels, random = random_kernels(seed, n_kernels, 8)
    y = np.arange(8) % 2
    kernels = kernels + 0.5 * (y[:, None] == y)  # so that all agree a little
    weights = wg.kernels.align_kernels(kernels, y)
    assert (weights >= 0).all()
    assert weights.sum() == pytest.approx(1)
    reached = wg.kernels.kernel_alignment(np.tensordot(weights, kernels, 1), y)

    def loss(w):
        return -wg.kernels.kernel_alignment(np.tensordot(np.abs(w), kernels, 1), y)

    starts = [np.eye(n_kernels)[0], np.ones(n_kernels), random.uniform(size=n_kernels)]
    best = -min(minimize(loss, start, method="Nelder-Mead", options={"maxiter": 2000}).fun for start in starts)
    assert reached >= best - 1e-6
    assert all(reached >= wg.kernels.kernel_alignment(kernel, y) - 1e-9 for kernel in kernels)


def test_the_ideal_kernel_gets_all_the_weight():
    kernels, _ = random_kernels(0, 2, 10)
    y = np.array(["a", "b"] * 5)
    weights = wg.kernels.align_kernels([*kernels, 3.0 * (y[:, None] == y)], y)
    np.testing.assert_allclose(weights, [0, 0, 1], atol=1e-9)


def test_equal_and_constant_kernels():
    (kernel,), _ = random_kernels(1, 1, 8)
    y = np.arange(8) % 2
    kernel = kernel + (y[:, None] == y)
    weights = wg.kernels.align_kernels([kernel, 2 * kernel, np.ones((8, 8))], y)
    combined = np.tensordot(weights, [kernel, 2 * kernel, np.ones((8, 8))], 1)
    assert weights[2] == 0
    assert wg.kernels.kernel_alignment(combined, y) == pytest.approx(wg.kernels.kernel_alignment(kernel, y))
    assert wg.kernels.kernel_alignment(np.ones((8, 8)), y) == 0
    assert wg.kernels.kernel_alignment(0.1 + 1e-17 * kernel, y) == 0


@pytest.mark.parametrize(
    ("kernels", "y", "message"),
    [
        (np.ones((2, 3)), [0, 1], r"kernels must have the shape \(n_kernels, 2, 2\)"),
        (np.ones((1, 3, 3)), [0, 1], r"for 2 targets, got \(1, 3, 3\)"),
        (np.empty((0, 2, 2)), [0, 1], r"got \(0, 2, 2\)"),
        ([[[1, 0.5], [0.1, 1]]], [0, 1], "kernels must be symmetric"),
        (np.ones((1, 2, 2)), [0, 1], "no kernel agrees with the targets"),
        ([[[1, np.nan], [np.nan, 1]]], [0, 1], "finite"),
    ],
)
def test_bad_kernels_raise(kernels, y, message):
    with pytest.raises(ValueError, match=message):
        wg.kernels.align_kernels(kernels, y)
