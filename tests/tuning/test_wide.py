"""The wide search: derived matrices, families, racing, and the options that it chooses from."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from sklearn.svm import SVC

import wassergraph as wg
from made_metrics import evaluate, metric_of, model_options, with_metric
from wassergraph.learners.effort import Effort
from wassergraph.learners.matrices import DerivedMatrix, median_distance
from wassergraph.learners.svm.learner import SVMLearner
from wassergraph.models.model_files.parts import _read_grid, grid_to_json, read_candidate
from wassergraph.tuning.candidates import Family, make_candidates
from wassergraph.tuning.folds import make_folds
from wassergraph.tuning.grid import Grid, GridScores
from wassergraph.tuning.selection import choose, score_grid
from wassergraph.tuning.wide import WIDE_C_VALUES, WIDE_EFFORT, WIDE_GAMMAS, wide_families


@pytest.fixture(scope="module")
def demo():
    return wg.load_dataset("demo")


@pytest.fixture(scope="module")
def mixed():
    """Rings and stars of different sizes, with random labels, attributes and edge labels: the degree decides."""
    random = np.random.RandomState(0)
    edges, sizes = [], random.randint(4, 10, size=40)
    for graph, n in enumerate(sizes):
        edges.append([(v, (v + 1) % n) for v in range(n)] if graph % 2 else [(0, v) for v in range(1, n)])
    graphs = wg.from_edges(
        edges,
        n_nodes=sizes,
        node_labels=[random.randint(2, size=n) for n in sizes],
        node_attributes=[random.normal(size=(n, 2)) for n in sizes],
        symmetrize=True,
    )
    return graphs, np.arange(40) % 2


def is_cnd(distances):
    """Return whether a matrix is conditionally negative definite: no positive eigenvalue once it is centered."""
    centered = distances - distances.mean(axis=0) - distances.mean(axis=1)[:, None] + distances.mean()
    return np.linalg.eigvalsh(centered).max() < 1e-9 * np.abs(distances).max() * len(distances)


# Derived matrices


@pytest.mark.parametrize("weight", [0.0, 0.7])
@pytest.mark.parametrize("power", [0.5, 1.0, 2.0])
def test_a_derived_matrix_is_its_formula(demo, weight, power):
    graphs = demo[0][:20]
    distances = wg.distances(graphs, metric=wg.WWL(depth=1, standardize=False))
    logs = np.log(graphs.sizes)
    matrix = DerivedMatrix(distances, logs, weight, power)
    expected = (distances + weight * np.abs(logs[:, None] - logs)) ** power
    np.testing.assert_allclose(np.asarray(matrix), expected, rtol=1e-14)
    rows, columns = np.array([3, 1, 7]), np.array([0, 19])
    np.testing.assert_allclose(matrix[np.ix_(rows, columns)], expected[np.ix_(rows, columns)], rtol=1e-14)
    np.testing.assert_allclose(matrix.all_distances(), expected ** (1 / power), rtol=1e-14)
    assert matrix.shape == (20, 20)


def test_the_size_term_is_that_of_the_embedding(demo):
    graphs = demo[0][:25]
    for kind in ("categorical", "continuous"):
        distances, logs = (
            wg.distances(graphs, metric=wg.WWL(depth=2, kind=kind, standardize=False)),
            np.log(graphs.sizes),
        )
        expected = wg.distances(graphs, metric=wg.WWL(depth=2, kind=kind, size_weight=0.4, standardize=False))
        np.testing.assert_allclose(np.asarray(DerivedMatrix(distances, logs, 0.4)), expected, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("mass", ["share", "count"])
def test_label_distances_with_sizes_make_definite_kernels_up_to_the_power_1(mixed, mass):
    graphs = mixed[0]
    distances = wg.distances(graphs, metric=wg.WWL(depth=2, kind="categorical", mass=mass))
    logs = np.log(graphs.sizes)
    for weight in (0.0, 0.5):
        assert is_cnd(np.asarray(DerivedMatrix(distances, logs, weight)))
        for power in (0.5, 1.0):
            matrix = np.asarray(DerivedMatrix(distances, logs, weight, power))
            assert is_cnd(matrix)
            for gamma in (0.1, 1.0, 10.0):
                assert np.linalg.eigvalsh(wg.kernels.laplacian_kernel(matrix, gamma)).min() > -1e-10


def test_squares_of_label_distances_may_be_indefinite():
    # Four graphs with two labels each, neighbors on a square with one label in common.
    graphs = wg.from_edges([[]] * 4, n_nodes=[2] * 4, node_labels=[[0, 2], [0, 3], [1, 3], [1, 2]])
    distances = wg.distances(graphs, metric=wg.WWL(depth=0, kind="categorical"))
    np.testing.assert_allclose(distances[0], [0, 0.5, 1, 0.5])
    assert is_cnd(distances)
    assert np.linalg.eigvalsh(wg.kernels.laplacian_kernel(distances, 0.4)).min() > 0
    smallest = np.linalg.eigvalsh(wg.kernels.laplacian_kernel(distances, 0.4, power=2)).min()
    assert smallest == pytest.approx(1 - 2 * np.exp(-0.1) + np.exp(-0.4))  # negative
    assert wg.kernels.definiteness(wg.kernels.laplacian_kernel(distances, 0.4, power=2)).n_negative == 1


def test_powers_are_checked(demo):
    distances = wg.distances(demo[0][:5])
    np.testing.assert_allclose(
        wg.kernels.laplacian_kernel(distances, 0.3, power=2), np.exp(-0.3 * distances**2), rtol=1e-14
    )
    for power in (0, -1, np.inf, np.nan):
        with pytest.raises(ValueError, match="power must be positive and finite"):
            wg.kernels.laplacian_kernel(distances, 0.3, power=power)


def test_the_median_is_over_pairs_and_never_zero():
    assert median_distance(np.array([[0.0, 1, 4], [1, 0, 2], [4, 2, 0]])) == 2
    assert median_distance(np.zeros((3, 3))) == 1
    assert median_distance(np.zeros((1, 1))) == 1


def test_candidates_are_named_by_what_they_are(mixed):
    graphs = mixed[0]
    depths = (0, 2)
    families = wide_families(graphs, wg.WWL(depth=depths, kind="categorical"))
    stacks = [
        wg.distances(graphs, metric=wg.WWL(depth=depths, kind="categorical", mass=mass)) for mass in ("share", "count")
    ]
    found = make_candidates(families, stacks, graphs, powers=(1.0, 2.0))
    assert len(found.matrices) == 2 * (2 * 2 + 2) == len(found.parameters) == len(found.schemes)
    assert found.n_simple == 2
    assert found.parameters[1] == {
        "kind": "categorical",
        "edge_labels": False,
        "degrees": False,
        "mass": "share",
        "size_weight": 0.0,
        "power": 1.0,
        "depth": 2,
    }
    for matrix, scheme, parameters in zip(*found[:3], strict=True):
        same = {"mass": parameters["mass"], "size_weight": parameters["size_weight"], "depth": parameters["depth"]}
        expected = wg.distances(graphs, **with_metric(kind="categorical", **same))
        np.testing.assert_allclose(matrix.all_distances(), expected, rtol=1e-12, atol=1e-14)
        assert (scheme.mass, scheme.size_weight) == (parameters["mass"], parameters["size_weight"])
        assert (matrix.power, matrix.definite) == (parameters["power"], parameters["power"] == 1)
    weighted = [parameters["size_weight"] > 0 for parameters in found.parameters]
    assert sum(weighted) == 4
    logs = np.log(graphs.sizes)
    share = found.parameters[4]["size_weight"] * median_distance(np.abs(logs[:, None] - logs))
    assert share == pytest.approx(0.3 * median_distance(stacks[0][0]), rel=1e-5)


def test_families_of_one_way_have_no_name_for_it(demo):
    graphs = demo[0][:10]
    scheme = wide_families(graphs, wg.WWL(kind="joint"))[0].scheme
    stack = wg.distances(graphs, metric=wg.WWL(depth=(1,), kind="joint", standardize=False))
    found = make_candidates([Family(scheme, {}, (1,))], [stack], graphs)
    assert found.parameters == [{"depth": 1}]


@pytest.mark.parametrize(("depth", "of_others"), [("auto", (0, 1, 2, 3, 4)), ([2, 6], (2,)), ([5, 6], (5,))])
def test_ways_other_than_the_papers_are_not_deep(demo, depth, of_others):
    first, *others = wide_families(demo[0], wg.WWL(depth=depth))
    assert first.depths == (tuple(range(8)) if depth == "auto" else tuple(depth))
    assert {family.depths for family in others} == {of_others}


# Families


def named(families):
    chosen = [family.parameters for family in families]
    return [(each["kind"], each["mass"], *(k for k in ("edge_labels", "degrees") if each[k])) for each in chosen]


def test_the_families_follow_from_what_graphs_have(demo, mixed):
    attributes = [("continuous", "share"), ("continuous", "count"), ("continuous", "share", "degrees")]
    labels = [("categorical", "share"), ("categorical", "count")]
    edges = [(*name, "edge_labels") for name in labels]
    assert named(wide_families(mixed[0], wg.WWL())) == [*attributes, *labels, ("joint", "share")]
    assert [max(family.depths) for family in wide_families(mixed[0], wg.WWL())] == [7, 4, 4, 4, 4, 4]
    assert named(wide_families(mixed[0], wg.WWL(kind="categorical"))) == labels
    assert named(wide_families(mixed[0], wg.WWL(kind="continuous"))) == attributes
    counts = [("continuous", "count"), ("continuous", "count", "degrees"), ("categorical", "count"), ("joint", "count")]
    assert named(wide_families(mixed[0], wg.WWL(mass="count"))) == counts
    bare = wg.from_edges([[(0, 1), (1, 2)]], symmetrize=True)
    assert named(wide_families(bare, wg.WWL())) == labels
    degrees = bare.degree_attributes()
    assert named(wide_families(degrees, wg.WWL())) == [*attributes[:2], *labels]
    bonds = wg.from_edges([[(0, 1)]], node_labels=[[0, 1]], edge_labels=[[1]], symmetrize=True)
    assert named(wide_families(bonds, wg.WWL())) == [*labels, *edges]
    assert named(wide_families(bonds, wg.WWL(edge_labels="use"))) == edges
    assert named(wide_families(bonds, wg.WWL(edge_labels="ignore"))) == labels


def test_the_degree_is_one_more_attribute(mixed):
    graphs = mixed[0]
    more = graphs.append_degrees()
    assert more.node_attributes.shape == (graphs.n_nodes, 3)
    np.testing.assert_array_equal(more.node_attributes[:, :2], graphs.node_attributes)
    np.testing.assert_array_equal(more.node_attributes[:, 2], graphs.degrees)
    (family,) = [each for each in wide_families(graphs, wg.WWL(standardize=True)) if each.scheme.degrees]
    assert (family.scheme.n_attributes, family.scheme.n_given_attributes) == (3, 2)
    expected = wg.WWL(depth=2, kind="continuous", standardize=True).embed(more).points
    np.testing.assert_allclose(family.scheme.embed(graphs, 2).points, expected, rtol=1e-12)
    with pytest.raises(ValueError, match="no node attributes"):
        wg.from_edges([[(0, 1)]], symmetrize=True).append_degrees()


@pytest.mark.parametrize("kind", ["auto", "categorical"])
def test_the_wide_search_is_a_list_of_metrics(mixed, kind):
    graphs, y = mixed
    template = wg.WWL(depth=[0, 1], kind=kind)
    model = wg.GraphClassifier(template, search="wide", cv=3).fit(graphs, y)
    again = wg.GraphClassifier(wg.wide_metrics(graphs, template), search="wide", cv=3).fit(graphs, y)
    assert again.best_params_ == model.best_params_
    assert again.grid_scores_.grid == model.grid_scores_.grid
    np.testing.assert_array_equal(again.grid_scores_.score, model.grid_scores_.score)
    np.testing.assert_array_equal(again.dual_coef_, model.dual_coef_)


def test_the_list_of_a_wide_search_can_be_shortened(mixed):
    graphs, y = mixed
    first, second, *_ = wg.wide_metrics(graphs, wg.WWL(depth=[0, 1]))
    model = wg.GraphClassifier([first, second], search="wide", cv=3).fit(graphs, y)
    assert {(matrix["kind"], matrix["mass"]) for matrix in model.grid_scores_.grid.matrices} == {
        ("continuous", "share"),
        ("continuous", "count"),
    }
    assert model.grid_scores_.grid.n_simple == 2
    for option in ({"degrees": True}, {"size_weight": 0.5}):
        with pytest.raises(ValueError, match=f"wide search chooses this itself, but {next(iter(option))}=.* is given"):
            wg.wide_metrics(graphs, wg.WWL(**option))


# Racing


def test_the_best_matrices_remain():
    score = np.array([0.5, 0.9, 0.7, 0.8])[:, None, None, None] * np.ones((4, 2, 2, 1))
    effort = Effort(margin=100.0, keep=(3, 1))

    def remaining(score):
        return effort.remaining(score, lambda _: 1.0)[:, 0, 0].tolist()

    assert remaining(score) == [False, True, True, True]
    assert remaining(np.repeat(score, 2, axis=-1)) == [False, True, False, False]
    assert remaining(np.repeat(score, 4, axis=-1)) == [False, True, False, False]
    score[3] = np.nan
    assert remaining(score) == [True, True, True, False]
    simple = effort.remaining(np.repeat(score, 2, axis=-1), lambda _: 1.0, n_simple=1)[:, 0, 0].tolist()
    assert simple == [True, True, False, False]


def test_of_equal_matrices_the_first_remain():
    effort = Effort(margin=1.0, keep=(2,))
    assert effort.remaining(np.ones((4, 1, 1, 1)), lambda _: 1.0).ravel().tolist() == [True, True, False, False]


def grid_scores(means, n_simple):
    matrices = tuple({"depth": depth} for depth in range(len(means)))
    scores = GridScores.empty(Grid(matrices, (1.0,), (1.0,), n_simple=n_simple), 1)
    scores.score[:, 0, 0, 0] = means
    return scores


def test_a_lead_is_needed_in_place_of_the_simple_matrices():
    scores = grid_scores([0.70, 0.80, 0.83, 0.79], n_simple=2)
    assert scores.best()[0] == 2
    assert scores.best(0.02)[0] == 2
    assert scores.best(0.04) == (1, 0.80)
    assert grid_scores([np.nan, np.nan, 0.5], n_simple=2).best(0.9)[0] == 2
    learner = SVMLearner(2, krein=False)
    error = learner.standard_error(0.83, 100)
    assert choose(scores, 100, learner, Effort(lead=0.02 / error))[0] == 2
    assert choose(scores, 100, learner, Effort(lead=0.04 / error))[0] == 1


def test_racing_finds_what_the_whole_search_finds(demo):
    graphs, y = demo
    matrices = wg.distances(graphs, metric=wg.WWL(depth=range(4), kind="continuous", standardize=False))
    grid = Grid.of_depths(range(4), (0.1, 1.0), (1.0, 10.0))
    folds = make_folds(y, np.unique(y), 5, 0)
    learner = SVMLearner(3, krein=True)
    whole = score_grid(matrices, y, folds, grid, learner)
    raced = score_grid(matrices, y, folds, grid, learner, effort=Effort(margin=50.0, keep=(3, 2)))
    assert np.isnan(raced.score[..., -1]).reshape(4, -1).all(axis=1).sum() == 2
    kept = ~np.isnan(raced.score)
    np.testing.assert_array_equal(raced.score[kept], whole.score[kept])


def test_gammas_have_the_unit_of_their_matrix():
    grid = Grid(({"depth": 0}, {"depth": 1}), (0.3, 3.0), (1.0,), scales=(0.5, 1.0))
    assert (grid.kernel_gammas(0), grid.kernel_gammas(1)) == ((0.6, 6.0), (0.3, 3.0))
    assert [grid.candidate(number)["gamma"] for number in range(4)] == [0.6, 6.0, 0.3, 3.0]


# The classifier


def test_the_wide_search_finds_the_degree(mixed):
    graphs, y = mixed
    model = wg.GraphClassifier(wg.WWL(depth=[0, 1], kind="continuous"), search="wide", cv=3).fit(graphs[:30], y[:30])
    assert model.best_params_["degrees"]
    assert model.score(graphs[30:], y[30:]) == 1
    names = {"kind", "edge_labels", "degrees", "mass", "size_weight", "depth", "gamma", "C"}
    assert set(model.best_params_) == names
    assert {f"param_{name}" for name in names} <= set(model.cv_results_)
    assert sorted(set(model.cv_results_["param_C"])) == list(WIDE_C_VALUES)
    with pytest.raises(ValueError, match="these graphs have 3 node attributes, but the model was trained on"):
        model.predict(graphs.append_degrees())


@pytest.mark.parametrize("kind", ["auto", "categorical", "continuous", "joint"])
def test_a_wide_model_is_an_svm_on_the_distances_that_it_names(mixed, kind, tmp_path):
    graphs, y = mixed
    random = np.random.RandomState(1)
    classes = np.where(random.uniform(size=40) < 0.2, 1 - y, y)
    model = wg.GraphClassifier(wg.WWL(depth=[0, 1, 2], kind=kind), search="wide", cv=3).fit(graphs[:30], classes[:30])
    chosen = model.best_params_
    used = graphs.append_degrees() if chosen["degrees"] else graphs
    options = {name: chosen[name] for name in ("kind", "mass", "size_weight", "depth")}
    distance = metric_of(standardize=chosen["kind"] != "categorical", unmatched_cost=model.scheme_.unmatched, **options)
    among = wg.kernels.laplacian_kernel(distance.fit_transform(used[:30]), chosen["gamma"])
    rows = wg.kernels.laplacian_kernel(distance.transform(used[30:]), chosen["gamma"])
    peer = SVC(C=chosen["C"], kernel="precomputed", tol=1e-8) if model.n_negative_ == 0 else wg.KreinSVC(C=chosen["C"])
    decisions = peer.fit(among, classes[:30]).decision_function(rows)
    np.testing.assert_allclose(model.decision_function(graphs[30:]), decisions, atol=5e-3)
    model.save(tmp_path / "m.wgm")
    again = wg.load_model(tmp_path / "m.wgm")
    np.testing.assert_array_equal(again.decision_function(graphs[30:]), model.decision_function(graphs[30:]))
    assert again.best_params_ == chosen
    assert again.grid_scores_.grid == model.grid_scores_.grid
    explained = model.explain(graphs[31])
    assert explained.node_scores.sum() == pytest.approx(explained.value, abs=1e-9)
    nearest = model.neighbors(graphs[:30])
    np.testing.assert_allclose(nearest.distances, 0, atol=1e-9)


@pytest.mark.parametrize("kind", ["categorical", "continuous"])
def test_powers_of_distances(demo, kind):
    graphs, y = demo
    two = y < 2
    graphs, y = graphs[np.flatnonzero(two)], y[two]
    fixed = {"depth": 1, "gamma": 2.0, "C": 10.0}
    model = wg.GraphClassifier(**model_options(kind=kind, power=2, **fixed)).fit(graphs[:30], y[:30])
    assert model.best_params_ == {"power": 2.0, **fixed}
    distance = wg.WWL(depth=1, kind=kind, standardize=kind == "continuous")
    among, rows = distance.fit_transform(graphs[:30]), distance.transform(graphs[30:])
    peer = wg.KreinSVC(C=10.0, tol=1e-8).fit(np.exp(-2 * among**2), y[:30])
    expected = peer.decision_function(np.exp(-2 * rows**2))
    np.testing.assert_allclose(model.decision_function(graphs[30:]), expected, atol=5e-3)
    explained = model.explain(graphs[35])
    assert explained.node_scores.sum() == pytest.approx(explained.value, abs=1e-9)
    chosen = wg.GraphClassifier(wg.WWL(depth=[0, 1], kind=kind), power=(0.5, 1, 2), gamma=1.0, cv=3).fit(graphs, y)
    assert sorted(set(chosen.cv_results_["param_power"])) == [0.5, 1.0, 2.0]


def test_gamma_relative_to_the_median(demo):
    graphs, y = demo
    model = wg.GraphClassifier(wg.WWL(depth=2, kind="categorical"), gamma=0.5, C=1.0, gamma_scale="median").fit(
        graphs, y
    )
    distances = wg.distances(graphs, metric=wg.WWL(depth=2, kind="categorical"))
    median = np.median(distances[np.triu_indices(60, 1)])
    assert model.best_params_["gamma"] == pytest.approx(0.5 / median, rel=1e-11)
    scaled = wg.GraphClassifier(
        wg.WWL(depth=2, kind="continuous", standardize=False), gamma=0.5, C=1.0, gamma_scale="median"
    )
    large = replace(graphs, node_attributes=1000 * graphs.node_attributes)
    decisions = [scaled.fit(each, y).decision_function(each) for each in (graphs, large)]
    np.testing.assert_allclose(*decisions, atol=1e-6)  # the unit of the attributes does not matter


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"search": "deep"}, "search must be one of 'auto', 'metric', 'wide', got 'deep'"),
        ({"search": "wide", "size_weight": 0.5}, "chooses this itself, but size_weight=0.5 is given"),
        ({"search": "wide", "mass": "weight"}, 'mass must be "auto", "share", "count"'),
        ({"search": "wide", "edge_labels": "use", "kind": "categorical"}, "needs edge labels"),
        ({"power": 0}, "power must be a positive number"),
        ({"power": [1, -2]}, "power must be a positive number"),
        ({"gamma_scale": "mean"}, "gamma_scale must be one of 'auto', 'none', 'median'"),
        ({"gamma": "all"}, "gamma must be a positive number"),
    ],
)
def test_bad_parameters_raise(demo, parameters, message):
    with pytest.raises(ValueError, match=message):
        wg.GraphClassifier(**model_options(depth=0, **parameters)).fit(*demo)


def test_given_distances_belong_to_one_way(demo):
    graphs, y = demo
    with pytest.raises(ValueError, match="compares the graphs in several ways"):
        wg.GraphClassifier(wg.WWL(depth=0), search="wide").fit(
            graphs, y, distances=wg.distances(graphs, metric=wg.WWL(depth=[0], standardize=False))
        )


def test_candidates_that_fell_behind_are_ranked_last(demo):
    model = wg.GraphClassifier(wg.WWL(depth=range(3)), search="wide", cv=3).fit(*demo)
    table = model.cv_results_
    missing = np.isnan(table["mean_test_score"])
    assert missing.any()
    assert table["rank_test_score"][~missing].max() < table["rank_test_score"][missing].min()
    assert table["rank_test_score"].min() == 1


def test_the_scale_of_gamma_can_be_chosen(demo):
    gammas = {
        scale: wg.GraphClassifier(wg.WWL(depth=1), 0.5, 1.0, search="wide", gamma_scale=scale)
        .fit(*demo)
        .best_params_["gamma"]
        for scale in ("none", "median", "auto")
    }
    assert gammas["none"] == 0.5
    assert gammas["median"] == gammas["auto"] != 0.5


def test_the_power_1_is_the_papers(demo):
    model = wg.GraphClassifier(wg.WWL(depth=[1], kind="categorical"), search="wide", power=[0.5, 1.0], cv=3).fit(*demo)
    grid = model.grid_scores_.grid
    assert [matrix["power"] for matrix in grid.matrices[:2]] == [1.0, 0.5]
    assert grid.n_simple == 1


def test_graphs_of_one_size_have_no_size_term():
    graphs = wg.from_edges([[(0, 1), (1, 2)], [(0, 1)], [(0, 2)]], n_nodes=[3] * 3, symmetrize=True)
    families = wide_families(graphs, wg.WWL(depth=[0]))
    stacks = [
        wg.distances(graphs, metric=wg.WWL(depth=[0], kind="categorical", mass=mass)) for mass in ("share", "count")
    ]
    found = make_candidates(families, stacks, graphs)
    assert [parameters["size_weight"] for parameters in found.parameters] == [0, 0]


def test_the_wide_search_on_molecules_compares_labels_and_both():
    pytest.importorskip("rdkit")
    smiles = ["CCO", "CCN", "CCC", "c1ccccc1O", "c1ccccc1N", "CC(=O)O", "CCCl", "CCBr", "C1CCCCC1", "C=C"]
    graphs = wg.from_smiles(smiles)
    families = wide_families(graphs, wg.WWL())
    assert [family.scheme.kind for family in families] == ["joint"] * 2 + ["categorical"] * 2
    assert [family.scheme.mass for family in families] == ["share", "count"] * 2
    uses = {family.scheme.features for family in wide_families(graphs, wg.WWL(kind="joint", edge_labels="ignore"))}
    assert len(uses) == 1
    assert not uses.pop().uses_edge_labels
    report = evaluate(graphs, [0, 1] * 5, method="wwl-wide", depth=[0, 1], folds=2, inner_folds=2)
    (row,) = report.rows.values()
    assert (row.kind, str(row.features)) == ("continuous", "what the folds choose")


def test_attributes_are_not_refined_over_edge_labels():
    graphs = wg.from_edges([[(0, 1)]], node_attributes=[[[0.0], [1.0]]], edge_labels=[[1]], symmetrize=True)
    with pytest.raises(ValueError, match="refines node labels"):
        wide_families(graphs, wg.WWL(kind="continuous", edge_labels="use"))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n_simple": 10**9}, "n_simple is 1000000000"),
        ({"n_simple": "2"}, "n_simple is '2'"),
        ({"n_simple": -1}, "n_simple is -1"),
        ({"scales": [1.0]}, "1 scales of gamma"),
        ({"scales": 3}, "scales is 3, not a list"),
        ({"matrices": 3}, "matrices is 3, not a list"),
        ({"gammas": [-1.0, 1.0, 1.0, 1.0]}, "gamma is -1.0"),
        ({"C_values": ["a"] * 5}, "C is 'a'"),
    ],
)
def test_damaged_candidates_are_refused(change, message):
    header = wide_header()
    with pytest.raises(ValueError, match=message):
        _read_grid({**header, **change})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kind": "both"}, "kind is 'both'"),
        ({"edge_labels": 0}, "edge_labels is 0"),
        ({"depth": True}, "the depth is True"),
        ({"size_weight": "0.5"}, "size_weight is '0.5'"),
        ({"power": 0}, "power is 0"),
        ({"power": "2"}, "power is '2'"),
        ({"gamma": 0}, "gamma is 0"),
    ],
)
def test_damaged_choices_are_refused(change, message):
    chosen = {**wide_header()["matrices"][0], "power": 2.0, "gamma": 1.0, "C": 1.0}
    assert read_candidate(chosen) == chosen
    with pytest.raises(ValueError, match=message):
        read_candidate({**chosen, **change})


def wide_header():
    path = Path(__file__).parents[1] / "specimens" / "model-v4-wide.wgm"
    header = json.loads(json.dumps(grid_to_json(wg.load_model(path).grid_scores_)))
    assert _read_grid(header).n_simple == 2
    return header


# Evaluation


@pytest.mark.parametrize("options", [{"mass": "count"}, {"edge_labels": "ignore"}])
def test_the_evaluation_refuses_what_the_search_chooses(demo, options):
    with pytest.raises(ValueError, match="wwl-wide chooses this itself"):
        evaluate(*demo, method=["wwl", "wwl-wide"], **options)
    with pytest.raises(ValueError, match="has no variant 'count', because it makes its own choices"):
        evaluate(*demo, method="wwl-wide+count")


def test_distances_of_families_are_kept_in_a_folder(demo, tmp_path, monkeypatch):
    graphs, y = demo
    options = {"depth": [0, 1], "search": "wide", "folds": 2, "inner_folds": 2, "kind": "continuous"}
    first = evaluate(graphs, y, **options, cache=tmp_path).rows["wwl"]
    assert len(list(tmp_path.glob("*.npz"))) == len(wide_families(graphs, wg.WWL(kind="continuous")))
    monkeypatch.setattr("wassergraph.tuning.screening.embedding_distances", None)
    again = evaluate(graphs, y, **options, cache=tmp_path).rows["wwl"]
    np.testing.assert_array_equal(first.accuracy, again.accuracy)


def test_the_wide_search_is_evaluated(demo):
    graphs, y = demo
    options = {"method": "wwl-wide", "depth": range(3), "folds": 3, "inner_folds": 2, "kind": "continuous"}
    report = evaluate(graphs, y, **options)
    (row,) = report.rows.values()
    (repetition,) = row.repetitions
    assert np.mean(repetition.accuracy) > 0.5
    assert all(set(chosen) >= {"kind", "mass", "degrees", "size_weight"} for chosen in repetition.parameters)
    ((again,),) = [row.repetitions for row in evaluate(graphs, y, **options, n_jobs=2).rows.values()]
    assert (again.accuracy, again.parameters) == (repetition.accuracy, repetition.parameters)


def test_the_wide_search_costs_at_most_four_times_the_fits_of_the_papers_grid(mixed):
    """Count paths of fits, one for each matrix and gamma in an inner fold, at the most that racing allows."""
    n_folds, paper = 5, 8 * 6 * 5
    families = wide_families(mixed[0], wg.WWL())
    n_matrices = sum(len(family.size_shares) * len(family.depths) for family in families)
    kept = [*WIDE_EFFORT.keep, *[WIDE_EFFORT.keep[-1]] * (n_folds - 1 - len(WIDE_EFFORT.keep))]
    n_paths = (n_matrices + sum(len(families[0].depths) + each for each in kept)) * len(WIDE_GAMMAS)
    assert n_paths <= 4 * paper
