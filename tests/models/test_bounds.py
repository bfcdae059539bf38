"""Gaussian processes of graphs whose numbers are partly bounds."""

from __future__ import annotations

import numpy as np
import pytest

import wassergraph as wg
from wassergraph.errors import InputError
from wassergraph.learners.censored import fit_censored
from wassergraph.models.learning import Asked
from wassergraph.models.model_search import Scored
from wassergraph.models.summary import training_summary, training_table

METRIC = wg.WWL(depth=1, kind="categorical", mass="count")


@pytest.fixture(scope="module")
def numbers():
    """The demo graphs with numbers, of which the highest ones are cut off, and which these are."""
    graphs, classes = wg.load_dataset("demo")
    y = np.log(graphs.sizes) + 0.3 * classes + 0.05 * np.random.default_rng(0).normal(size=len(graphs))
    high = np.quantile(y, 0.7)
    return graphs, y, np.minimum(y, high), (y > high).astype(int)


@pytest.fixture(scope="module")
def model(numbers):
    graphs, _, bounded, sides = numbers
    return wg.GraphGaussianProcess(METRIC).fit(graphs[:45], bounded[:45], censored=sides[:45])


def test_the_model_is_the_process_of_bounds(numbers, model):
    graphs, _, bounded, sides = numbers
    distances = wg.distances(graphs, metric=METRIC)
    process = fit_censored(distances[:45, :45], bounded[:45], sides[:45])
    mean, deviation = model.predict(graphs[45:], return_std=True)
    expected, expected_deviation = process.predict(distances[45:, :45])
    np.testing.assert_allclose(mean, expected, rtol=1e-6)
    np.testing.assert_allclose(deviation, expected_deviation, rtol=1e-6)
    assert model.evidence_ == pytest.approx(process.log_likelihood)
    assert model.censored_.tolist() == sides[:45].tolist()
    assert model.targets_.tolist() == bounded[:45].tolist()


def test_predictions_may_be_beyond_all_bounds(numbers, model):
    graphs, y, bounded, _ = numbers
    plain = wg.GraphGaussianProcess(METRIC).fit(graphs[:45], bounded[:45])
    new = np.arange(45, 60)
    errors = [np.abs(each.predict(graphs[new]) - y[new]) for each in (model, plain)]
    assert np.mean(errors[0]) < np.mean(errors[1])
    assert model.predict(graphs[:45]).max() > bounded.max() + 0.01


def test_words_are_numbers(numbers, model):
    graphs, _, bounded, sides = numbers
    words = np.array(["<", "=", ">"])[sides + 1]
    for each in (words, words.tolist(), sides.astype(float)):
        again = wg.GraphGaussianProcess(METRIC).fit(graphs[:45], bounded[:45], censored=each[:45])
        np.testing.assert_array_equal(again.predict(graphs), model.predict(graphs))


def test_without_bounds_it_is_the_ordinary_model(numbers):
    graphs, y, *_ = numbers
    plain, other = (wg.GraphGaussianProcess(METRIC).fit(graphs, y, censored=each) for each in (None, np.full(60, "=")))
    np.testing.assert_array_equal(plain.predict(graphs), other.predict(graphs))
    assert (other.censored_, other.evidence_, other.coverage_) == (None, plain.evidence_, plain.coverage_)
    assert "bounds" not in training_summary(other)


def test_files_keep_bounds(numbers, model, tmp_path):
    graphs, *_ = numbers
    model.save(tmp_path / "m.wgm")
    again = wg.load_model(tmp_path / "m.wgm")
    for one, other in zip(model.predict(graphs, return_std=True), again.predict(graphs, return_std=True), strict=True):
        np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(again.censored_, model.censored_)
    assert training_summary(again)["bounds"] == training_summary(model)["bounds"]
    wg.GraphGaussianProcess(METRIC).fit(graphs, graphs.sizes).save(tmp_path / "m.wgm")
    assert wg.load_model(tmp_path / "m.wgm").censored_ is None


