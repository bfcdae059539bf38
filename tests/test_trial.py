"""What the paper fixes: methods, candidates, folds and data sets, and what each variant changes of it."""

from __future__ import annotations

import itertools
import re
from dataclasses import fields, replace

import numpy as np
import pytest
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.svm import SVC

import wassergraph as wg
from wassergraph.evaluation import trial as protocol
from wassergraph.evaluation.methods import DEPTHS, METHODS, REGS, SINKHORN_TOL, Recipe, Threads
from wassergraph.evaluation.plans import DRAWS, VARIANTS, make_plan
from wassergraph.evaluation.trial import EFFORT, MANY_GRAPHS, RACE, Trial
from wassergraph.learning.grid import ATTRIBUTE_C_VALUES, GAMMAS, LABEL_C_VALUES, Grid
from wassergraph.reproduction.paper import SINKHORN_GRID
from wassergraph.reproduction.setups import SETUPS, Setup, as_they_are, load, setup

PLAIN = Setup(lambda graphs: graphs)
SCALED = replace(PLAIN, standardize=True)
EVERY = [(name, kind) for name, method in METHODS.items() for kind in method.kinds]
FEW = {"folds": 3, "inner_folds": 2}


@pytest.fixture(scope="module")
def demo():
    return load("demo", "continuous")


def small(plan, **changes):
    """Take less of a plan: fewer depths, regs, hashes or draws, the candidates to match."""
    recipes = tuple(replace(recipe, **changes) for recipe in plan.recipes)
    names = METHODS[recipes[0].method].names(recipes[0])
    return replace(plan, recipes=recipes, grid=replace(plan.grid, matrices=names))


def quick(method, kind, used=SCALED):
    """Plan a method so that it is quick: two depths if it has any, two regs, few hashes."""
    plan = make_plan(method, kind, used)
    (recipe,) = plan.recipes
    changes = {"depths": recipe.depths[:2], "regs": tuple(reg for reg in recipe.regs if reg in (0.0, 0.5))}
    return small(plan, **changes, **({"iterations": 3, "draws": 2} if recipe.draws else {}))


# Methods


@pytest.mark.parametrize(("name", "kind"), EVERY)
def test_every_method_makes_the_matrices_that_it_names(demo, name, kind):
    graphs = demo[0][::2]
    (recipe,) = quick(name, kind).recipes
    method = METHODS[name]
    matrices = method.matrices(graphs, recipe, Threads())
    assert matrices.shape == (len(method.names(recipe)), len(graphs), len(graphs))
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
    np.testing.assert_array_equal(matrices, method.matrices(graphs, recipe, Threads(n_jobs=2)))


@pytest.mark.parametrize("name", METHODS)
def test_the_papers_matrices_are_named_by_depth_and_strength(name):
    plan = make_plan(name, METHODS[name].kinds[0], PLAIN)
    without = ("v", "e", "v-gaussian", "e-gaussian", "hgk-sp", "gh")
    depths = {"vh-c": (0,), **dict.fromkeys(without, ())}.get(name, tuple(range(8)))
    if name == "wwl-sinkhorn":
        assert REGS == (10, 1, 0.5, 0.2, 0)  # the most entropic first
        assert sorted(REGS) == [0.0, *SINKHORN_GRID[3:]]  # 0, the exact distance, in place of the smallest
        expected = [{"depth": depth, "reg": reg} for depth in depths for reg in REGS]
    else:
        expected = [{"depth": depth} for depth in depths] or [{}]
    assert list(plan.grid.matrices) == expected
    assert plan.recipes[0].depths == depths


def test_matrices_come_in_the_order_of_their_names(demo):
    graphs = demo[0][:10]
    recipe = Recipe("wwl-sinkhorn", "continuous", depths=(0, 2), regs=(0.0, 0.5, 1.0), standardize=True)
    method, options = METHODS["wwl-sinkhorn"], {"kind": "continuous", "standardize": True}
    alone = {}
    for reg in recipe.regs:
        entropic = {"solver": "sinkhorn", "reg": reg, "tol": SINKHORN_TOL} if reg else {}
        for depth, matrix in zip((0, 2), wg.wwl_distances(graphs, depth=(0, 2), **options, **entropic), strict=True):
            alone[depth, reg] = matrix
    for name, matrix in zip(method.names(recipe), method.matrices(graphs, recipe, Threads()), strict=True):
        np.testing.assert_array_equal(matrix, alone.pop((name["depth"], name["reg"])))
    assert alone == {}


