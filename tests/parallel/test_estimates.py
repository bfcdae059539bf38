from __future__ import annotations

import math
import re

import numpy as np
import pytest

import wassergraph as wg
from command_line import run
from made_metrics import evaluate, solver_of
from wassergraph.errors import Option
from wassergraph.evaluation.foresight import Trials
from wassergraph.learners.effort import NO_LIMITS, Effort
from wassergraph.learners.svm.learner import SVMLearner
from wassergraph.metrics.embed import embed_all
from wassergraph.pairwise.foresight import array_bytes, faster_kind, sample_graphs, speedup, take_sample
from wassergraph.pairwise.prepare import prepare
from wassergraph.pairwise.tiles import Tile
from wassergraph.pairwise.timing import assumed_seconds, count_pairs, sampled_seconds
from wassergraph.pairwise.work import estimate, tiles
from wassergraph.parallel.estimate import Estimate, estimate_wanted, hear_estimates, rough_time, tell, whole
from wassergraph.tuning.candidates import count_matrices, make_candidates
from wassergraph.tuning.foresight import Choosing, Trend, fit_bytes, sample_order, selection_seconds
from wassergraph.tuning.grid import Grid
from wassergraph.tuning.selection import round_shares

FEW = {"folds": 3, "inner_folds": 2}


@pytest.fixture(scope="module")
def demo():
    return wg.load_dataset("demo")


def problem_of(graphs, depths, solver=None, **options):
    _, (embedding,) = embed_all(wg.WWL(**options).learn(graphs), [graphs], max(depths), [None])
    return prepare([embedding], depths, solver_of(**(solver or {})))


PROBLEMS = [
    {"kind": "categorical"},
    {"kind": "continuous"},
    {"kind": "joint"},
    {"kind": "continuous", "solver": {"solver": "sinkhorn", "reg": 1.0}},
    {"kind": "continuous", "solver": {"solver": "sliced", "n_projections": 3, "random_state": 0}},
]


# The sentence


def test_the_sentence():
    given = Estimate(2050, 2_100_225, {"distances": 125.0, "selection": 61.0, "training": 0.1}, 1.13e9)
    assert given.describe() == (
        "2,050 graphs, 2,100,225 pairs: about 2 min for distances, 60 s for selection; 1.1 GB of memory"
    )
    full = Estimate(
        *(10, 45, {"distances": 7200.0}, 2e6, "2 masses × 8 depths", 960),
        faster=Option("kind", "categorical"),
        faster_seconds=28.0,
    )
    assert full.describe(Option.as_flag) == (
        "10 graphs, 45 pairs, 2 masses × 8 depths, 960 candidates: about 2.0 h for distances; 2 MB of memory; "
        "--kind categorical would take about 30 s"
    )


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.0, "1 s"),
        (7.4, "7 s"),
        (94.0, "90 s"),
        (95.0, "2 min"),
        (96.0, "2 min"),
        (5600.0, "93 min"),
        (5800.0, "1.6 h"),
        (2e5, "2 days"),
    ],
)
def test_rough_times(seconds, words):
    assert rough_time(seconds) == words


def test_short_work_is_not_told(capsys):
    tell(Estimate(3, 3, {"distances": 4.9}, 10))
    assert capsys.readouterr().err == ""
    tell(Estimate(3, 3, {"distances": 5.1}, 10))
    assert capsys.readouterr().err == "3 graphs, 3 pairs: about 5 s for distances; 1 MB of memory\n"


def test_who_wants_to_know():
    assert estimate_wanted(True)
    assert not estimate_wanted(False)
    with hear_estimates(lambda _: None):
        assert estimate_wanted(False)
        with whole("work", progress=False) as stages:
            assert stages.told
            assert not estimate_wanted(True)  # the estimate of the whole is enough


# Counts


def heard(call):
    estimates = []
    with hear_estimates(estimates.append):
        call()
    return estimates


