from __future__ import annotations

import _thread
import time
import warnings

import numpy as np
import pytest
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.svm import SVC

import wassergraph as wg
from cross_validation import cross_validate, cross_validate_distances
from svm_reference import Reference, asymmetric_clusters, new_svc, predict
from wassergraph.kernels.laplacian import exponential
from wassergraph.learners.effort import Effort
from wassergraph.learners.protocol import FitOptions, KernelBlock, Path, as_kernel, predict_fold
from wassergraph.learners.svm.krein import KreinSVC
from wassergraph.learners.svm.learner import SVMLearner, out_of_fold_decisions
from wassergraph.learners.svm.multiclass import problems, scores_by_class, vote
from wassergraph.scores.classes import read_classes
from wassergraph.status import NOT_CONVERGED, STOPPED
from wassergraph.tuning.folds import NestedFolds, make_folds
from wassergraph.tuning.grid import Grid, GridScores, positive_numbers
from wassergraph.tuning.nested import nested_cross_validation
from wassergraph.tuning.selection import score_grid

GAMMAS, C_VALUES = (0.01, 0.1, 1.0, 10.0), (1e-3, 1.0, 10.0, 1e3)


@pytest.fixture(scope="module")
def demo():
    graphs, y = wg.load_dataset("demo")
    return wg.distances(graphs, metric=wg.WWL(depth=range(3))), y


def kernels_of(matrix) -> list[np.ndarray]:
    return [np.exp(-gamma * matrix) for gamma in GAMMAS]


def test_scores_are_those_of_svc(demo):
    distances, y = demo
    folds = make_folds(y, np.unique(y), 4, 0)
    scores = score_grid(distances, y, folds, Grid.of_depths((0, 1, 2), GAMMAS, C_VALUES), SVMLearner(3, krein=False))
    for h in range(3):
        Reference(kernels_of(distances[h]), y, C_VALUES, folds).check(scores.score[h])


@pytest.mark.parametrize("classes", [2, 3])
def test_scores_on_indefinite_kernels_are_those_of_krein_svc(classes):
    distances, y = asymmetric_clusters(60, classes)
    folds = make_folds(y, np.unique(y), 3)
    assert wg.kernels.definiteness(np.exp(-distances[0])).n_negative > 0
    scores = score_grid(distances, y, folds, Grid.of_depths((0, 1), GAMMAS, C_VALUES), SVMLearner(classes, krein=True))
    for h in range(2):
        Reference(kernels_of(distances[h]), y, C_VALUES, folds, KreinSVC(tol=1e-6)).check(scores.score[h])


def test_flipping_decides_the_classes_of_a_negative_kernel():
    """With K = -s sᵀ for signs s of the classes, flipping classifies all graphs correctly, and a plain SVM none.

    The flipped kernel is s sᵀ, which separates the classes. Without flipping, the objective is least with every
    coefficient at its bound, C s, and the decision -C n s has the wrong sign everywhere.
    """
    y = np.arange(40) % 2
    signs = np.where(y == 0, 1.0, -1.0)
    kernels = -np.outer(signs, signs)[None]
    folds = make_folds(y, np.unique(y), 4)
    grid = Grid(({},), None, (0.5, 1.0, 10.0))
    for krein, accuracy in [(True, 1.0), (False, 0.0)]:
        scores = score_grid(kernels, y, folds, grid, SVMLearner(2, krein=krein))
        assert (scores.score == accuracy).all()
        nested = cross_validate(kernels, y, Grid(({},), None, (1.0,)), krein=krein, cv=4, inner_cv=2)
        assert (nested.accuracy == accuracy).all()


def test_scores_on_real_labels_are_those_of_svc(data_home):
    graphs, y = wg.load_dataset("MUTAG", data_home=data_home)
    distances = wg.distances(graphs, metric=wg.WWL(depth=[0, 2], kind="categorical"))
    classes, targets = read_classes(y, len(graphs))
    folds = make_folds(targets, classes, 5)
    learner = SVMLearner(2, krein=True)
    scores = score_grid(distances, targets, folds, Grid.of_depths((0, 2), GAMMAS, C_VALUES), learner)
    for h in range(2):
        Reference(kernels_of(distances[h]), y, C_VALUES, folds).check(scores.score[h])