def test_a_kernel_of_hashes_is_the_mean_of_its_draws(demo):
    graphs = demo[0][:20]
    method, recipe = METHODS["hgk-wl"], Recipe("hgk-wl", "continuous", (0, 1), normalize=True, iterations=2, draws=3)
    together = method.matrices(graphs, recipe, Threads())
    alone = [method.matrices(graphs, replace(recipe, draws=1, seed=seed), Threads()) for seed in range(3)]
    assert (alone[0] != alone[1]).any()
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
        (recipe,) = make_plan(f"{name}+gaussian", "categorical", PLAIN).recipes
        (found,) = METHODS[recipe.method].matrices(graphs, recipe, Threads())
        difference = np.subtract.outer(np.transpose(counts), np.transpose(counts))
        squares = sum(difference[label, :, label] ** 2 for label in range(2))
        np.testing.assert_allclose(found, np.exp(-squares / 2), rtol=1e-12)


@pytest.mark.parametrize("attributed", [True, False])
def test_gamma_by_columns_is_that_of_scikit_learn(demo, attributed):
    graphs = demo[0][:8] if attributed else wg.from_edges([[(0, 1)], [(0, 1), (1, 2)]], symmetrize=True)
    (recipe,) = make_plan("rbf-wl+columns", "continuous", SCALED).recipes
    recipe = replace(recipe, depths=(0, 2))
    for depth, found in zip((0, 2), METHODS[recipe.method].matrices(graphs, recipe, Threads()), strict=True):
        embedding = wg.wl_embedding(graphs, depth=depth, kind="continuous", standardize=True)
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
    for used in (PLAIN, SCALED):
        (recipe,) = quick(name, kind, used).recipes
        for normalize in (False, True):
            matrices = METHODS[name].matrices(edgeless, replace(recipe, normalize=normalize), Threads())
            np.testing.assert_array_equal(matrices, np.zeros((1, 6, 6)))


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("name", ["v", "wwl"])
def test_matrices_that_are_not_finite_are_refused_with_the_name_of_the_method(demo, name, value):
    def compute(graphs, recipe, threads):
        matrix = np.eye(len(graphs))
        matrix[0, 1] = value
        return [np.eye(len(graphs)), matrix]

    method = replace(METHODS[name], compute=compute)
    with pytest.raises(ArithmeticError, match=f"{method.title} is not finite on these graphs: scale their attributes"):
        method.matrices(demo[0][:3], Recipe(name, method.kinds[0]), Threads())


def test_attributes_that_overflow_are_told_and_need_only_be_standardized(edgeless):
    huge = replace(edgeless, node_attributes=1e308 * np.where(edgeless.node_attributes > 0, 1, -1))
    (recipe,) = make_plan("vh-c", "continuous", PLAIN).recipes
    with np.errstate(over="ignore", invalid="ignore"), pytest.raises(ArithmeticError, match="VH-C is not finite"):
        METHODS["vh-c"].matrices(huge, recipe, Threads())
    assert np.isfinite(METHODS["vh-c"].matrices(huge, replace(recipe, standardize=True), Threads())).all()


# Plans


@pytest.mark.parametrize(("name", "kind"), EVERY)
def test_candidates_are_the_papers(name, kind):
    plan = make_plan(name, kind, PLAIN)
    powers = range(-4, 6) if kind == "categorical" else range(-3, 4)
    np.testing.assert_allclose(plan.grid.C_values, [10.0**power for power in powers], rtol=1e-14)
    if name.startswith("wwl"):
        np.testing.assert_allclose(plan.grid.gammas, [10.0**power for power in range(-4, 2)], rtol=1e-14)
    else:
        assert plan.grid.gammas is None
    assert plan.krein == (name.startswith("wwl") and kind != "categorical")
    (recipe,) = plan.recipes
    assert (recipe.method, recipe.kind, recipe.isolated, recipe.seed) == (name, kind, "halve", 0)
    assert recipe.normalize == (name in ("hgk-wl", "hgk-sp", "gh"))


