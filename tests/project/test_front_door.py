"""Every public function accepts whatever a reader accepts: batches, networkx graphs, SMILES, matrices."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

import wassergraph as wg
from made_metrics import evaluate
from wassergraph.formats.detect import as_batch

SMILES = ["CCO", "CC=O", "c1ccccc1O", "CCN", "CCCO", "CCCN"]
CLASSES = [0, 0, 0, 1, 1, 1]


def networkx_graphs() -> list[nx.Graph]:
    return [
        nx.cycle_graph(4),
        nx.path_graph(5),
        nx.star_graph(3),
        nx.complete_graph(4),
        nx.path_graph(3),
        nx.path_graph(4),
    ]


SOURCES = {
    "SMILES": lambda: SMILES,
    "tuple of SMILES": lambda: tuple(SMILES),
    "generator of SMILES": lambda: iter(SMILES),
    "networkx": networkx_graphs,
    "matrices": lambda: [nx.to_numpy_array(graph) for graph in networkx_graphs()],
    "batches": lambda: [wg.from_smiles(text) for text in SMILES],
}
FUNCTIONS = {
    "wl_embedding": lambda graphs: wg.WWL(depth=1).embed(graphs).ptr,
    "distances": lambda graphs: wg.distances(graphs, metric=wg.WWL(depth=1)),
    "distances others": lambda graphs: (
        wg.distances(graphs, as_batch(SMILES[:2]), metric=wg.WWL(depth=0, kind="continuous"))
        if not isinstance(graphs, wg.GraphBatch)
        else wg.distances(graphs, wg.from_smiles(SMILES[:2]), metric=wg.WWL(depth=0, kind="continuous"))
    ),
    "pair_distances": lambda graphs: wg.pair_distances(graphs, None, [(0, 1), (2, 3)]),
    "transport_plan": lambda graphs: wg.transport_plan(graphs, 0, 1).matrix.toarray(),
    "compare_groups": lambda graphs: [wg.compare_groups(graphs, CLASSES, metric=wg.WWL(depth=1)).statistic],
    "WWL": lambda graphs: wg.WWL(depth=1).fit_transform(graphs),
    "WLSubtree": lambda graphs: wg.baselines.WLSubtree(depth=1).fit_transform(graphs),
    "evaluate": lambda graphs: evaluate(graphs, CLASSES, method="wl", folds=3, inner_folds=2).rows["wl"].accuracy,
    "GraphClassifier": lambda graphs: (
        wg.GraphClassifier(wg.WWL(depth=1), 1.0, 1.0, cv=3).fit(graphs, CLASSES).dual_coef_
    ),
    "report": lambda graphs: [wg.explore(graphs, CLASSES, metric=wg.WWL(depth=1)).n_graphs],
    "draw_graphs": lambda graphs: [len(wg.plot.draw_graphs(graphs).axes)],
}


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_public_functions_accept_what_readers_accept(function, source):
    expected = FUNCTIONS[function](as_batch(SOURCES[source]()))
    np.testing.assert_array_equal(FUNCTIONS[function](SOURCES[source]()), expected)


def test_the_others_may_come_from_anywhere_too():
    expected = wg.distances(wg.from_smiles(SMILES), wg.from_smiles(SMILES[:2]))
    np.testing.assert_array_equal(wg.distances(SMILES, SMILES[:2]), expected)
    fitted = wg.WWL().fit(SMILES)
    np.testing.assert_array_equal(fitted.transform(SMILES[:2]), expected.T)


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("wrong", [[7, 8], None, {"a": 1}])
def test_what_no_reader_accepts_is_a_type_error(function, wrong):
    with pytest.raises(TypeError, match="from_networkx"):
        FUNCTIONS[function](wrong)
