"""What the published package `wwl` computes, and how it stands to ours; docs/reference-package.md says it in words.

The package itself is not needed: the few lines that matter are written out here.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import ot
import pytest
from scipy.spatial.distance import cdist
from sklearn.metrics.pairwise import laplacian_kernel as kernel_of_rows

import wassergraph as wg

PAGE = Path(__file__).parents[2] / "docs" / "reference-package.md"
DEPTH = 2


@pytest.fixture(scope="module")
def mutag(data_home):
    graphs, _ = wg.load_dataset("MUTAG", data_home=data_home)
    return graphs[np.arange(0, len(graphs), 8)]


@pytest.fixture(scope="module")
def reference(mutag):
    return reference_distances(mutag, DEPTH)


def label_sequences(graphs, depth: int) -> list[np.ndarray]:
    """Number the labels of every depth in the order in which they turn up; one row (depth + 1) per node."""
    labels = [[int(label) for label in graph.node_labels] for graph in graphs]
    sequences = [[[label] for label in some] for some in labels]
    for _ in range(depth):
        seen: dict[tuple, int] = {}
        refined = []
        for graph, old in zip(graphs, labels, strict=True):
            around = [graph.indices[begin:end] for begin, end in zip(graph.indptr[:-1], graph.indptr[1:], strict=True)]
            keys = [(old[v], *sorted(old[u] for u in neighbors)) for v, neighbors in enumerate(around)]
            refined.append([seen.setdefault(key, len(seen)) for key in keys])
        labels = refined
        for sequence, new in zip(sequences, labels, strict=True):
            for row, label in zip(sequence, new, strict=True):
                row.append(label)
    return [np.array(sequence, dtype=float) for sequence in sequences]


def reference_distances(graphs, depth: int) -> np.ndarray:
    nodes = label_sequences(list(graphs), depth)
    return np.array([[ot.emd2([], [], cdist(x, y, "hamming")) for y in nodes] for x in nodes])


def test_distances_of_labeled_graphs_are_the_same(mutag, reference):
    assert len(mutag) == 24
    assert reference.max() > 0.2
    np.testing.assert_allclose(
        wg.distances(mutag, metric=wg.WWL(depth=DEPTH, kind="categorical")), reference, rtol=0, atol=1e-9
    )


@pytest.mark.parametrize("gamma", [1 / 24, 1.0])  # the package's default, one over the number of graphs, and ours
def test_the_kernel_is_another_one(reference, gamma):
    theirs, ours = kernel_of_rows(reference, gamma=gamma), wg.kernels.laplacian_kernel(reference, gamma)
    rows = np.abs(reference[:, None, :] - reference[None, :, :]).sum(axis=2)
    np.testing.assert_allclose(theirs, np.exp(-gamma * rows), rtol=1e-9)
    np.testing.assert_allclose(ours, np.exp(-gamma * reference), rtol=1e-12)
    assert np.abs(theirs - ours).max() > 0.1


def test_their_kernel_of_two_graphs_depends_on_all_the_others(reference):
    part = reference[:12, :12]
    assert np.abs(kernel_of_rows(reference, gamma=1.0)[:12, :12] - kernel_of_rows(part, gamma=1.0)).max() > 0.1
    ours, ours_of_part = wg.kernels.laplacian_kernel(reference, 1.0)[:12, :12], wg.kernels.laplacian_kernel(part, 1.0)
    np.testing.assert_allclose(ours, ours_of_part, rtol=1e-14)


def test_the_example_of_the_page_runs(capsys):
    pytest.importorskip("igraph")
    (example,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL)
    exec(compile(example, PAGE.name, "exec"), {})
    assert capsys.readouterr().out == "[0 1]\n"