@pytest.mark.parametrize("name", ["hgk-wl", "hgk-sp"])
def test_hashes_are_drawn_ten_times_with_the_iterations_of_the_data_set(name):
    for dataset, iterations in {"ENZYMES": 20, "Synthie": 20, "SYNTHETICnew": 100}.items():
        (recipe,) = make_plan(name, "continuous", SETUPS[dataset, "continuous"]).recipes
        assert (recipe.draws, recipe.iterations) == (DRAWS, iterations) == (10, iterations)


def test_methods_without_hashes_share_their_matrices_whatever_the_iterations():
    one, other = (make_plan("gh", "continuous", replace(PLAIN, iterations=n)).recipes for n in (20, 100))
    assert one == other
    assert (one[0].iterations, one[0].draws) == (0, 0)


def test_attributes_are_standardized_where_the_data_set_says_so_and_labels_never():
    assert make_plan("wwl", "continuous", SCALED).recipes[0].standardize
    assert make_plan("wwl", "joint", SCALED).recipes[0].standardize
    assert not make_plan("wwl", "continuous", PLAIN).recipes[0].standardize
    assert not make_plan("wwl", "categorical", SCALED).recipes[0].standardize


@pytest.mark.parametrize(
    ("method", "kind", "message"),
    [
        ("nope", "continuous", "there is no method 'nope': choose from v, e, "),
        ("", "continuous", "there is no method ''"),
        ("nope+svc", "continuous", "there is no method 'nope'"),
        ("wwl+nope", "continuous", "there is no variant 'nope': choose from svc, standardized"),
        ("wwl+", "continuous", "there is no variant ''"),
        ("wwl+svc+raw", "continuous", r"there is no variant 'svc\+raw'"),
        ("wl", "continuous", "WL is for categorical graphs, not for continuous ones"),
        ("gh", "categorical", "GH is for continuous graphs, not for categorical ones"),
        ("wwl-sinkhorn", "categorical", r"WWL \(Sinkhorn\) is for continuous or joint graphs, not for"),
        ("wwl", "nope", "WWL is for categorical or continuous or joint graphs, not for nope ones"),
    ],
)
def test_what_there_is_not_is_told(method, kind, message):
    with pytest.raises(ValueError, match=message):
        make_plan(method, kind, PLAIN)


@pytest.mark.parametrize(
    ("method", "kind"),
    [
        ("wl+results", "categorical"),
        ("wwl+results", "continuous"),
        ("v+depths", "categorical"),
        ("gh+depths", "continuous"),
        ("hgk-sp+depths", "continuous"),
        ("v+joint", "categorical"),
        ("gh+joint", "continuous"),
        ("wwl+normalized", "continuous"),
        ("wwl+unnormalized", "categorical"),
        ("v+standardized", "categorical"),
        ("wwl+raw", "categorical"),
        ("wl+keep", "categorical"),
        ("wwl+keep", "categorical"),
        ("gh+keep", "continuous"),
        ("v+svc", "categorical"),
        ("gh+svc", "continuous"),
        ("wl+gaussian", "categorical"),
        ("v-gaussian+gaussian", "categorical"),
        ("wwl+columns", "continuous"),
    ],
)
def test_a_variant_that_means_nothing_to_a_method_is_told(method, kind):
    title, variant = re.escape(METHODS[method.partition("+")[0]].title), method.partition("+")[2]
    with pytest.raises(ValueError, match=f"{title} has no variant '{variant}': it "):
        make_plan(method, kind, PLAIN)


# Variants


def difference(one, other):
    """Name what differs between two plans, the fields of their recipes with the values of the other."""
    (recipe,) = one.recipes
    found = {
        field.name: {getattr(each, field.name) for each in other.recipes}
        for field in fields(Recipe)
        if {getattr(each, field.name) for each in other.recipes} != {getattr(recipe, field.name)}
    }
    for name in ("matrices", "gammas", "C_values"):
        if getattr(one.grid, name) != getattr(other.grid, name):
            found[name] = getattr(other.grid, name)
    return found | ({"krein": other.krein} if other.krein != one.krein else {})