def test_the_number_of_threads_changes_nothing(demo, capsys):
    distances, y = demo
    folds = make_folds(y, np.unique(y), 3)
    grid, learner = Grid.of_depths((0, 1, 2), GAMMAS, C_VALUES), SVMLearner(3, krein=True)
    one = score_grid(distances, y, folds, grid, learner)
    for n_jobs in (2, -1):
        more = score_grid(distances, y, folds, grid, learner, n_jobs=n_jobs, progress=n_jobs == 2)
        np.testing.assert_array_equal(more.score, one.score)
        np.testing.assert_array_equal(more.steps, one.steps)
    assert "144 fits of 144 fits" in capsys.readouterr().err
    assert (np.isfinite(one.seconds) & (one.seconds >= 0)).all()


class InterruptedLearner(SVMLearner):
    """Interrupts the program in each fit, and ends the fit only when ``stop`` is set."""

    def fit_path(self, block, targets, C_values, options):
        _thread.interrupt_main()
        end = time.monotonic() + 60
        while not options.stop[0]:
            assert time.monotonic() < end, "the fit was not stopped"
            time.sleep(0.01)
        return super().fit_path(block, targets, C_values, options)


def test_an_interrupt_stops_the_fits_that_are_running(demo):
    distances, y = demo
    folds = make_folds(y, np.unique(y), 3)
    grid = Grid.of_depths((0,), (1.0,), C_VALUES)  # one path only: no other can interrupt a second time
    with pytest.raises(KeyboardInterrupt):
        score_grid(distances[:1], y, folds[:1], grid, InterruptedLearner(3, krein=False))


def test_a_stopped_path_has_the_status_stopped(demo):
    distances, y = demo
    kernel = np.exp(-distances[0])
    stop = np.ones(1, dtype=np.bool_)
    path = SVMLearner(3, krein=False).fit_path(KernelBlock(kernel, kernel, 1.0, True), y, C_VALUES, FitOptions(stop))
    assert path.steps.tolist() == [STOPPED] * 4


def test_one_pair_of_classes_that_is_not_solved_makes_the_fit_unsolved():
    """Each step solves for two orthogonal points: three steps for two classes of three, at least ten for ten points."""
    targets, kernel = np.repeat([0, 1, 2], [3, 3, 10]), np.eye(16)
    learner, block = SVMLearner(3, krein=False), KernelBlock(kernel, kernel, None, True)
    few = FitOptions(effort=Effort(max_iter=6, skip_unsolved=True))
    _, steps = learner.solve(block, targets, [10.0], few)
    assert steps[:, 0].tolist() == [3, NOT_CONVERGED, NOT_CONVERGED]
    assert learner.fit_path(block, targets, [10.0], few).steps.tolist() == [NOT_CONVERGED]
    _, solved = learner.solve(block, targets, [10.0], FitOptions())
    assert learner.fit_path(block, targets, [10.0], FitOptions()).steps.tolist() == [solved.sum()]


def test_fits_start_from_those_of_the_previous_gamma():
    rng = np.random.default_rng(0)
    points = rng.normal(size=(120, 3))
    targets = (points[:, 0] + 0.5 * rng.normal(size=120) > 0).astype(int)
    distances = np.abs(points[:, None] - points).sum(axis=2)
    distances /= distances.max()
    learner, c_values = SVMLearner(2, krein=False), 10.0 ** np.arange(0, 6)
    small, large = (KernelBlock(np.exp(-g * distances), np.exp(-g * distances), g, True) for g in (0.001, 0.01))
    warm_start = {}
    learner.fit_path(small, targets, c_values, FitOptions(warm_start=warm_start))
    warm = learner.fit_path(large, targets, c_values, FitOptions(warm_start=warm_start))
    cold = learner.fit_path(large, targets, c_values, FitOptions())
    assert warm.steps[:3].sum() < cold.steps[:3].sum() / 2  # 13 and 199 when this was written


def test_a_fit_that_is_not_solved_is_an_error(demo):
    distances, y = demo
    folds = make_folds(y, np.unique(y), 3)
    grid, learner = Grid.of_depths((0, 1, 2)), SVMLearner(3, krein=False)
    with pytest.raises(RuntimeError, match=r"C=\S+ is not solved after 3 steps: leave out such a large C"):
        score_grid(distances, y, folds, grid, learner, effort=Effort(max_iter=3))


