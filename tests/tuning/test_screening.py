"""Screening: many ways to compare graphs are compared on a sample, and the best few on all graphs."""

import numpy as np
import pytest

import wassergraph as wg
from made_metrics import evaluate, model_options
from wassergraph.learners.matrices import DerivedMatrix
from wassergraph.tuning import screening
from wassergraph.tuning.candidates import Candidates, Origin, make_candidates
from wassergraph.tuning.folds import make_folds, restrict_folds
from wassergraph.tuning.grid import Grid, GridScores
from wassergraph.tuning.screening import (
    KEPT,
    best_of_matrices,
    can_be_screened,
    draw_sample,
    embed_families,
    keep_families,
    sample_random,
    worth_computing,
)
from wassergraph.tuning.wide import decide_search, wide_families

SMILES = [f"{'C' * n}{end}" for n in range(1, 16) for end in ("O", "N", "C(=O)O", "Cl")]


@pytest.fixture(scope="module")
def molecules():
    pytest.importorskip("rdkit")
    return wg.from_smiles(SMILES), np.arange(60) % 4 % 2, np.repeat(np.arange(1.0, 16.0), 4)


@pytest.fixture(scope="module")
def demo():
    return wg.load_dataset("demo")


@pytest.fixture
def few_are_many(monkeypatch):
    """Screen from 40 graphs on, with a sample of 30."""
    monkeypatch.setattr(screening, "SCREENED_ABOVE", 40)
    monkeypatch.setattr(screening, "SAMPLE", 30)


# The sample


def test_a_sample_of_numbers_is_random_and_sorted():
    among = np.arange(5, 105)
    part = draw_sample(np.arange(200.0), among, 30, np.random.RandomState(0))
    assert len(part) == 30
    assert (np.diff(part) > 0).all()
    assert np.isin(part, among).all()
    assert part.min() < 25
    assert part.max() > 85


def test_rare_classes_are_in_the_sample_as_far_as_they_reach():
    classes = np.array([0] * 900 + [1] * 70 + [2] * 30)
    part = draw_sample(classes, np.arange(1000), 300, np.random.RandomState(0))
    assert np.bincount(classes[part]).tolist() == [200, 70, 30]
    everything = draw_sample(classes, np.arange(1000), 5000, np.random.RandomState(0))
    np.testing.assert_array_equal(everything, np.arange(1000))


@pytest.mark.parametrize("seed", [0, 1, 7, None])
def test_the_sample_is_not_drawn_in_the_order_of_the_folds(seed):
    folds = make_folds(np.arange(900.0), None, 5, 0 if seed is None else seed)
    part = draw_sample(np.arange(900.0), np.arange(900), 500, sample_random(seed))
    sizes = [len(test) for _, test in restrict_folds(folds, part)]
    assert min(sizes) > 60
    np.testing.assert_array_equal(part, draw_sample(np.arange(900.0), np.arange(900), 500, sample_random(seed)))


def test_folds_of_a_part_are_those_of_all_graphs():
    folds = [(np.array([0, 2, 3]), np.array([1, 4])), (np.array([1, 4]), np.array([0, 2, 3]))]
    part = np.array([1, 3, 4])
    found = [(part[train].tolist(), part[test].tolist()) for train, test in restrict_folds(folds, part)]
    assert found == [([3], [1, 4]), ([1, 4], [3])]


def test_a_sample_whose_folds_lack_a_class_is_not_used():
    classes = np.array([0, 0, 0, 1, 1, 1])
    whole, test = np.arange(4), np.array([4, 5])
    assert can_be_screened([(whole, test)], classes)
    assert not can_be_screened([(np.arange(3), test)], classes)
    assert not can_be_screened([(whole, np.array([4]))], classes)
    assert can_be_screened([(np.arange(3), test)], classes.astype(float))


# What is kept


def _candidates(kinds, n_depths=4):
    """Return candidates of one family for each kind; their matrices are not used."""
    graphs = wg.load_dataset("demo")[0]
    schemes = {kind: wg.WWL(kind=kind).learn(graphs) for kind in set(kinds)}
    matrix = DerivedMatrix(np.zeros((1, 1)), np.zeros(1))
    origins = [Origin(number, 0.0, depth) for number in range(len(kinds)) for depth in range(n_depths)]
    return Candidates(
        [matrix] * len(origins), [schemes[kinds[each.family]] for each in origins], [{}] * len(origins), 0, origins
    )


