"""The demo set keeps what it promises: histograms cannot tell its classes apart, Weisfeiler–Lehman can."""

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
    return wg.make_demo()


def test_it_has_everything_and_is_always_the_same(demo):
    graphs, y = demo
    assert graphs.node_labels is not None
    assert graphs.node_attributes is not None
    assert graphs.edge_weights is not None
    assert np.bincount(y).tolist() == [20, 20, 20]
    assert wg.make_demo()[0] == graphs == wg.load_dataset("demo")[0]


def test_graphs_of_a_recipe_have_the_same_parts_in_all_classes(demo):
    graphs, y = demo
    for first in range(0, len(graphs), 3):
        assert y[first : first + 3].tolist() == [0, 1, 2]
        parts = {
            tuple(
                tuple(np.sort(values).tolist())
                for values in (
                    graph.node_labels,
                    graph.degrees,
                    graph.node_attributes @ [1.0, np.pi],  # one number for each pair of attributes
                    graph.edge_weights,
                )
            )
            for graph in graphs[first : first + 3]
        }
        assert len(parts) == 1


def accuracy(graphs, y, depth):
    features = DictVectorizer().fit_transform(
        {repr(label): count for label, count in wl_histogram(graph, depth).items()} for graph in graphs
    )
    recipes = np.arange(len(y)) // 3  # a test graph's siblings, made from the same parts, are not in the training set
    return cross_val_score(SVC(kernel="linear"), features, y, groups=recipes, cv=LeaveOneGroupOut()).mean()


def test_weisfeiler_lehman_tells_the_classes_apart_and_a_histogram_does_not(demo):
    assert accuracy(*demo, depth=0) <= 1 / 3
    assert accuracy(*demo, depth=2) >= 0.9


def test_averages_of_neighbors_tell_the_classes_apart_and_attributes_alone_do_not(demo):
    graphs, y = demo
    recipes = np.arange(len(y)) // 3

    def score(depth):
        kernel = np.exp(-wwl_distances_slowly(graphs, depth))
        return cross_val_score(
            SVC(kernel="precomputed", C=100), kernel, y, groups=recipes, cv=LeaveOneGroupOut()
        ).mean()

    assert score(depth=0) <= 0.4
    assert score(depth=1) >= 0.9
