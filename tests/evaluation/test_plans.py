"""What is evaluated for each method, and what each variant changes."""

from __future__ import annotations

import itertools
import re
from dataclasses import fields

import numpy as np
import pytest

from wassergraph.evaluation.matrices import MatrixOptions
from wassergraph.evaluation.methods import METHODS
from wassergraph.evaluation.plans import DRAWS, VARIANTS, make_plan
from wassergraph.reproduction.setups import SETUPS
from wassergraph.tuning.grid import (
    ALPHAS,
    ATTRIBUTE_C_VALUES,
    DEPTHS,
    REGRESSION_GAMMAS,
    SVR_C_VALUES,
    WIDE_REGRESSION_GAMMAS,
)
from wassergraph.tuning.wide import WIDE_C_VALUES, WIDE_GAMMAS

EVERY = [(name, kind) for name, method in METHODS.items() for kind in method.kinds]
NUMBERS = ("svr", "gp")


@pytest.mark.parametrize(("name", "kind"), EVERY)
def test_candidates_are_the_papers(name, kind):
    plan = make_plan(name, kind)
    powers = range(-4, 6) if kind == "categorical" else range(-3, 4)
    if METHODS[name].wide:
        assert (plan.grid.gammas, plan.grid.C_values, plan.krein) == (WIDE_GAMMAS, WIDE_C_VALUES, True)
        return
    np.testing.assert_allclose(plan.grid.C_values, [10.0**power for power in powers], rtol=1e-14)
    if name.startswith("wwl"):
        np.testing.assert_allclose(plan.grid.gammas, [10.0**power for power in range(-4, 2)], rtol=1e-14)
    else:
        assert plan.grid.gammas is None
    assert plan.krein == (name.startswith("wwl") and kind != "categorical")
    (options,) = plan.options
    assert (options.method, options.kind, options.isolated_nodes, options.seed) == (name, kind, "halve", 0)
    assert options.normalize == (name in ("hgk-wl", "hgk-sp", "hgk-sp-all-pairs", "gh"))


@pytest.mark.parametrize(("name", "kind"), EVERY)
def test_candidates_for_numbers_are_those_of_the_regressor(name, kind):
    plan = make_plan(name, kind, task="regression")
    assert (plan.model, plan.task, plan.grid.penalty) == ("rf" if name == "rf" else "ridge", "regression", True)
    np.testing.assert_allclose(sorted(0.5 / C for C in plan.grid.C_values), ALPHAS, rtol=1e-14)
    gammas = WIDE_REGRESSION_GAMMAS if name == "wwl-wide" else REGRESSION_GAMMAS
    assert plan.grid.gammas == (gammas if name.startswith("wwl") else None)
    same = make_plan(name, kind)
    assert (plan.options, plan.krein, plan.grid.matrices) == (same.options, same.krein, same.grid.matrices)


@pytest.mark.parametrize(
    ("method", "task", "message"),
    [
        ("wwl+svc", "regression", "the variant 'svc' learns classes, but the task is regression; leave it out"),
        ("wwl+svr", "classification", "the variant 'svr' learns numbers, but the task is classification; leave it"),
        ("wwl+gp", "classification", "the variant 'gp' learns numbers, but the task is classification"),
        ("wl+gp", "regression", "WL has no variant 'gp', because it is not computed from distances"),
        ("tanimoto+gp", "regression", "Tanimoto has no variant 'gp', because it is not computed from distances"),
    ],
)
def test_variant_for_the_other_task_raises(method, task, message):
    kind = "continuous" if method.startswith("wwl") else "categorical"
    with pytest.raises(ValueError, match=message):
        make_plan(method, kind, task=task)


def test_only_variants_for_the_task_are_suggested():
    suggested = {}
    for task in ("classification", "regression"):
        with pytest.raises(ValueError, match="WWL has no variant 'nope'") as caught:
            make_plan("wwl+nope", "continuous", task=task)
        suggested[task] = set(re.findall(r"wwl\+([a-z-]+)", str(caught.value)))
    assert suggested["classification"] - suggested["regression"] == {"svc"}
    assert suggested["regression"] - suggested["classification"] == {"svr", "gp"}


@pytest.mark.parametrize("name", ["hgk-wl", "hgk-sp"])
def test_hashes_are_drawn_ten_times_with_the_iterations_of_the_data_set(name):
    for dataset, iterations in {"ENZYMES": 20, "Synthie": 20, "SYNTHETICnew": 100}.items():
        (options,) = make_plan(name, "continuous", iterations=SETUPS[dataset, "continuous"].iterations).options
        assert (options.draws, options.iterations) == (DRAWS, iterations) == (10, iterations)