def test_families_that_cost_transport_are_kept_if_the_best_matrix_is_theirs():
    candidates = _candidates(["categorical", "continuous", "joint"])
    scores = np.array([0.5, 0.6, 0.7, 0.4, 0.65, 0.9, 0.66, 0.1, 0.8, 0.85, 0.2, 0.3])
    # The continuous family has the best matrix; the joint one is left out, although it is better than labels.
    assert np.flatnonzero(worth_computing(scores, candidates)).tolist() == [0, 1, 2, 4, 5, 6]


def test_labels_alone_are_kept_if_the_best_matrix_is_theirs():
    candidates = _candidates(["categorical", "joint"])
    scores = np.array([0.5, 0.9, 0.7, 0.4, 0.85, 0.86, 0.87, 0.88])
    assert np.flatnonzero(worth_computing(scores, candidates)).tolist() == [0, 1, 2, 3]


def test_the_best_of_many_are_kept():
    candidates = _candidates(["categorical"], n_depths=20)
    scores = np.random.RandomState(0).permutation(20) / 20
    kept = worth_computing(scores, candidates)
    assert kept.sum() == KEPT
    assert scores[kept].min() > scores[~kept].max()


def test_candidates_without_a_score_are_last():
    grid = Grid(({"depth": 0}, {"depth": 1}, {"depth": 2}), (1.0,), (1.0, 2.0))
    scores = GridScores.empty(grid, 2)
    scores.score[0] = [[[0.5, 0.7], [0.1, 0.2]]]
    scores.score[2] = [[[0.5, np.nan], [0.4, 0.5]]]
    np.testing.assert_allclose(best_of_matrices(scores), [0.6, -np.inf, 0.45])


def test_families_keep_the_depths_of_their_matrices(demo):
    graphs, _ = demo
    families = wide_families(graphs, wg.WWL(depth=(0, 1, 2)))
    embedded = embed_families(families, graphs)
    stacks = [each.distances(n_jobs=1, progress=False) for each in embedded]
    candidates = make_candidates(families, stacks, graphs)
    kept = np.zeros(len(candidates.matrices), dtype=bool)
    chosen = [3, 7]
    kept[chosen] = True
    remaining = keep_families(embedded, candidates, kept)
    again = make_candidates(
        [each.family for each in remaining],
        [each.distances(n_jobs=1, progress=False) for each in remaining],
        graphs,
    )
    assert len(again.matrices) < len(candidates.matrices)
    for m in chosen:
        same = [np.allclose(np.asarray(candidates.matrices[m]), np.asarray(other)) for other in again.matrices]
        assert any(same)


# The default search


def test_the_default_search(demo, molecules):
    graphs, drugs = demo[0], molecules[0]
    assert decide_search("auto", graphs) == "wide"
    assert decide_search("auto", graphs, pinned=True) == "metric"
    assert decide_search("auto", graphs, numbers=True) == "metric"
    assert decide_search("auto", drugs, numbers=True) == "wide"
    assert decide_search("metric", drugs) == "metric"
    with pytest.raises(ValueError, match="search must be one of"):
        decide_search("all", graphs)


@pytest.mark.parametrize(
    ("options", "search"),
    [
        ({}, "wide"),
        ({"depth": 1}, "metric"),
        ({"gamma": 1.0}, "metric"),
        ({"C": 1.0}, "metric"),
        ({"power": 2}, "metric"),
    ],
)
def test_parameters_that_are_given_are_not_searched_for(demo, options, search):
    assert wg.GraphClassifier(**model_options(kind="categorical", cv=2, **options)).fit(*demo).search_ == search


def test_molecules_are_compared_by_labels_and_by_both(molecules):
    families = wide_families(molecules[0], wg.WWL())
    assert [(each.scheme.kind, each.scheme.mass) for each in families] == [
        ("joint", "share"),
        ("joint", "count"),
        ("categorical", "share"),
        ("categorical", "count"),
    ]
    assert [each.preferred for each in families] == [True, True, False, False]
    many = molecules[0][np.arange(801) % 60]
    assert not any(each.preferred for each in wide_families(many, wg.WWL()))
    assert all(each.scheme.features.uses_edge_labels for each in families)


@pytest.mark.parametrize("kind", ["categorical", "joint"])
def test_a_kind_that_is_given_is_the_only_one(molecules, kind):
    graphs, y, _ = molecules
    model = wg.GraphClassifier(wg.WWL(kind=kind, mass="count"), cv=2).fit(graphs, y)
    assert model.search_ == "wide"
    assert set(model.cv_results_["param_kind"]) == {kind}
    assert set(model.cv_results_["param_mass"]) == {"count"}


