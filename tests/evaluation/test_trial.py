"""Methods, their plans and variants, and repetitions of a trial."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import StratifiedKFold

import wassergraph as wg
from cross_validation import cross_validate
from made_metrics import with_metric
from svm_reference import Reference, new_svc, predict
from wassergraph.evaluation.matrices import SINKHORN_TOL, MatrixOptions, Threads
from wassergraph.evaluation.methods import METHODS, REGS
from wassergraph.evaluation.plans import make_plan, plan_for
from wassergraph.evaluation.preparation import Preparation, preparation_for
from wassergraph.evaluation.repetition import Repetition
from wassergraph.evaluation.trial import EFFORT, MANY_GRAPHS, RACE, Trial, effort_of
from wassergraph.reproduction.paper import SINKHORN_GRID
from wassergraph.reproduction.setups import load_prepared
from wassergraph.tuning.grid import ATTRIBUTE_C_VALUES, GAMMAS, LABEL_C_VALUES, Grid

# The matrices of the wide search are computed in folds: see test_screening.py.
GRAPH_METHODS = [name for name, method in METHODS.items() if not method.compares_fingerprints and not method.wide]
EVERY = [(name, kind) for name in GRAPH_METHODS for kind in METHODS[name].kinds]
FEW = {"folds": 3, "inner_folds": 2}


@pytest.fixture(scope="module")
def demo():
    return load_prepared("demo", "continuous")


def small(plan, **changes):
    """Return a plan with other matrix options, such as fewer depths, and the candidates to match."""
    options = tuple(replace(each, **changes) for each in plan.options)
    parameters = METHODS[options[0].method].parameters(options[0])
    return replace(plan, options=options, grid=replace(plan.grid, matrices=parameters))


def quick(method, kind, *, standardize=True):
    """Return a plan that is quick: two depths if the method has any, two regs, few hashes."""
    plan = make_plan(method, kind, standardize=standardize)
    (options,) = plan.options
    changes = {"depths": options.depths[:2], "regs": tuple(reg for reg in options.regs if reg in (0.0, 0.5))}
    return small(plan, **changes, **({"iterations": 3, "draws": 2} if options.draws else {}))


# Methods


@pytest.mark.parametrize(("name", "kind"), EVERY)
def test_every_method_makes_the_matrices_that_it_names(demo, name, kind):
    graphs = demo[0][::2]
    (options,) = quick(name, kind).options
    method = METHODS[name]
    matrices = method.matrices(graphs, options, Threads())
    assert matrices.shape == (len(method.parameters(options)), len(graphs), len(graphs))
    assert np.isfinite(matrices).all()
    np.testing.assert_allclose(matrices, matrices.transpose(0, 2, 1), rtol=1e-12, atol=1e-12)
    diagonals = np.diagonal(matrices, axis1=1, axis2=2)
    if not method.distances:
        np.testing.assert_allclose(diagonals.mean(axis=1), 1, rtol=1e-12)
        assert (np.linalg.eigvalsh(matrices) > -1e-9 * len(graphs)).all()
    elif name == "wwl":
        assert (diagonals == 0).all()
        assert (matrices >= 0).all()
        assert matrices.max() > 0
    np.testing.assert_array_equal(matrices, method.matrices(graphs, options, Threads(n_jobs=2)))


@pytest.mark.parametrize("name", GRAPH_METHODS)
def test_the_papers_matrices_are_named_by_depth_and_strength(name):
    plan = make_plan(name, METHODS[name].kinds[0])
    without = ("v", "e", "v-gaussian", "e-gaussian", "hgk-sp", "hgk-sp-all-pairs", "gh")
    depths = {"vh-c": (0,), **dict.fromkeys(without, ())}.get(name, tuple(range(8)))
    if name == "wwl-sinkhorn":
        assert REGS == (10, 1, 0.5, 0.2, 0)  # the most entropic first
        assert sorted(REGS) == [0.0, *SINKHORN_GRID[3:]]  # 0, the exact distance, in place of the smallest
        expected = [{"depth": depth, "reg": reg} for depth in depths for reg in REGS]
    else:
        expected = [{"depth": depth} for depth in depths] or [{}]
    assert list(plan.grid.matrices) == expected
    assert plan.options[0].depths == depths


def test_matrices_come_in_the_order_of_their_names(demo):
    graphs = demo[0][:10]
    options = MatrixOptions("wwl-sinkhorn", "continuous", depths=(0, 2), regs=(0.0, 0.5, 1.0), standardize=True)
    method, arguments = METHODS["wwl-sinkhorn"], {"kind": "continuous", "standardize": True}
    alone = {}
    for reg in options.regs:
        entropic = {"solver": "sinkhorn", "reg": reg, "tol": SINKHORN_TOL} if reg else {}
        for depth, matrix in zip(
            (0, 2), wg.distances(graphs, **with_metric(depth=(0, 2), **arguments, **entropic)), strict=True
        ):
            alone[depth, reg] = matrix
    for name, matrix in zip(method.parameters(options), method.matrices(graphs, options, Threads()), strict=True):
        np.testing.assert_array_equal(matrix, alone.pop((name["depth"], name["reg"])))
    assert alone == {}


def test_a_kernel_of_hashes_is_the_mean_of_its_draws(demo):
    graphs = demo[0][:20]
    method, options = (
        METHODS["hgk-wl"],
        MatrixOptions("hgk-wl", "continuous", (0, 1), normalize=True, iterations=2, draws=3),
    )
    together = method.matrices(graphs, options, Threads())
    alone = [method.matrices(graphs, replace(options, draws=1, seed=seed), Threads()) for seed in range(3)]
    assert np.abs(alone[0] - alone[1]).max() > 1e-3
    np.testing.assert_allclose(together, np.mean(alone, axis=0), rtol=1e-12)


def test_gaussian_forms_compare_how_often_labels_occur():
    graphs = wg.from_edges(
        [[(0, 1)], [(0, 1), (1, 2)], [(0, 1), (1, 2), (0, 2)]],
        node_labels=[[0, 1], [0, 0, 1], [1, 1, 1]],
        edge_labels=[[5], [5, 6], [6, 6, 6]],
        symmetrize=True,
    )
    histograms = {"v": [[1, 1], [2, 1], [0, 3]], "e": [[1, 0], [1, 1], [0, 3]]}
    for name, counts in histograms.items():
        (options,) = make_plan(f"{name}+gaussian", "categorical").options
        (found,) = METHODS[options.method].matrices(graphs, options, Threads())
        difference = np.subtract.outer(np.transpose(counts), np.transpose(counts))
        squares = sum(difference[label, :, label] ** 2 for label in range(2))
        np.testing.assert_allclose(found, np.exp(-squares / 2), rtol=1e-12)


def test_gamma_of_sums_by_columns_is_that_of_scikit_learn(demo):
    graphs = demo[0][:8]
    (options,) = make_plan("vh-c+columns", "continuous", standardize=True).options
    options = replace(options, depths=(0, 2))
    width = graphs.node_attributes.shape[1]
    for depth, found in zip((0, 2), METHODS[options.method].matrices(graphs, options, Threads()), strict=True):
        embedding = wg.WWL(depth=depth, kind="continuous", standardize=True).embed(graphs)
        sums = np.array([embedding.points[one:two].sum(axis=0) for one, two in itertools.pairwise(embedding.ptr)])
        squares = ((sums[:, None] - sums) ** 2).sum(axis=2)
        np.testing.assert_allclose(found, np.exp(-squares / ((depth + 1) * width)), rtol=1e-9)
        np.testing.assert_allclose(found, rbf_kernel(sums), rtol=1e-9)


@pytest.mark.parametrize("attributed", [True, False])
def test_gamma_by_columns_is_that_of_scikit_learn(demo, attributed):
    graphs = demo[0][:8] if attributed else wg.from_edges([[(0, 1)], [(0, 1), (1, 2)]], symmetrize=True)
    (options,) = make_plan("rbf-wl+columns", "continuous", standardize=True).options
    options = replace(options, depths=(0, 2))
    for depth, found in zip((0, 2), METHODS[options.method].matrices(graphs, options, Threads()), strict=True):
        embedding = wg.WWL(depth=depth, kind="continuous", standardize=True).embed(graphs)
        nodes = [embedding.points[one:two] for one, two in itertools.pairwise(embedding.ptr)]
        expected = np.array([[rbf_kernel(one, two).sum() for two in nodes] for one in nodes])
        np.testing.assert_allclose(found, expected / expected.diagonal().mean(), rtol=1e-12)


@pytest.fixture
def edgeless():
    """Six graphs of one to three nodes without any edge."""
    sizes = [1, 2, 3, 1, 2, 3]
    attributes = [np.arange(2.0 * size).reshape(size, 2) for size in sizes]
    return wg.from_edges(
        [[]] * 6, n_nodes=sizes, node_labels=[[0] * size for size in sizes], node_attributes=attributes
    )


@pytest.mark.parametrize(("name", "kind"), [("e", "categorical"), ("hgk-sp", "continuous")])
def test_where_nothing_is_counted_a_kernel_is_zero(edgeless, name, kind):
    for standardize in (False, True):
        (options,) = quick(name, kind, standardize=standardize).options
        for normalize in (False, True):
            matrices = METHODS[name].matrices(edgeless, replace(options, normalize=normalize), Threads())
            np.testing.assert_array_equal(matrices, np.zeros((1, 6, 6)))


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("name", ["v", "wwl"])
def test_matrices_that_are_not_finite_are_refused_with_the_name_of_the_method(demo, name, value):
    def compute(graphs, options, threads):
        matrix = np.eye(len(graphs))
        matrix[0, 1] = value
        return [np.eye(len(graphs)), matrix]

    method = replace(METHODS[name], compute=compute)
    with pytest.raises(ArithmeticError, match=f"matrix of {method.title} has entries that are not finite; scale"):
        method.matrices(demo[0][:3], MatrixOptions(name, method.kinds[0]), Threads())


def test_attributes_that_overflow_raise_unless_they_are_standardized(edgeless):
    huge = replace(edgeless, node_attributes=1e308 * np.where(edgeless.node_attributes > 0, 1, -1))
    (options,) = make_plan("vh-c", "continuous").options
    with (
        np.errstate(over="ignore", invalid="ignore"),
        pytest.raises(ArithmeticError, match="matrix of VH-C has entries that are not finite"),
    ):
        METHODS["vh-c"].matrices(huge, options, Threads())
    assert np.isfinite(METHODS["vh-c"].matrices(huge, replace(options, standardize=True), Threads())).all()


# Preparations


def test_preparation_of_each_kind():
    scaled = Preparation(standardize=True)
    assert preparation_for("joint", None) == Preparation()
    assert preparation_for("categorical", scaled) is scaled
    by_kind = {"continuous": scaled}
    assert preparation_for("continuous", by_kind) is preparation_for("joint", by_kind) is scaled
    assert preparation_for("categorical", by_kind) == Preparation()


@pytest.mark.parametrize(
    ("n_attributes", "standardize", "expected"),
    [(2, "auto", True), (1, "auto", False), (2, False, False), (1, True, True)],
)
def test_plan_standardizes_two_or_more_attributes_by_default(demo, n_attributes, standardize, expected):
    graphs = replace(demo[0], node_attributes=demo[0].node_attributes[:, :n_attributes])
    plan = plan_for(graphs, "wwl", "continuous", Preparation(standardize=standardize))
    assert plan == make_plan("wwl", "continuous", standardize=expected)
    assert plan.options[0].standardize == expected


# Repetitions


@pytest.mark.parametrize("seed", [0, 4])
@pytest.mark.parametrize(
    ("name", "kind"), [("v", "categorical"), ("vh-c", "continuous"), ("wl", "categorical"), ("wwl", "continuous")]
)
def test_folds_are_the_same_for_every_method(demo, name, kind, seed):
    graphs, y = demo
    plan = quick(name, kind)
    plan = replace(plan, grid=replace(plan.grid, C_values=(1.0, 10.0), gammas=plan.grid.gammas and (1.0,)))
    matrices = METHODS[name].matrices(graphs, plan.options[0], Threads())
    folds = list(StratifiedKFold(10, shuffle=True, random_state=seed).split(np.zeros(len(y)), y))
    expected = cross_validate(matrices, y, plan.grid, krein=plan.krein, cv=folds, random_state=seed, effort=EFFORT)
    repetition = Trial(graphs, y, plan).run(seed)
    assert repetition.accuracy == tuple(expected.accuracy)
    assert repetition.parameters == tuple(expected.parameters)


def test_repetition_agrees_with_a_loop_of_scikit_learn(demo):
    graphs, y = demo
    plan = small(make_plan("wl", "categorical"), depths=(1,))
    repetition = Trial(graphs, y, plan).run(6, folds=4, inner_folds=3)
    kernel = wg.baselines.WLSubtree(1).fit_transform(graphs)
    kernel /= kernel.diagonal().mean()
    outer = StratifiedKFold(4, shuffle=True, random_state=6)
    for fold, (train, test) in enumerate(outer.split(graphs, y)):
        inner = list(StratifiedKFold(3, shuffle=True, random_state=6).split(train, y[train]))
        chosen = repetition.parameters[fold]
        assert chosen["depth"] == 1
        reference = Reference([kernel[np.ix_(train, train)]], y[train], LABEL_C_VALUES, inner)
        assert reference.may_choose((0, LABEL_C_VALUES.index(chosen["C"])))
        predicted, doubtful = predict(new_svc(chosen["C"]), kernel, y, train, test)
        expected = np.mean(predicted == y[test])
        assert repetition.accuracy[fold] == pytest.approx(expected, abs=doubtful.mean() + 1e-12)
        assert doubtful.mean() < 0.5
    assert np.mean(repetition.accuracy) > 0.5


def test_fields_of_a_repetition(demo):
    graphs, y = demo
    repetition = Trial(graphs, y, quick("wl", "categorical")).run(2, **FEW)
    assert repetition.majority == pytest.approx(1 / 3)
    assert (repetition.n_graphs, repetition.random_state, repetition.inner_folds) == (60, 2, 2)
    assert repetition.unsolved == 0
    assert repetition.seconds.keys() == {"matrices", "selection", "training and test"}
    assert len(repetition.accuracy) == len(repetition.parameters) == 3
    assert all(p["depth"] in (0, 1) and p["C"] in LABEL_C_VALUES for p in repetition.parameters)
    assert repetition.constant == {"accuracy": pytest.approx((1 / 3,) * 3, abs=0.05)}
    assert repetition.undefined == {}
    # The constant prediction is not kept: it follows from the folds.
    kept = replace(repetition, constant={})
    assert Repetition.from_dict(json.loads(json.dumps(repetition.to_dict()))) == kept


def test_mean_of_accuracies_is_that_of_each_draw_alone(demo):
    graphs, y = demo
    plan = small(make_plan("hgk-wl+results", "continuous", standardize=True), depths=(0, 1), iterations=1)
    plan = replace(plan, options=plan.options[:3])
    together = Trial(graphs, y, plan).run(1, **FEW)
    alone = [Trial(graphs, y, replace(plan, options=(each,))).run(1, **FEW) for each in plan.options]
    np.testing.assert_allclose(together.accuracy, np.mean([each.accuracy for each in alone], axis=0))
    for fold, chosen in enumerate(together.parameters):
        assert chosen == {name: [each.parameters[fold][name] for each in alone] for name in ("depth", "C")}


def test_matrices_are_shared_by_trials_with_the_same_options_and_by_no_other(demo, tmp_path):
    graphs, y = demo
    plan = quick("wwl", "continuous")
    small_grid = replace(plan, grid=Grid(plan.grid.matrices, (1.0,), (1.0,)))
    first = Trial(graphs, y, small_grid, cache=tmp_path)
    again = Trial(graphs, y, replace(small_grid, krein=False), cache=tmp_path)
    assert again.seconds == first.seconds >= 0
    assert len(list(tmp_path.glob("*.npz"))) == 1
    assert first.run(0, **FEW).accuracy == Trial(graphs, y, small_grid).run(0, **FEW).accuracy
    Trial(graphs, y, small(small_grid, isolated_nodes="keep"), cache=tmp_path)
    Trial(graphs[::-1], y[::-1], small_grid, cache=tmp_path)
    assert len(list(tmp_path.glob("*.npz"))) == 3


def test_effort_depends_on_the_number_of_graphs(demo):
    plan = make_plan("wl", "categorical")
    assert [effort_of(plan, n) for n in (60, MANY_GRAPHS, MANY_GRAPHS + 1)] == [EFFORT, EFFORT, RACE]
    assert (EFFORT.margin, RACE.margin) == (None, 3)
    assert MANY_GRAPHS > 1178  # so that of the data sets of the paper only NCI1 has more
    trial = Trial(*demo, quick("vh-c", "continuous"))
    assert trial.effort == EFFORT
    trial.effort = replace(EFFORT, max_iter=1)
    with pytest.raises(RuntimeError, match="no candidate converged"):
        trial.run(0, **FEW)


def test_ranges_of_gamma_and_c():
    assert (GAMMAS[0], GAMMAS[-1], len(GAMMAS)) == (1e-4, 1e1, 6)
    assert (LABEL_C_VALUES[0], LABEL_C_VALUES[-1], len(LABEL_C_VALUES)) == (1e-4, 1e5, 10)
    assert (ATTRIBUTE_C_VALUES[0], ATTRIBUTE_C_VALUES[-1], len(ATTRIBUTE_C_VALUES)) == (1e-3, 1e3, 7)