@pytest.mark.parametrize("options", PROBLEMS, ids=str)
def test_pairs_are_counted(demo, options):
    problem = problem_of(demo[0][:7], [0, 1], **options)
    grid = tiles(problem)
    assert count_pairs(problem) == grid.n_pairs() == (28 if problem.includes_diagonal else 21)
    assert assumed_seconds(problem) > 0
    assert 0 < sampled_seconds(problem, 2, budget=0.001) < 10


def test_no_pairs_take_no_time(demo):
    assert sampled_seconds(problem_of(demo[0][:1], [0], kind="continuous")) == 0


def test_costs_of_tiles_are_those_of_their_pairs(demo):
    problem = problem_of(demo[0], [2], kind="continuous")
    grid, work = tiles(problem, edges=(7, 7)), estimate(problem)
    pairs = work.left @ work.right.T

    def cost(tile: Tile) -> float:
        total = float(pairs[tile.rows, tile.columns].sum())
        return total / 2 if tile.on_diagonal else total

    assert grid.costs.tolist() == pytest.approx([cost(tile) for tile in grid])
    few = grid.where(np.arange(len(grid)) % 5 == 0)
    assert few.costs.tolist() == grid.costs[::5].tolist()


def test_what_is_told_of_distances(demo):
    graphs, _ = demo
    (told,) = heard(lambda: wg.distances(graphs, metric=wg.WWL(depth=[0, 2])))
    assert (told.n_graphs, told.n_pairs, told.compared, told.n_candidates) == (60, 1770, "2 depths", 0)
    assert told.seconds.keys() == {"distances"}
    assert told.faster is None
    problem = problem_of(graphs, [0, 2])
    height, width = tiles(problem).edges
    assert told.memory == 60 * 60 * 2 * 8 + 5 * height * width * 2 * 8 + array_bytes(problem)
    (told,) = heard(lambda: wg.distances(graphs[:10], graphs, dtype=np.float32))
    assert (told.n_graphs, told.n_pairs, told.compared) == (70, 600, "")


def test_what_is_told_of_stores(demo, tmp_path):
    (told,) = heard(lambda: wg.distances(demo[0], out=tmp_path / "D.zarr"))
    assert told.n_pairs == 1770
    assert heard(lambda: wg.distances(demo[0], out=tmp_path / "D.zarr")) == []


@pytest.mark.parametrize(
    ("model", "compared", "n_matrices", "n_candidates", "name"),
    [
        (wg.GraphClassifier(wg.WWL(depth=range(3))), "3 depths", 3, 3 * 6 * 7, "selection"),
        (wg.GraphClassifier(wg.WWL(depth=1), gamma=1.0, C=1.0), "1 depth", 1, 0, "selection"),
        (
            wg.GraphClassifier(wg.WWL(depth=1, mass=["share", "count"]), C=[1, 2]),
            "2 masses × 1 depth",
            2,
            24,
            "selection",
        ),
        (
            wg.GraphRegressor(wg.WWL(depth=[0, 2], mass=["share", "count"])),
            "2 masses × 2 depths",
            4,
            4 * 9 * 36,
            "selection",
        ),
        (wg.GraphRegressor(wg.WWL(depth=0), regressor="svr"), "1 depth", 1, 45, "selection"),
        (wg.GraphGaussianProcess(wg.WWL(depth=range(3))), "3 depths", 3, 3, "evidence"),
    ],
)
def test_what_is_told_of_fits(demo, model, compared, n_matrices, n_candidates, name):
    graphs, y = demo
    (told,) = heard(lambda: model.fit(graphs, y if isinstance(model, wg.GraphClassifier) else y + 0.5))
    assert (told.n_graphs, told.n_pairs, told.compared) == (60, 1770, compared)
    assert told.n_candidates == n_candidates
    assert list(told.seconds) == ["distances", name, "training"]
    assert told.memory == fit_bytes(60, n_matrices, 1)
    if model.grid_scores_ is not None:
        assert math.prod(model.grid_scores_.grid.shape) == n_candidates


