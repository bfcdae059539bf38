"""Neighbors of an index in scikit-learn: the same results as with all distances."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.cluster import DBSCAN, AgglomerativeClustering
from sklearn.manifold import TSNE
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

import wassergraph as wg
from made_metrics import with_metric

OPTIONS = {"kind": "joint", "depth": 1}


@pytest.fixture(scope="module")
def demo():
    graphs, y = wg.load_dataset("demo")
    return graphs, y, wg.GraphIndex(graphs[:45], **with_metric(**OPTIONS))


def query_rows(index, graphs, k):
    """Return the k nearest graphs of new graphs as a sparse matrix."""
    distances, positions = index.query(graphs, k=k)
    ends = np.arange(len(graphs) + 1) * k
    return csr_matrix((distances.ravel(), positions.ravel(), ends), shape=(len(graphs), len(index)))


@pytest.mark.parametrize("model", [KNeighborsClassifier, KNeighborsRegressor])
def test_neighbors_predict_as_with_all_distances(demo, model):
    graphs, y, index = demo
    sparse = model(5, metric="precomputed").fit(csr_matrix(index.kneighbors_graph(5, include_self=True)), y[:45])
    among, across = (
        wg.distances(graphs[:45], **with_metric(**OPTIONS)),
        wg.distances(graphs[:45], graphs[45:], **with_metric(**OPTIONS)).T,
    )
    dense = model(5, metric="precomputed").fit(among, y[:45])
    np.testing.assert_allclose(sparse.predict(query_rows(index, graphs[45:], 5)), dense.predict(across))


def test_tsne_sees_the_same_neighbors(demo):
    """The affinities of t-SNE depend on 31 neighbors at a perplexity of 10, so that others need not be known."""
    graphs, _, index = demo
    options = {"perplexity": 10, "metric": "precomputed", "init": "random", "random_state": 0}
    sparse = TSNE(**options).fit(csr_matrix(index.kneighbors_graph(31, include_self=True)))
    dense = TSNE(**options).fit(wg.distances(graphs[:45], **with_metric(**OPTIONS)))
    assert sparse.embedding_.shape == (45, 2)
    assert sparse.kl_divergence_ == pytest.approx(dense.kl_divergence_, rel=0.5)
    with pytest.raises(ValueError, match="neighbors"):  # too few are an error, not a wrong map
        TSNE(**options).fit(csr_matrix(index.kneighbors_graph(20, include_self=True)))


def test_dbscan_with_as_many_neighbors_as_are_in_reach(demo):
    graphs, _, index = demo
    distances = wg.distances(graphs[:45], **with_metric(**OPTIONS))
    sorted_distances = np.sort(distances, axis=1)
    eps = float(np.median(sorted_distances[:, 4]))
    inside = int((distances <= eps).sum(axis=1).max())
    clusters = DBSCAN(eps=eps + 1e-9, min_samples=4, metric="precomputed")
    sparse = clusters.fit_predict(csr_matrix(index.kneighbors_graph(inside, include_self=True)))
    np.testing.assert_array_equal(sparse, clusters.fit_predict(distances))
    assert len(np.unique(sparse)) > 1


def test_a_hierarchy_joins_neighbors_only(demo):
    """With all graphs as neighbors, the hierarchy is the one without connectivity."""
    graphs, _, index = demo
    distances = wg.distances(graphs[:45], **with_metric(**OPTIONS))
    options = {"n_clusters": 3, "metric": "precomputed", "linkage": "average"}
    free = AgglomerativeClustering(**options).fit_predict(distances)
    links = csr_matrix(index.kneighbors_graph(44, mode="connectivity"))
    joined = AgglomerativeClustering(connectivity=links, **options).fit_predict(distances)
    assert len({*zip(free.tolist(), joined.tolist(), strict=True)}) == 3