def test_methods_without_hashes_share_their_matrices_whatever_the_iterations():
    one, other = (make_plan("gh", "continuous", iterations=n).options for n in (20, 100))
    assert one == other
    assert (one[0].iterations, one[0].draws) == (0, 0)


def test_attributes_are_standardized_where_the_data_set_says_so_and_labels_never():
    assert make_plan("wwl", "continuous", standardize=True).options[0].standardize
    assert make_plan("wwl", "joint", standardize=True).options[0].standardize
    assert not make_plan("wwl", "continuous").options[0].standardize
    assert not make_plan("wwl", "categorical", standardize=True).options[0].standardize


@pytest.mark.parametrize(
    ("method", "kind", "message"),
    [
        ("nope", "continuous", "method must be one of v, e, .* got 'nope'"),
        ("", "continuous", "method must be one of .* got ''"),
        ("nope+svc", "continuous", "method must be one of .* got 'nope'"),
        ("wwl+nope", "continuous", "WWL has no variant 'nope'; choose method from wwl\\+svc, wwl\\+standardized"),
        ("wwl+", "continuous", "WWL has no variant ''"),
        ("wwl+svc+nope", "continuous", "WWL has no variant 'nope'; choose method from wwl\\+svc, wwl\\+standardized"),
        ("wwl+raw+raw", "continuous", r"method must have each variant once, .* got 'wwl\+raw\+raw'; remove variants"),
        ("wwl+svc+knn", "continuous", r"one of svc, svr, gp, knn at most, got 'wwl\+svc\+knn'"),
        ("wl", "continuous", "WL is defined for the kind categorical, not for continuous"),
        ("gh", "categorical", "GH is defined for the kind continuous, not for categorical"),
        ("wwl-sinkhorn", "categorical", r"WWL \(Sinkhorn\) is defined for the kind continuous or joint, not for"),
        ("wwl", "nope", "WWL is defined for the kind categorical or continuous or joint, not for nope"),
    ],
)
def test_unknown_names_and_kinds_raise(method, kind, message):
    with pytest.raises(ValueError, match=message):
        make_plan(method, kind)


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
        ("hgk-wl+all-pairs", "continuous"),
    ],
)
def test_variant_that_does_not_apply_raises(method, kind):
    title, variant = re.escape(METHODS[method.partition("+")[0]].title), method.partition("+")[2]
    with pytest.raises(ValueError, match=f"{title} has no variant '{variant}', because it "):
        make_plan(method, kind)


# Variants


def difference(one, other):
    """Name what differs between two plans, the fields of their options with the values of the other."""
    (options,) = one.options
    found = {
        field.name: {getattr(each, field.name) for each in other.options}
        for field in fields(MatrixOptions)
        if {getattr(each, field.name) for each in other.options} != {getattr(options, field.name)}
    }
    for name in ("matrices", "gammas", "C_values"):
        if getattr(one.grid, name) != getattr(other.grid, name):
            found[name] = getattr(other.grid, name)
    for name in ("krein", "model"):
        if getattr(one, name) != getattr(other, name):
            found[name] = getattr(other, name)
    return found


COUNTED = tuple({"mass": "count", "depth": depth} for depth in DEPTHS)
DEEPER = tuple({"depth": depth} for depth in DEPTHS)
WIDE = {"gammas": 10.0 ** np.arange(-6, 4), "C_values": 10.0 ** np.arange(-5, 6)}