def test_a_fit_that_is_not_solved_may_be_left_out_with_every_larger_one(demo):
    distances, y = demo
    folds = make_folds(y, np.unique(y), 3)
    # With one gamma, no fit starts from that of another gamma, so a path that ends early has the same beginning.
    grid, learner = Grid.of_depths((0, 1, 2), (0.1,)), SVMLearner(3, krein=False)
    partial = score_grid(distances, y, folds, grid, learner, effort=Effort(max_iter=40, skip_unsolved=True))
    left_out = np.isnan(partial.score)
    assert 0 < left_out.sum() < left_out.size
    assert (left_out == (partial.steps == NOT_CONVERGED)).all()
    assert (left_out[:, :, 1:] >= left_out[:, :, :-1]).all()  # with a C, all larger ones are left out
    full = score_grid(distances, y, folds, grid, learner)
    np.testing.assert_array_equal(partial.score[~left_out], full.score[~left_out])
    assert not np.isnan(partial.best()[1])
    none = GridScores(
        grid, np.full_like(partial.score, np.nan), partial.seconds, np.full_like(partial.steps, NOT_CONVERGED)
    )
    with pytest.raises(RuntimeError, match="no candidate converged"):
        none.best()


# Other learners


class RidgeLearner:
    """Kernel ridge regression: a learner of numbers, whose scores are negative."""

    may_be_indefinite = False

    def check_training(self, targets, where):
        assert len(targets) > 1, where

    def order(self, targets):
        return np.arange(len(targets))[::-1]

    def fit_path(self, block, targets, C_values, options):
        penalties = [np.eye(len(targets)) / (2 * C) for C in C_values]
        predictions = [block.rows @ np.linalg.solve(block.kernel + penalty, targets) for penalty in penalties]
        return Path(np.array(predictions), np.ones(len(C_values), dtype=np.int64))

    def test(self, matrix, targets, fold, inner, choice, needs):
        return predict_fold(self, matrix, targets, fold, choice)

    def score(self, path, targets):
        return -((path.predictions - targets) ** 2).mean(axis=-1)

    def standard_error(self, score, n_tested):
        return -score / np.sqrt(n_tested)


@pytest.fixture(scope="module")
def sizes():
    graphs, _ = wg.load_dataset("demo")
    n_nodes = np.diff(graphs.node_ptr).astype(float)
    return wg.distances(graphs, metric=wg.WWL(depth=range(3), standardize=False)), n_nodes / n_nodes.mean()


def test_selection_and_nested_cross_validation_work_with_any_learner(sizes):
    distances, targets = sizes
    grid, learner = Grid.of_depths((0, 1, 2), (0.1, 1.0), (0.01, 1.0, 100.0)), RidgeLearner()
    outer = list(KFold(3, shuffle=True, random_state=0).split(targets))
    inner = [[(train[a], train[b]) for a, b in KFold(4).split(train)] for train, _ in outer]
    result = nested_cross_validation(distances, targets, NestedFolds(outer, inner), grid, learner)
    for fold, (train, test) in enumerate(outer):
        means = score_grid(distances, targets, inner[fold], grid, learner).score.mean(axis=-1)
        m, g, c = np.unravel_index(means.argmax(), means.shape)
        assert result.parameters[fold] == {"depth": m, "gamma": grid.gammas[g], "C": grid.C_values[c]}
        assert result.inner_score[fold] == pytest.approx(means.max())
        kernel = np.exp(-grid.gammas[g] * distances[m])
        penalty = np.eye(len(train)) / (2 * grid.C_values[c])
        expected = kernel[np.ix_(test, train)] @ np.linalg.solve(kernel[np.ix_(train, train)] + penalty, targets[train])
        np.testing.assert_allclose(result.outputs[fold].predictions, expected, rtol=1e-6)
        assert result.score[fold] == pytest.approx(-np.mean((expected - targets[test]) ** 2), rel=1e-5)
    assert (result.score < 0).all()
    assert result.n_unsolved == 0