def test_the_summary_counts_bounds(model, numbers):
    n_above = int(numbers[3][:45].sum())
    assert training_summary(model)["bounds"] == {">": n_above, "<": 0}
    assert f"bounds          {n_above} of 45 numbers (>: {n_above})\n" in training_table(model)


def test_equal_graphs_contradict_each_other_by_known_numbers_only():
    smiles = ["CCO", "OCC", "CCN", "NCC", "CCC", "CCCC"]
    y, sides = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [0, 1, 0, 0, 0, 0]
    model = wg.GraphGaussianProcess(METRIC).fit(smiles, y, censored=sides)
    assert training_summary(model)["contradictions"]["n_graphs"] == 2


def test_coverage_is_that_of_known_numbers(numbers, model):
    _, _, bounded, sides = numbers
    mean, deviation = model._process.leave_out(bounded[:45])
    known = sides[:45] == 0
    assert model.coverage_ == np.mean((np.abs(bounded[:45] - mean) <= 1.6448536 * deviation)[known])


def test_parts_of_training_graphs_keep_their_bounds(numbers):
    graphs, y, _, sides = numbers
    training = Asked(censored=sides).read(graphs)
    assert training.take(np.array([3, 5, 8])).sides.tolist() == sides[[3, 5, 8]].tolist()
    every = np.arange(60)
    scored = Scored(y, [(every, every)], sides=sides).of_part(np.array([3, 5, 8]))
    assert scored.sides.tolist() == sides[[3, 5, 8]].tolist()


@pytest.mark.parametrize(
    ("censored", "problem"),
    [
        (["<", "="], "there are 3 graphs, but censored has 2 values"),
        (["=", "=", "≥"], "graph 2: censored is '≥'; pass \"<\""),
        (["=", 2, "="], "graph 1: censored is 2; pass"),
        ([0, 0, float("nan")], "graph 2: censored is nan"),
        ([True, False, False], "graph 0: censored is True"),
        ([None, "=", "="], "graph 0: censored is None"),
        (["<", ">", "="], "1 number of 3 is known, by censored; pass two or more"),
        ([1, 1, -1], "0 numbers of 3 are known"),
    ],
)
def test_other_values_are_errors(censored, problem):
    with pytest.raises(InputError) as caught:
        wg.GraphGaussianProcess(METRIC).fit(["CCO", "CCN", "CCC"], [1.0, 2.0, 3.0], censored=censored)
    assert str(caught.value).startswith(problem)


def test_what_is_above_a_bound_goes_on_as_below_it():
    smiles = ["C" * n + "O" for n in range(1, 25)]
    truth = 0.5 * np.arange(1, 25)
    y = np.minimum(truth, 8.0)
    model = wg.GraphGaussianProcess(METRIC).fit(smiles, y, censored=np.where(y == 8, ">", "="))
    mean = model.predict(smiles)
    assert model.noise_ < 1e-3 * model.signal_  # the search did not end where it began, with a noise of a tenth
    np.testing.assert_allclose(mean[:15], truth[:15], atol=0.1)
    assert (np.diff(mean) > 0).all()
    assert mean[-1] > 9


def test_explanations_show_bounds():
    smiles = ["CCO", "CCN", "CCCl", "OCC", "CCCCC"]
    model = wg.GraphGaussianProcess(METRIC).fit(smiles, [1.0, 2.0, 3.0, 4.0, 5.0], censored=[0, -1, 0, 1, 0])
    groups = model.explain("CCO").groups
    shown = {group.target_text(numbers=True) for group in groups}
    assert shown == {"1 to >4", "<2", "3", "5"}
    (equal,) = [group for group in groups if len(group.positions) == 2]
    assert sorted(equal.to_dict()["censored"]) == [0, 1]
    assert "1 to >4" in str(model.explain("CCO"))
    plain = wg.GraphGaussianProcess(METRIC).fit(smiles, [1.0, 2.0, 3.0, 4.0, 5.0]).explain("CCO").groups
    assert all("censored" not in group.to_dict() for group in plain)