DEEPER = tuple({"depth": depth} for depth in DEPTHS)
WIDE = {"gammas": 10.0 ** np.arange(-6, 4), "C_values": 10.0 ** np.arange(-5, 6)}


@pytest.mark.parametrize(
    ("method", "used", "expected"),
    [
        ("wwl+svc", SCALED, {"krein": False}),
        ("wwl+standardized", PLAIN, {"standardize": {True}}),
        ("wwl+standardized", SCALED, {}),
        ("wwl+raw", SCALED, {"standardize": {False}}),
        ("wwl+raw", PLAIN, {}),
        ("wwl+keep", SCALED, {"isolated": {"keep"}}),
        ("rbf-wl+normalized", SCALED, {"normalize": {True}}),
        ("gh+unnormalized", SCALED, {"normalize": {False}}),
        ("vh-c+depths", SCALED, {"depths": {DEPTHS}, "matrices": DEEPER}),
        ("wwl+joint", SCALED, {"kind": {"joint"}}),
        ("v+gaussian", SCALED, {"method": {"v-gaussian"}}),
        ("e+gaussian", PLAIN, {"method": {"e-gaussian"}}),
        ("rbf-wl+columns", SCALED, {"method": {"rbf-wl-columns"}}),
        ("hgk-wl+results", SCALED, {"draws": {1}, "seed": set(range(10))}),
        ("hgk-sp+results", PLAIN, {"draws": {1}, "seed": set(range(10))}),
    ],
)
def test_a_variant_changes_what_it_says_and_nothing_else(method, used, expected):
    main = method.partition("+")[0]
    kind = "continuous" if "continuous" in METHODS[main].kinds else "categorical"
    plain, varied = (make_plan(name, kind, used) for name in (main, method))
    assert difference(plain, varied) == expected
    assert len(varied.recipes) == (DRAWS if method.endswith("results") else 1)


@pytest.mark.parametrize("kind", METHODS["wwl"].kinds)
def test_the_joint_variant_is_evaluated_as_attributes_are_whatever_it_is_made_from(kind):
    plan = make_plan("wwl+joint", kind, PLAIN)
    assert plan == make_plan("wwl", "joint", PLAIN)
    assert (plan.recipes[0].kind, plan.krein, plan.grid.C_values) == ("joint", True, ATTRIBUTE_C_VALUES)


@pytest.mark.parametrize(("method", "kind"), [("wwl", "continuous"), ("wwl", "categorical"), ("wl", "categorical")])
def test_the_wide_variant_has_more_candidates_and_all_of_the_papers(method, kind):
    plain, wide = (make_plan(name, kind, SCALED) for name in (method, f"{method}+wide"))
    expected = {name for name in WIDE if getattr(plain.grid, name) is not None}
    assert difference(plain, wide).keys() == expected
    for name in expected:
        np.testing.assert_allclose(getattr(wide.grid, name), WIDE[name], rtol=1e-14)
        nearest = np.abs(np.log10(WIDE[name])[:, None] - np.log10(getattr(plain.grid, name))).min(axis=0)
        np.testing.assert_allclose(nearest, 0, atol=1e-12)


def test_every_variant_is_tested_here():
    marks = test_a_variant_changes_what_it_says_and_nothing_else.pytestmark[0].args[1]
    assert {method.partition("+")[2] for method, _, _ in marks} | {"wide"} == VARIANTS.keys()


# Repetitions


@pytest.mark.parametrize("number", [0, 4])
def test_the_folds_are_the_same_for_every_method(demo, monkeypatch, number):
    graphs, y = demo
    seen, real = [], protocol.cross_validate

    def watched(*arguments, **options):
        seen.append(real(*arguments, **options))
        return seen[-1]

    monkeypatch.setattr(protocol, "cross_validate", watched)
    for name, kind in (("v", "categorical"), ("vh-c", "continuous"), ("wl", "categorical"), ("wwl", "continuous")):
        plan = quick(name, kind)
        plan = replace(plan, grid=replace(plan.grid, C_values=(1.0, 10.0), gammas=plan.grid.gammas and (1.0,)))
        record = Trial(graphs, y, plan).repetition(number)
        np.testing.assert_array_equal(record["accuracy"], seen[-1].accuracy)
    expected = [test for _, test in StratifiedKFold(10, shuffle=True, random_state=number).split(graphs, y)]
    assert len(seen) == 4
    for found in seen:
        assert len(found.test) == 10
        for fold in range(10):
            np.testing.assert_array_equal(found.test[fold], expected[fold])
            assert found.accuracy[fold] == np.mean(found.predictions[fold] == y[expected[fold]])