def test_candidates_that_are_far_behind_are_dropped(sizes):
    distances, targets = sizes
    targets = targets + np.random.default_rng(0).normal(size=len(targets))  # with this noise, a large C overfits
    outer = list(KFold(3, shuffle=True, random_state=0).split(targets))
    folds = [(train[a], train[b]) for train, _ in outer for a, b in KFold(4).split(train)]
    groups = np.repeat([0, 1, 2], 4).tolist()
    grid, learner = Grid.of_depths((0, 1, 2), GAMMAS, C_VALUES), RidgeLearner()
    full = score_grid(distances, targets, folds, grid, learner, groups=groups)
    patient = score_grid(distances, targets, folds, grid, learner, groups=groups, effort=Effort(margin=1e6))
    np.testing.assert_allclose(patient.score, full.score, rtol=1e-9)
    for n_jobs in (1, 2):
        effort = Effort(margin=2.0)
        race = score_grid(distances, targets, folds, grid, learner, groups=groups, effort=effort, n_jobs=n_jobs)
        for group in range(3):
            members = np.flatnonzero(np.array(groups) == group)
            remaining = np.ones(grid.shape, dtype=bool)
            for count, fold in enumerate(members, 1):
                np.testing.assert_array_equal(np.isnan(race.score[..., fold]), ~remaining)
                np.testing.assert_allclose(race.score[remaining, fold], full.score[remaining, fold], rtol=1e-9)
                # A path ends with its last remaining C; this learner takes one step for each.
                fitted = np.flip(np.logical_or.accumulate(np.flip(remaining, axis=2), axis=2), axis=2)
                np.testing.assert_array_equal(race.steps[..., fold], fitted)
                means = np.where(remaining, full.score[..., members[:count]].mean(axis=-1), -np.inf)
                n_tested = sum(len(folds[f][1]) for f in members[:count])
                remaining &= means >= means.max() - 2 * learner.standard_error(means.max(), n_tested)
            assert 0 < remaining.sum() < remaining.size
            assert not fitted.all(axis=2)[fitted.any(axis=2)].all()  # some path ends before its last C
            assert race.take(members).best()[1] == pytest.approx(means.max())


def test_the_standard_error_of_accuracies_is_that_of_two_shares():
    learner = SVMLearner(2, krein=False)
    assert learner.standard_error(0.8, 50) == pytest.approx(np.sqrt(2 * 0.8 * 0.2 / 50))
    assert learner.standard_error(1.0, 50) == pytest.approx(np.sqrt(2) / 50)  # not 0 with a finite sample


def test_selection_uses_the_public_kernel():
    distances = np.random.default_rng(0).uniform(size=(5, 7))
    np.testing.assert_allclose(as_kernel(distances, 0.3), wg.kernels.laplacian_kernel(distances, 0.3), rtol=1e-15)
    assert as_kernel(distances, None) is distances
    single = distances.astype(np.float32)
    assert as_kernel(single, 0.3).dtype == np.float64
    assert exponential(single, 0.3, np.float32).dtype == wg.kernels.laplacian_kernel(single, 0.3).dtype == np.float32


def test_candidates_need_positive_numbers():
    assert positive_numbers("C", (10, 1.0, 10)) == (1.0, 10.0)
    assert positive_numbers("C", 2) == (2.0,)
    for values in ([], [1.0, -1.0], "scale", [None], float("nan"), float("inf")):
        with pytest.raises(ValueError, match="C must be a positive number, or a sequence of positive numbers"):
            positive_numbers("C", values)


def grid_scores(means) -> GridScores:
    score = np.asarray(means, dtype=float)[..., None].repeat(2, axis=-1)
    grid = Grid.of_depths(*(tuple(range(1, n + 1)) for n in score.shape[:3]))
    return GridScores(grid, score, np.ones_like(score), np.ones(score.shape, dtype=int))


def test_ties_go_to_the_simpler_model():
    means = np.full((2, 2, 2), 0.5)
    means[1] = 0.7  # depth 2 with any gamma and C
    assert grid_scores(means).grid.candidate(grid_scores(means).best()[0]) == {"depth": 2, "gamma": 1, "C": 1}
    means[0, 1, 1] = 0.7 + 1e-15  # rounding makes no better model
    assert grid_scores(means).grid.candidate(grid_scores(means).best()[0]) == {"depth": 1, "gamma": 2, "C": 2}
    means[0, 0, 1] = 0.7
    assert grid_scores(means).grid.candidate(grid_scores(means).best()[0]) == {"depth": 1, "gamma": 1, "C": 2}
    means[0, 1, 0] = 0.7  # a smaller C before a smaller gamma
    assert grid_scores(means).grid.candidate(grid_scores(means).best()[0]) == {"depth": 1, "gamma": 2, "C": 1}
    means[1, 0, 1] = 0.8
    assert grid_scores(means).best() == (5, pytest.approx(0.8))