# Models


@pytest.mark.usefixtures("few_are_many")
@pytest.mark.parametrize("model", [wg.GraphClassifier(), wg.GraphRegressor(), wg.GraphGaussianProcess()])
def test_models_screen_many_graphs(molecules, model, tmp_path):
    graphs, classes, numbers = molecules
    y = classes if isinstance(model, wg.GraphClassifier) else numbers
    model.fit(graphs[:50], y[:50])
    assert model.search_ == "wide"
    assert model.screening_["ways"] == 32
    assert model.screening_["graphs"] == 30
    assert model.screening_["kept"] <= KEPT
    predicted = model.predict(graphs[50:])
    np.testing.assert_array_equal(predicted, type(model)().fit(graphs[:50], y[:50]).predict(graphs[50:]))
    model.save(tmp_path / "model.wgm")
    again = wg.load_model(tmp_path / "model.wgm")
    assert (again.search_, again.screening_) == (model.search_, model.screening_)
    np.testing.assert_array_equal(again.predict(graphs[50:]), predicted)


@pytest.mark.usefixtures("few_are_many")
def test_the_chosen_way_is_among_all_ways(molecules):
    graphs, y, _ = molecules
    model = wg.GraphClassifier(cv=3).fit(graphs, y)
    grid = model.grid_scores_.grid
    assert 1 <= len(grid.matrices) <= KEPT
    chosen = model.best_params_
    distance = wg.WWL(
        depth=chosen["depth"], kind=chosen["kind"], mass=chosen["mass"], unmatched_cost=model.scheme_.unmatched
    )
    kernel = wg.kernels.laplacian_kernel(distance.fit_transform(graphs), chosen["gamma"])
    peer = wg.KreinSVC(C=chosen["C"]).fit(kernel, y)
    np.testing.assert_array_equal(model.predict(graphs), peer.predict(kernel))


@pytest.mark.usefixtures("few_are_many")
@pytest.mark.parametrize("model", [wg.GraphClassifier, wg.GraphRegressor, wg.GraphGaussianProcess])
def test_the_search_of_the_paper_compares_all_depths_on_all_graphs(molecules, model):
    graphs, classes, numbers = molecules
    fitted = model(wg.WWL(kind="categorical"), search="metric").fit(
        graphs, classes if model is wg.GraphClassifier else numbers
    )
    assert (fitted.search_, fitted.screening_) == ("metric", {})
    if fitted.grid_scores_ is not None:
        assert len(fitted.grid_scores_.grid.matrices) == 16


@pytest.mark.usefixtures("few_are_many")
def test_given_distances_and_few_ways_are_not_screened(molecules):
    graphs, y, _ = molecules
    distances = wg.distances(graphs, metric=wg.WWL(depth=range(8), mass="count", standardize="auto"))
    given = wg.GraphClassifier(wg.WWL(mass="count"), cv=2).fit(graphs, y, distances=distances)
    assert (given.search_, given.screening_) == ("metric", {})
    few = wg.GraphClassifier(wg.WWL(depth=[0, 1]), cv=2).fit(graphs, y)
    assert few.screening_ == {}


def test_few_graphs_are_compared_in_all_ways(molecules):
    graphs, y, _ = molecules
    model = wg.GraphClassifier(cv=2).fit(graphs, y)
    assert model.screening_ == {}
    assert len(model.grid_scores_.grid.matrices) == 32


# Nested cross-validation


@pytest.mark.parametrize("method", ["wwl", "wwl+svr", "wwl+gp", "wwl+knn"])
def test_the_evaluation_screens_on_training_parts(molecules, method, few_are_many):
    graphs, _, numbers = molecules
    options = {"method": method, "task": "regression", "folds": 3, "inner_folds": 2}
    row = evaluate(graphs, numbers, **options).rows[method]
    assert {"kind", "mass", "depth"} <= set(row.parameters[0][0])
    assert (row.values("rmse") < numbers.std() / 2).all()
    # What is chosen in a fold does not depend on the numbers of its test graphs.
    test = make_folds(numbers, None, 3, 0)[0][1]
    changed = numbers.copy()
    changed[test] = changed[test][::-1] + 100
    again = evaluate(graphs, changed, **options).rows[method]
    assert again.parameters[0][0] == row.parameters[0][0]