def test_a_repetition_is_the_loop_one_would_write_with_scikit_learn(demo):
    graphs, y = demo
    plan = small(make_plan("wl", "categorical", PLAIN), depths=(1,))
    record = Trial(graphs, y, plan).repetition(6, folds=4, inner_folds=3)
    kernel = wg.WLSubtree(1).fit_transform(graphs)
    kernel /= kernel.diagonal().mean()
    outer = StratifiedKFold(4, shuffle=True, random_state=6)
    for fold, (train, test) in enumerate(outer.split(graphs, y)):
        inner = StratifiedKFold(3, shuffle=True, random_state=6)
        search = GridSearchCV(SVC(kernel="precomputed", tol=1e-4), {"C": LABEL_C_VALUES}, cv=inner)
        search.fit(kernel[np.ix_(train, train)], y[train])
        assert record["parameters"][fold] == {"depth": 1, **search.best_params_}
        assert record["accuracy"][fold] == pytest.approx(search.score(kernel[np.ix_(test, train)], y[test]), abs=1e-12)
    assert np.mean(record["accuracy"]) > 0.5


def test_a_record_says_how_it_was_made(demo):
    graphs, y = demo
    record = Trial(graphs, y, quick("wl", "categorical")).repetition(2, **FEW)
    assert record["majority"] == pytest.approx(1 / 3)
    assert (record["n_graphs"], record["random_state"], record["inner_folds"]) == (60, 2, 2)
    assert record["unsolved"] == 0
    assert record["seconds"].keys() == {"matrices", "selection", "training and test"}
    assert len(record["accuracy"]) == len(record["parameters"]) == 3
    assert all(p["depth"] in (0, 1) and p["C"] in LABEL_C_VALUES for p in record["parameters"])


def test_the_mean_of_results_is_that_of_each_draw_alone(demo):
    graphs, y = demo
    plan = small(make_plan("hgk-wl+results", "continuous", SCALED), depths=(0, 1), iterations=1)
    plan = replace(plan, recipes=plan.recipes[:3])
    together = Trial(graphs, y, plan).repetition(1, **FEW)
    alone = [Trial(graphs, y, replace(plan, recipes=(each,))).repetition(1, **FEW) for each in plan.recipes]
    assert len({tuple(each["accuracy"]) for each in alone}) > 1
    np.testing.assert_allclose(together["accuracy"], np.mean([each["accuracy"] for each in alone], axis=0))
    for fold, chosen in enumerate(together["parameters"]):
        assert chosen == {name: [each["parameters"][fold][name] for each in alone] for name in ("depth", "C")}


def test_matrices_are_shared_by_trials_with_the_same_recipe_and_by_no_other(demo, tmp_path):
    graphs, y = demo
    plan = quick("wwl", "continuous")
    small_grid = replace(plan, grid=Grid(plan.grid.matrices, (1.0,), (1.0,)))
    first = Trial(graphs, y, small_grid, cache=tmp_path)
    again = Trial(graphs, y, replace(small_grid, krein=False), cache=tmp_path)
    assert again.seconds == first.seconds > 0
    assert len(list(tmp_path.glob("*.npz"))) == 1
    assert first.repetition(0, **FEW)["accuracy"] == Trial(graphs, y, small_grid).repetition(0, **FEW)["accuracy"]
    Trial(graphs, y, small(small_grid, isolated="keep"), cache=tmp_path)
    Trial(graphs[::-1], y[::-1], small_grid, cache=tmp_path)
    assert len(list(tmp_path.glob("*.npz"))) == 3