def test_negative_scores_have_a_best_candidate():
    means = np.full((1, 2, 2), -5.0)
    means[0, 1, 0] = -3.0
    means[0, 0, 0] = np.nan
    assert grid_scores(means).best() == (2, pytest.approx(-3.0))


def test_the_table_has_a_row_for_every_candidate(demo):
    distances, y = demo
    folds = make_folds(y, np.unique(y), 3)
    scores = score_grid(distances, y, folds, Grid.of_depths((0, 1, 2), GAMMAS, C_VALUES), SVMLearner(3, krein=False))
    table = scores.table()
    assert {len(column) for column in table.values()} == {48}
    number, best = scores.best()
    assert table["mean_test_score"][number] == pytest.approx(best)
    assert table["rank_test_score"][number] == table["rank_test_score"].min() == 1
    assert table["params"][number] == {name: table[f"param_{name}"][number] for name in ("depth", "gamma", "C")}
    by_hand = np.mean([table[f"split{k}_test_score"] for k in range(3)], axis=0)
    np.testing.assert_allclose(table["mean_test_score"], by_hand)
    assert set(table) >= {"std_test_score", "mean_fit_time", "mean_steps"}


def test_out_of_fold_decisions_come_from_svms_that_were_not_trained_on_the_graph(demo):
    distances, y = demo
    folds = make_folds(y, np.unique(y), 3)
    learner = SVMLearner(3, krein=True)
    decisions = out_of_fold_decisions(distances[1], y, folds, 1.0, 10.0, learner)
    for train, test in folds:
        kernel = np.exp(-distances[1])
        svm = SVC(kernel="precomputed", C=10.0, tol=1e-6, decision_function_shape="ovo")
        svm.fit(kernel[np.ix_(train, train)], y[train])
        expected = svm.decision_function(kernel[np.ix_(test, train)])
        np.testing.assert_allclose(decisions[test], expected, atol=1e-3)
    first = out_of_fold_decisions(distances[1], y, folds[:1], 1.0, 10.0, learner)
    assert np.isnan(first[folds[0][0]]).all()
    assert np.isfinite(first[folds[0][1]]).all()


# Evaluation


def evaluate_given(distances, y, *, depth="auto", folds=3, cv="auto", n_jobs=None, random_state=0, **options):
    """Evaluate a classifier of given distances."""
    model = wg.GraphClassifier(wg.WWL(depth=depth), cv=cv, **options)
    made = wg.Folds(folds, random_state=random_state)
    return wg.evaluate(None, y, model=model, folds=made, distances=distances, n_jobs=n_jobs)


def test_nested_cross_validation_is_the_loop_one_would_write(demo):
    distances, y = demo
    options = {"gamma": GAMMAS, "C": C_VALUES}
    result = evaluate_given(distances, y, **options, folds=4, cv=3, random_state=1)
    row, expected_score = (
        result.rows["wwl"],
        cross_validate_distances(distances, y, **options, cv=4, inner_cv=3, random_state=1),
    )
    outer = list(StratifiedKFold(4, shuffle=True, random_state=1).split(y, y))
    for fold, (train, test) in enumerate(outer):
        inner = list(StratifiedKFold(3, shuffle=True, random_state=1).split(train, y[train]))
        kernels = [kernel for matrix in distances for kernel in kernels_of(matrix)]
        chosen = row.parameters[0][fold]
        place = chosen["depth"] * len(GAMMAS) + GAMMAS.index(chosen["gamma"]), C_VALUES.index(chosen["C"])
        among = [kernel[np.ix_(train, train)] for kernel in kernels]
        assert Reference(among, y[train], C_VALUES, inner).may_choose(place, expected_score.inner_accuracy[fold])
        expected, doubtful = predict(new_svc(chosen["C"]), kernels[place[0]], y, train, test)
        assert doubtful.mean() < 0.5
        predicted = row.repetitions[0].predictions[test]
        np.testing.assert_array_equal(predicted[~doubtful], expected[~doubtful])
        assert row.accuracy[0, fold] == np.mean(predicted == y[test])
    assert row.parameters == [expected_score.parameters]
    assert result.majority == pytest.approx(1 / 3)
    assert "given distances" in str(result)


