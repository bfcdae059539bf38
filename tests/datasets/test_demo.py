"""The demo data set: its classes have the same histograms, and Weisfeiler–Lehman iterations separate them."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.feature_extraction import DictVectorizer
from sklearn.model_selection import LeaveOneGroupOut, cross_val_score
from sklearn.svm import SVC

import wassergraph as wg
from oracles import wl_histogram, wwl_distances_slowly


@pytest.fixture(scope="module")
def demo():
    return wg.datasets.make_demo()


def test_it_has_everything_and_is_always_the_same(demo):
    graphs, y = demo
    assert graphs.node_labels is not None
    assert graphs.node_attributes is not None
    assert graphs.edge_weights is not None
    assert np.bincount(y).tolist() == [20, 20, 20]
    assert wg.datasets.make_demo()[0] == graphs == wg.load_dataset("demo")[0]


def test_three_graphs_in_a_row_have_the_same_labels_attributes_and_weights(demo):
    graphs, y = demo
    for first in range(0, len(graphs), 3):
        assert y[first : first + 3].tolist() == [0, 1, 2]
        parts = {
            (
                *(tuple(np.sort(values)) for values in (graph.node_labels, graph.degrees, graph.edge_weights)),
                *sorted(map(tuple, graph.node_attributes)),
            )
            for graph in graphs[first : first + 3]
        }
        assert len(parts) == 1


def accuracy(graphs, y, depth):
    features = DictVectorizer().fit_transform(
        {repr(label): count for label, count in wl_histogram(graph, depth).items()} for graph in graphs
    )
    triples = np.arange(len(y)) // 3  # a triple is tested together
    return cross_val_score(SVC(kernel="linear"), features, y, groups=triples, cv=LeaveOneGroupOut()).mean()


def test_weisfeiler_lehman_labels_separate_the_classes_and_a_histogram_does_not(demo):
    assert accuracy(*demo, depth=0) == pytest.approx(1 / 3)  # the graphs of a triple have the same histogram
    assert accuracy(*demo, depth=2) >= 0.9


def test_averages_of_neighbors_separate_the_classes(demo):
    graphs, y = demo
    kernel = np.exp(-wwl_distances_slowly(graphs, 1))
    triples = np.arange(len(y)) // 3
    model = SVC(kernel="precomputed", C=100)
    assert cross_val_score(model, kernel, y, groups=triples, cv=LeaveOneGroupOut()).mean() >= 0.9


def test_attributes_alone_do_not_separate_the_classes(demo):
    distances = wwl_distances_slowly(demo[0], 0)
    for first in range(0, len(distances), 3):
        np.testing.assert_allclose(distances[first : first + 3], distances[[first] * 3], atol=1e-9)