def test_only_sets_of_many_graphs_race(demo, monkeypatch):
    graphs, y = demo
    efforts, real = [], protocol.cross_validate

    def watched(*arguments, effort, **options):
        efforts.append(effort)
        return real(*arguments, effort=effort, **options)

    monkeypatch.setattr(protocol, "cross_validate", watched)
    trial = Trial(graphs, y, quick("vh-c", "continuous"))
    trial.repetition(0, **FEW)
    monkeypatch.setattr(protocol, "MANY_GRAPHS", 59)
    trial.repetition(0, **FEW)
    assert efforts == [EFFORT, RACE]
    assert EFFORT.margin is None
    assert RACE.margin == 3
    assert MANY_GRAPHS > 1178  # so that of the paper's sets only NCI1 does


# Data sets


def test_molecules_of_md_keep_their_bonds_with_lengths_and_atoms_one_hot(data_home):
    raw, y = wg.load_dataset("BZR_MD", data_home=data_home)
    graphs, same = load("BZR_MD", "continuous", data_home)
    np.testing.assert_array_equal(same, y)
    bonds = raw.edge_labels != 1
    assert 0 < bonds.sum() < len(bonds)
    assert 1 not in graphs.edge_labels
    np.testing.assert_array_equal(graphs.node_ptr, raw.node_ptr)
    np.testing.assert_array_equal(graphs.arc_tails, raw.arc_tails[bonds])
    np.testing.assert_array_equal(graphs.indices, raw.indices[bonds])
    np.testing.assert_array_equal(graphs.edge_weights, raw.edge_attributes[bonds, 0])
    assert 0.9 < graphs.edge_weights.min() < graphs.edge_weights.max() < 3  # ångström
    labels = np.unique(raw.node_labels)
    assert graphs.node_attributes.shape == (raw.n_nodes, len(labels))
    assert (graphs.node_attributes.sum(axis=1) == 1).all()
    np.testing.assert_array_equal(labels[graphs.node_attributes.argmax(axis=1)], raw.node_labels)


def test_the_attribute_of_imdb_is_the_degree(data_home):
    raw, _ = wg.load_dataset("IMDB-BINARY", data_home=data_home)
    graphs, _ = load("IMDB-BINARY", "continuous", data_home)
    assert raw.node_attributes is None
    np.testing.assert_array_equal(graphs.node_attributes, raw.degrees[:, None])


def test_all_other_sets_are_used_as_they_are(data_home):
    for name, kind in (("BZR", "continuous"), ("MUTAG", "categorical")):
        assert load(name, kind, data_home)[0] == wg.load_dataset(name, data_home=data_home)[0]
    untouched = [cell for cell, used in SETUPS.items() if used.prepare is as_they_are]
    assert SETUPS.keys() - untouched == {(name, "continuous") for name in ("IMDB-BINARY", "BZR_MD", "COX2_MD")}


def test_several_attributes_are_standardized_except_coordinates():
    scaled = {name for (name, _), used in SETUPS.items() if used.standardize}
    assert scaled == {"ENZYMES", "PROTEINS_full", "BZR_MD", "COX2_MD", "Synthie"}
    assert not any(used.standardize for (_, kind), used in SETUPS.items() if kind == "categorical")
    assert {name for (name, _), used in SETUPS.items() if used.iterations != 20} == {"SYNTHETICnew"}


def test_a_set_that_the_paper_has_not_is_used_by_the_same_rule(demo):
    graphs, y = demo
    assert graphs == wg.load_dataset("demo")[0]
    assert len(y) == 60
    assert setup("demo", graphs, "continuous").standardize
    assert not setup("demo", graphs.degree_attributes(), "continuous").standardize
    assert not setup("demo", replace(graphs, node_attributes=None), "categorical").standardize
    assert setup("BZR", graphs, "continuous") is SETUPS["BZR", "continuous"]
    assert setup("ENZYMES", graphs, "joint") is SETUPS["ENZYMES", "continuous"]
    assert setup("ENZYMES", graphs, "categorical") is SETUPS["ENZYMES", "categorical"]


def test_the_papers_ranges_are_those_of_the_library():
    assert (GAMMAS[0], GAMMAS[-1], len(GAMMAS)) == (1e-4, 1e1, 6)
    assert (LABEL_C_VALUES[0], LABEL_C_VALUES[-1], len(LABEL_C_VALUES)) == (1e-4, 1e5, 10)
    assert (ATTRIBUTE_C_VALUES[0], ATTRIBUTE_C_VALUES[-1], len(ATTRIBUTE_C_VALUES)) == (1e-3, 1e3, 7)