def test_evaluation_is_the_same_every_time_and_follows_the_seed(demo):
    distances, y = demo
    options = {"gamma": GAMMAS, "C": C_VALUES}
    one, again = (evaluate_given(distances, y, **options, n_jobs=n).rows["wwl"] for n in (1, 2))
    assert one.parameters == again.parameters
    np.testing.assert_array_equal(one.accuracy, again.accuracy)
    other = evaluate_given(distances, y, **options, random_state=5).rows["wwl"]
    assert (one.repetitions[0].predictions != other.repetitions[0].predictions).any()


def test_evaluation_takes_one_matrix_and_other_depths(demo):
    distances, y = demo
    names = np.array(["a", "b", "c"])[y]
    single = evaluate_given(distances[1], names, gamma=1.0, C=10.0).rows["wwl"]
    assert single.parameters == [[{"depth": 0, "gamma": 1.0, "C": 10.0}] * 3]
    named = evaluate_given(distances[1:], y, depth=[4, 7], gamma=1.0, C=10.0).rows["wwl"]
    assert {chosen["depth"] for chosen in named.parameters[0]} <= {4, 7}


def test_numbers_are_learned_from_distances_as_from_graphs():
    graphs, _ = wg.load_dataset("demo")
    metric, y = wg.WWL(depth=[0, 1]), graphs.sizes**0.5
    distances = wg.distances(graphs, metric=metric)
    for model in (wg.GraphRegressor(metric, cv=2), wg.GraphGaussianProcess(metric)):
        expected = wg.evaluate(graphs, y, model=model, folds=3).rows["wwl"]
        found = wg.evaluate(graphs, y, model=model, folds=3, distances=distances).rows["wwl"]
        np.testing.assert_array_equal(found.values("rmse"), expected.values("rmse"))
        assert found.parameters == expected.parameters


def test_distances_in_place_of_graphs_are_checked(demo):
    distances, y = demo
    graphs = wg.load_dataset("demo")[0]
    for arguments, options, message in [
        ((graphs[:5], y), {}, "distances are of 60 graphs, but there are 5"),
        ((None, y), {"method": "wl"}, "other methods, and duplicates, cannot be computed"),
        ((None, y), {"deduplicate": True}, "other methods, and duplicates, cannot be computed"),
        ((None, y), {"folds": wg.Folds(split="wwl")}, "split='wwl' compares graphs|wwl.* compares graphs"),
        ((None, y), {"folds": wg.Folds(split="scaffold")}, "needs molecules"),
    ]:
        with pytest.raises(ValueError, match=message):
            wg.evaluate(*arguments, distances=distances, **options)


def test_depths_may_come_in_any_order(demo):
    distances, y = demo
    options = {"gamma": GAMMAS, "C": C_VALUES}
    one = evaluate_given(distances, y, **options).rows["wwl"]
    back = evaluate_given(distances[::-1], y, depth=[2, 1, 0], **options).rows["wwl"]
    assert back.parameters == one.parameters
    np.testing.assert_array_equal(back.accuracy, one.accuracy)
    assert evaluate_given(distances[1], y, depth=4, **options).rows["wwl"].parameters[0][0]["depth"] == 4


def test_bad_input_of_an_evaluation_is_refused(demo):
    distances, y = demo
    for arguments, options, message in [
        ((distances[:, :5], y), {}, "distances must be square"),
        ((distances, y[:-1]), {}, "60 graphs, but 59 classes"),
        ((distances, None), {}, "y is None"),
        ((distances[:, :0, :0], []), {}, "there are no graphs to learn from"),
        ((distances, np.zeros(60)), {}, "all graphs belong to the class"),
        ((distances, y + 0.5), {}, "graph 0: y is 0.5, which is not a class"),
        ((distances, y), {"gamma": 0}, "gamma must be a positive number"),
        ((distances, y), {"C": []}, "C must be a positive number"),
        ((distances, y), {"depth": [1]}, r"a different number of at least 0 for each of 3 matrices, got \[1\]"),
        ((distances, y), {"depth": [1, 1, 2]}, "a different number of at least 0"),
        ((distances, y), {"depth": [-1, 1, 2]}, "a different number of at least 0"),
        ((distances * (1 + np.arange(60)), y), {}, "matrix 0 of the distances is not symmetric"),
        ((distances, y), {"gamma": "scale"}, "gamma must be a positive number, or a sequence"),
        ((distances, y), {"folds": 1}, "folds must be at least 2, got 1"),
        ((distances, y), {"folds": 30}, "folds must be from 2 to 20"),
        ((-distances, y), {}, "distances are at least 0"),
    ]:
        with pytest.raises(ValueError, match=message):
            evaluate_given(*arguments, **options)