@pytest.mark.parametrize(
    ("method", "standardize", "expected"),
    [
        ("wwl+svc", True, {"krein": False}),
        ("wwl+standardized", False, {"standardize": {True}}),
        ("wwl+standardized", True, {}),
        ("wwl+raw", True, {"standardize": {False}}),
        ("wwl+raw", False, {}),
        ("wwl+keep", True, {"isolated_nodes": {"keep"}}),
        ("wl+edge-labels", True, {"edge_labels": {True}}),
        ("wl-oa+no-edge-labels", True, {}),
        ("wwl+count", True, {"masses": {("count",)}, "matrices": COUNTED}),
        ("wwl+share", True, {}),
        ("rbf-wl+normalized", True, {"normalize": {True}}),
        ("gh+unnormalized", True, {"normalize": {False}}),
        ("vh-c+depths", True, {"depths": {DEPTHS}, "matrices": DEEPER}),
        ("wwl+joint", True, {"kind": {"joint"}}),
        ("v+gaussian", True, {"method": {"v-gaussian"}}),
        ("e+gaussian", False, {"method": {"e-gaussian"}}),
        ("rbf-wl+columns", True, {"method": {"rbf-wl-columns"}}),
        ("vh-c+columns", True, {"method": {"vh-c-columns"}, "depths": {DEPTHS}, "matrices": DEEPER}),
        ("hgk-sp+all-pairs", True, {"method": {"hgk-sp-all-pairs"}}),
        ("hgk-wl+results", True, {"draws": {1}, "seed": set(range(10))}),
        ("hgk-sp+results", False, {"draws": {1}, "seed": set(range(10))}),
        ("wwl+svr", True, {"model": "svr", "C_values": SVR_C_VALUES}),
        ("wwl+gp", True, {"model": "gp"}),
        ("wwl+knn", True, {"model": "knn", "krein": False, "gammas": None, "C_values": (1, 3, 5, 7, 11, 15)}),
    ],
)
def test_a_variant_changes_what_it_says_and_nothing_else(method, standardize, expected):
    main = method.partition("+")[0]
    kind = "continuous" if "continuous" in METHODS[main].kinds else "categorical"
    task = "regression" if method.endswith(NUMBERS) else "classification"
    plain, varied = (make_plan(name, kind, standardize=standardize, task=task) for name in (main, method))
    assert difference(plain, varied) == expected
    assert varied.task == task
    assert len(varied.options) == (DRAWS if method.endswith("results") else 1)


@pytest.mark.parametrize(
    ("method", "task", "expected"),
    [
        ("wwl+svc+raw", "classification", {"krein": False, "standardize": {False}}),
        (
            "hgk-sp+all-pairs+results",
            "classification",
            {"method": {"hgk-sp-all-pairs"}, "draws": {1}, "seed": set(range(10))},
        ),
        ("rbf-wl+columns+normalized", "classification", {"method": {"rbf-wl-columns"}, "normalize": {True}}),
        ("wwl+keep+svr", "regression", {"isolated_nodes": {"keep"}, "model": "svr", "C_values": SVR_C_VALUES}),
        (
            "wwl+ranges+knn",
            "classification",
            {"model": "knn", "krein": False, "gammas": None, "C_values": (1, 3, 5, 7, 11, 15)},
        ),
    ],
)
def test_variants_may_be_chained_in_any_order(method, task, expected):
    main, *variants = method.split("+")
    plain = make_plan(main, "continuous", standardize=True, task=task)
    for order in itertools.permutations(variants):
        varied = make_plan("+".join([main, *order]), "continuous", standardize=True, task=task)
        assert difference(plain, varied) == expected
        assert len(varied.options) == (DRAWS if "results" in variants else 1)


@pytest.mark.parametrize("kind", METHODS["wwl"].kinds)
def test_the_joint_variant_is_evaluated_as_attributes_are_whatever_it_is_made_from(kind):
    plan = make_plan("wwl+joint", kind)
    assert plan == make_plan("wwl", "joint")
    assert (plan.options[0].kind, plan.krein, plan.grid.C_values) == ("joint", True, ATTRIBUTE_C_VALUES)


@pytest.mark.parametrize(("method", "kind"), [("wwl", "continuous"), ("wwl", "categorical"), ("wl", "categorical")])
def test_the_wide_variant_has_more_candidates_and_all_of_the_papers(method, kind):
    plain, wide = (make_plan(name, kind, standardize=True) for name in (method, f"{method}+ranges"))
    expected = {name for name in WIDE if getattr(plain.grid, name) is not None}
    assert difference(plain, wide).keys() == expected
    for name in expected:
        np.testing.assert_allclose(getattr(wide.grid, name), WIDE[name], rtol=1e-14)
        nearest = np.abs(np.log10(WIDE[name])[:, None] - np.log10(getattr(plain.grid, name))).min(axis=0)
        np.testing.assert_allclose(nearest, 0, atol=1e-12)


def test_every_variant_is_tested_here():
    marks = test_a_variant_changes_what_it_says_and_nothing_else.pytestmark[0].args[1]
    assert {method.partition("+")[2] for method, _, _ in marks} | {"ranges"} == VARIANTS.keys()