def test_what_is_told_of_the_wide_search(demo):
    model = wg.GraphClassifier(wg.WWL(depth=range(2)), search="wide")
    (told,) = heard(lambda: model.fit(*demo))
    assert told.n_candidates == math.prod(model.grid_scores_.grid.shape)
    assert told.memory < fit_bytes(60, model.grid_scores_.grid.shape[0], 1)  # size terms need no matrix


def test_few_graphs_and_rare_classes(demo):
    """Half of a sample must have all classes, or it is not fitted."""
    graphs, y = demo
    few = np.concatenate([np.flatnonzero(y == each)[:2] for each in (0, 1)])
    for chosen, classes in ((few, y[few]), (np.arange(60), np.arange(60) // 2), (np.arange(60), np.arange(60) // 4)):
        model = wg.GraphClassifier(wg.WWL(depth=0), gamma=1.0, C=[1.0, 10.0], cv=2)
        assert len(heard(lambda m=model, i=chosen, c=classes: m.fit(graphs[i], c))) == 1


def test_given_distances_take_no_time(demo):
    graphs, y = demo
    stack = wg.distances(graphs, metric=wg.WWL(depth=[0, 1], standardize="auto"))
    (told,) = heard(lambda: wg.GraphClassifier(wg.WWL(depth=[0, 1])).fit(graphs, y, distances=stack))
    assert told.seconds["distances"] == 0


def test_what_is_told_of_evaluations(demo):
    graphs, y = demo
    (told,) = heard(lambda: evaluate(graphs, y, method=["wwl", "v"], depth=[0, 1], **FEW))
    assert (told.n_graphs, told.n_pairs, told.compared) == (60, 1770, "2 methods")
    assert told.n_candidates == 2 * 6 * 7 + 10
    assert told.memory == 8 * 60**2 * (2 * 2 + 5)
    (told,) = heard(lambda: evaluate(graphs, y + 0.5, method="wwl+gp", depth=[0, 1], folds=2))
    assert told.n_candidates == 2


def test_nothing_is_estimated_unless_somebody_listens(demo, monkeypatch):
    def fail(*_: object, **__: object) -> None:
        raise AssertionError("something was estimated")

    for name in (
        "pairwise.api.estimate_distances",
        "models.model_search.estimate_fit",
        "evaluation.evaluate.foresee",
    ):
        monkeypatch.setattr(f"wassergraph.{name}", fail)
    wg.distances(demo[0])
    wg.GraphClassifier(wg.WWL(depth=1)).fit(*demo)
    evaluate(*demo, depth=1, **FEW)


def test_results_do_not_depend_on_estimates(demo):
    graphs, y = demo
    plain = wg.GraphClassifier(wg.WWL(depth=[0, 1])).fit(graphs, y)
    told = wg.GraphClassifier(wg.WWL(depth=[0, 1]))
    assert len(heard(lambda: told.fit(graphs, y))) == 1
    np.testing.assert_array_equal(plain.dual_coef_, told.dual_coef_)
    assert plain.best_params_ == told.best_params_


def test_the_command_line_tells(demo, capsys, monkeypatch, tmp_path):
    monkeypatch.setattr("wassergraph.cli.messages.WORTH_TELLING", 0.0)
    flags = ("--kind", "joint", "--depth", "0-1", "-o", tmp_path / "D.npy")
    _, _, err = run(capsys, "distances", "demo", *flags)
    assert err.startswith("60 graphs, 1,770 pairs, 2 depths: about ")
    assert err.endswith(" of memory\n")
    assert run(capsys, "distances", "demo", *flags, "--quiet")[2] == ""
    _, _, err = run(capsys, "train", "demo", "--kind", "joint", "--depth", "0-1", "-o", tmp_path / "demo.wgm")
    assert err.startswith("60 graphs, 1,770 pairs, 2 depths, 84 candidates: about ")


# What is faster


def test_labels_alone_are_named_where_others_take_long(demo):
    graphs, _ = demo
    scheme = wg.WWL(kind="continuous").learn(graphs)
    option, seconds = faster_kind(graphs, scheme, [1], 1770, 1, 3600.0)
    assert option == Option("kind", "categorical")
    assert seconds < 360
    assert faster_kind(graphs, scheme, [1], 1770, 1, 500.0) == (None, 0.0)
    labels = wg.WWL(kind="categorical").learn(graphs)
    assert faster_kind(graphs, labels, [1], 1770, 1, 3600.0) == (None, 0.0)


@pytest.mark.parametrize("call", ["distances", "fit"])
def test_what_is_faster_is_told(demo, monkeypatch, call):
    graphs, y = demo
    for module in ("pairwise.foresight", "tuning.foresight"):
        monkeypatch.setattr(f"wassergraph.{module}.LONG", 0.0)
        monkeypatch.setattr(f"wassergraph.{module}._MUCH_FASTER", math.inf)
    model = wg.GraphClassifier(wg.WWL(depth=1))
    (told,) = heard(lambda: wg.distances(graphs) if call == "distances" else model.fit(graphs, y))
    assert told.faster == Option("kind", "categorical")
    assert told.describe().endswith('; kind="categorical" would take about 1 s')


# Samples and trends


def test_samples(demo):
    graphs, y = demo
    assert len(sample_graphs(graphs)) == 60
    assert sorted(sample_graphs(graphs).sizes.tolist()) == sorted(graphs.sizes.tolist())
    many = take_sample(graphs, np.arange(3000) % 60)
    assert len(many) == 400
    order = sample_order(y)
    assert sorted(order.tolist()) == list(range(60))
    assert np.bincount(y[order[:6]]).tolist() == [2, 2, 2]
    alone = np.array([0, 1, 1, 1, 2])
    assert sorted(sample_order(alone).tolist()) == list(range(5))
    assert set(alone[sample_order(alone)[:4]].tolist()) == {0, 1, 2}
    assert sorted(sample_order(y + 0.5).tolist()) == list(range(60))


def test_samples_of_large_graphs_are_small(demo, monkeypatch):
    graphs, _ = demo  # 14 nodes each, on average
    monkeypatch.setattr("wassergraph.pairwise.foresight._MOST_NODES", 600)
    few = take_sample(graphs, np.arange(60))
    assert 30 <= len(few) < 60
    assert few.sizes.sum() <= 600
    monkeypatch.setattr("wassergraph.pairwise.foresight._MOST_NODES", 10)
    assert len(take_sample(graphs, np.arange(60))) == 30


def test_a_trend():
    assert Trend(0.5, 2.0, 2.0).at(10) == 200.5
    calls = []

    def seconds(n: int) -> float:
        calls.append(n)
        return 3.0 + n**2

    found = Trend.measure(seconds, 100, 2.0)
    assert calls == [50, 50, 100]
    assert found.at(1000) == pytest.approx(3.0 + 1000**2)


def test_threads():
    assert speedup(1) == 1
    assert speedup(64) <= 64


def test_training_sizes_of_trials():
    trials = Trials(folds=10, inner_folds=5, repetitions=3)
    assert trials.train_sizes(1000, nested=False) == [900] * 10
    assert trials.train_sizes(1000, nested=True) == [720] * 50


def test_shares_of_rounds():
    assert round_shares(NO_LIMITS, 40, 0, 1) == [1.0]
    assert round_shares(Effort(margin=3.0), 40, 0, 3) == [1.0, 0.85, 0.85]
    kept = round_shares(Effort(margin=3.0, keep=(10, 5)), 40, 2, 4)
    assert kept == pytest.approx([1.0, 0.85 * 12 / 40, 0.85 * 7 / 40, 0.85 * 7 / 40])


# Matrices that are counted before there are any


@pytest.fixture(scope="module")
def molecules():
    pytest.importorskip("rdkit")
    smiles = ["C" * n + end for n in range(1, 16) for end in ("O", "N", "Cl", "C=O")]
    return wg.from_smiles(smiles), np.arange(60) % 2


def counted(monkeypatch, module, call):
    """Return what is chosen from, as an estimate counts it."""
    seen = []
    monkeypatch.setattr(f"wassergraph.{module}", lambda pilot, choosing, *_: seen.append(choosing) or 1.0)
    heard(call)
    return seen


@pytest.mark.parametrize("power", [1.0, [0.5, 2.0]])
def test_matrices_are_counted(molecules, demo, power):
    for graphs, _ in (molecules, demo):
        model = wg.GraphClassifier(search="wide", power=power)
        model.search_ = "wide"
        families, powers = model._families(graphs, wg.WWL(depth=range(4)), None), model._powers()
        stacks = [np.ones((len(family.depths), len(graphs), len(graphs))) for family in families]
        made = make_candidates(families, stacks, graphs, powers=powers)
        counts = count_matrices(families, powers)
        assert counts.stored == sum(map(len, stacks))
        assert counts.matrices == len(made.matrices)
        assert counts.simple == made.n_simple
        assert counts.indefinite >= sum(not matrix.definite for matrix in made.matrices) > 0


def test_all_preferred_families_are_counted(molecules, monkeypatch):
    """Molecules have two of them, one for each mass."""
    model = wg.GraphClassifier(wg.WWL(depth=range(2)), search="wide")
    (fitted,) = counted(monkeypatch, "tuning.foresight.selection_seconds", lambda: model.fit(*molecules))
    assert fitted.grid.n_simple == model.grid_scores_.grid.n_simple == 4
    options = {"depth": range(2), "search": "wide", **FEW}
    counts = counted(monkeypatch, "evaluation.foresight.choosing_seconds", lambda: evaluate(*molecules, **options))
    (evaluated,) = counts
    assert evaluated.grid.n_simple == 4
    assert (evaluated.n_matrices, evaluated.n_indefinite) == (fitted.n_matrices, fitted.n_indefinite) == (8, 4)


def test_a_pilot_times_fits_alone(demo, monkeypatch):
    """Threads are started once for all folds and matrices: for few graphs that takes longer than a fit."""

    def fail(*_: object, **__: object) -> None:
        raise AssertionError("threads were started")

    graphs, y = demo
    classes = np.unique(y, return_inverse=True)[1]
    choosing = Choosing(classes, [40, 40], Grid(({},), (1.0,), (1.0, 10.0)), 3, 3, SVMLearner(3, krein=True))
    monkeypatch.setattr("wassergraph.tuning.selection.run_tasks", fail)
    order = sample_order(classes)
    assert selection_seconds(wg.distances(graphs[order]), choosing, order, 1) > 0


# Predictions, indexes and pages


@pytest.mark.parametrize(
    "model",
    [wg.GraphClassifier(wg.WWL(depth=1)), wg.GraphRegressor(wg.WWL(depth=1)), wg.GraphGaussianProcess(wg.WWL(depth=1))],
)
def test_what_is_told_of_predictions(demo, model, monkeypatch):
    graphs, y = demo
    model.fit(graphs, y if isinstance(model, wg.GraphClassifier) else y + 0.5)
    plain = model.predict(graphs[:20])
    monkeypatch.setattr("wassergraph.models.training_graphs._MAX_DISTANCES", 300)  # several parts, one estimate
    (told,) = heard(lambda: np.testing.assert_allclose(model.predict(graphs[:20]), plain))
    assert told.n_graphs == 20
    assert told.n_pairs == 20 * len(model.support_ if isinstance(model, wg.GraphClassifier) else graphs)
    (told,) = heard(lambda: model.predictions(graphs[:20]))
    assert (told.n_pairs, list(told.seconds)) == (20 * 60, ["predictions"])
    assert heard(lambda: model.predict(graphs[:0])) == []


def test_what_is_told_of_an_index(demo, monkeypatch):
    graphs, _ = demo
    (told,) = heard(lambda: wg.GraphIndex(graphs, wg.WWL(depth=1)))
    assert (told.n_graphs, list(told.seconds)) == (60, ["embedding", "lists"])
    assert " pairs" not in told.describe()
    index = wg.GraphIndex(graphs[:40])
    (told,) = heard(lambda: index.add(graphs[40:]))
    assert told.n_graphs == 60
    monkeypatch.setattr("wassergraph.search.foresight._MANY", 1)
    monkeypatch.setenv("WASSERGRAPH_MEMORY_LIMIT", "1KB")
    with pytest.raises(MemoryError, match=r"an index of 60 graphs .*indexes of at most"):
        wg.GraphIndex(graphs)


def test_what_is_told_of_a_page(demo):
    graphs, y = demo
    page = ["distances of the page", "maps"]
    (told,) = heard(lambda: wg.explore(graphs, y, metric=wg.WWL(depth=1)))
    assert (told.n_pairs, list(told.seconds)) == (1770, page)
    matrix = wg.distances(graphs, metric=wg.WWL(depth=1))
    (told,) = heard(lambda: wg.explore(graphs, y, metric=wg.WWL(depth=1), distances=matrix))
    assert told.seconds[page[0]] == 0
    model = wg.GraphClassifier(wg.WWL(depth=1)).fit(graphs, y)
    (told,) = heard(lambda: wg.explore(graphs, y, predicted_by=model))
    assert list(told.seconds) == ["predictions", *page]


def test_one_line_and_one_bar_for_a_page_with_an_evaluation(demo, capsys, monkeypatch, tmp_path):
    monkeypatch.setattr("wassergraph.cli.messages.WORTH_TELLING", 0.0)
    monkeypatch.setattr("wassergraph.cli.report.show_progress", lambda _: True)
    arguments = ("report", "demo", "-o", tmp_path / "demo.html", "--kind", "categorical", "--evaluate", "--method", "v")
    _, _, err = run(capsys, *arguments)
    line, bar, rest = err.split("\n")
    assert line.startswith("60 graphs, 1,770 pairs, 10 candidates: about ")
    assert line.endswith(" of memory")  # which stages it names hangs on their times
    assert rest == ""
    drawn = bar.split("\r")[1:]
    assert all(each.startswith("page  ") for each in drawn)
    shares = [int(share) for share in re.findall(r"(\d+)%", bar)]
    assert shares == sorted(shares)
    assert shares[-1] == 100


def test_a_page_that_does_not_fit_is_refused_before_its_evaluation(capsys, monkeypatch, tmp_path):
    def fail(*_: object, **__: object) -> None:
        raise AssertionError("something was evaluated")

    monkeypatch.setattr("wassergraph.cli.report._evaluate", fail)
    monkeypatch.setenv("WASSERGRAPH_MEMORY_LIMIT", "1KB")
    code, _, err = run(capsys, "report", "demo", "-o", tmp_path / "demo.html", "--evaluate")
    assert code == 1
    assert "a page of 60 graphs would need" in err


def test_what_follows_is_told_with_it():
    first = Estimate(10, 45, {"choosing": 3.0}, 5e6)
    both = first.followed_by({"maps": 2.0}, 8e6)
    assert (dict(both.seconds), both.memory) == ({"choosing": 3.0, "maps": 2.0}, 8e6)
    assert first.followed_by({}, 0.0) == first


def test_evaluations_tell_what_is_faster(demo, monkeypatch):
    graphs, y = demo
    monkeypatch.setattr("wassergraph.evaluation.evaluate.LONG", 0.0)
    monkeypatch.setattr("wassergraph.tuning.foresight._MUCH_FASTER", math.inf)
    (told,) = heard(lambda: evaluate(graphs, y, depth=1, **FEW))
    assert told.faster == Option("kind", "categorical")
    (told,) = heard(lambda: evaluate(graphs, y, method="vh-c", **FEW))
    assert told.faster is None  # VH-C compares attributes