# Folds and classes


def test_folds_are_stratified_and_the_same_every_time():
    targets = np.repeat([0, 1, 2], [30, 20, 10])
    folds = make_folds(targets, np.arange(3), 5)
    assert sorted(np.concatenate([test for _, test in folds]).tolist()) == list(range(60))
    for train, test in folds:
        assert np.bincount(targets[test]).tolist() == [6, 4, 2]
        assert not set(train) & set(test)
    for again, (_, test) in zip(make_folds(targets, np.arange(3), 5), folds, strict=True):
        np.testing.assert_array_equal(again[1], test)
    shuffled = make_folds(targets, np.arange(3), 5, random_state=0)
    assert any((a[1] != b[1]).any() for a, b in zip(shuffled, folds, strict=True))


def test_a_rare_class_gives_a_warning_and_trains_in_every_fold():
    targets = np.repeat([0, 1], [20, 2])
    with pytest.warns(UserWarning, match="the class 'rare' has 2 graphs, fewer than the 5 folds"):
        folds = make_folds(targets, np.array(["common", "rare"]), 5)
    assert all((targets[train] == 1).any() for train, _ in folds)


def test_folds_that_cannot_train_are_refused():
    targets = np.repeat([0, 1], 10)
    with pytest.raises(ValueError, match="the training part of fold 0 has no graph of the class 'a'"):
        make_folds(targets, np.array(["a", "b"]), KFold(2))
    with pytest.raises(ValueError, match="fold 0 has no graph to test with"):
        make_folds(targets, np.array(["a", "b"]), [(np.arange(20), np.array([], dtype=int))])


def test_folds_may_be_masks():
    targets = np.arange(20) % 2
    mask = np.arange(20) < 6
    ((train, test),) = make_folds(targets, np.arange(2), [(~mask, mask)])
    assert (train.tolist(), test.tolist()) == (list(range(6, 20)), list(range(6)))


def test_classes_may_be_objects_of_one_type():
    classes, _ = read_classes(np.array(["b", "a", "b", "a"], dtype=object), 4)
    assert classes.dtype.kind == "U"
    assert read_classes(np.array([True, False, True, False], dtype=object), 4)[0].dtype == bool
    with pytest.raises(ValueError, match="graph 1: y is None; pass the class of every graph"):
        read_classes(np.array(["b", None, "b", "a"], dtype=object), 4)
    with pytest.raises(ValueError, match="y contains values of the types int, str; pass classes that are all strings"):
        read_classes(np.array(["b", 1, "b", "a"], dtype=object), 4)


def test_classes_are_read_and_checked():
    classes, targets = read_classes(["b", "a", "b", "a"], 4)
    assert (classes.tolist(), targets.tolist()) == (["a", "b"], [1, 0, 1, 0])
    with pytest.raises(ValueError, match="the class 'b' has only one graph"):
        read_classes(["a", "a", "b"], 3)


# Many classes


def test_votes_and_scores_are_those_of_svc():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(80, 3)), np.arange(80) % 4
    peer = SVC(decision_function_shape="ovo").fit(x, y)
    decisions = peer.decision_function(x)
    np.testing.assert_array_equal(vote(decisions, 4), peer.predict(x))
    peer.set_params(decision_function_shape="ovr")
    np.testing.assert_allclose(scores_by_class(decisions, 4), peer.decision_function(x), atol=1e-12)


def test_problems_of_two():
    targets = np.array([2, 0, 1, 0, 2])
    first, *_, last = problems(targets, 3)
    assert (first.members.tolist(), first.signs.tolist()) == ([1, 3, 2], [1, 1, -1])
    assert (last.members.tolist(), last.signs.tolist()) == ([2, 0, 4], [1, -1, -1])
    rest = problems(targets, 3, "ovr")
    assert [part.members.tolist() for part in rest] == [[1, 3, 2, 0, 4], [2, 1, 3, 0, 4], [0, 4, 1, 3, 2]]
    assert len(problems(targets % 2, 2, "ovr")) == 1


def test_no_warning_of_scikit_learn_comes_through():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        make_folds(np.repeat([0, 1], 10), np.arange(2), 5)
