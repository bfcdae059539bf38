from __future__ import annotations

import _thread
import threading
import warnings

import numpy as np
import pytest
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

import wassergraph as wg
from wassergraph.learning.folds import make_folds, read_classes
from wassergraph.learning.selection import Effort, Grid, GridScores, out_of_fold, score_grid
from wassergraph.learning.svm.krein import KreinSVC
from wassergraph.learning.svm.multiclass import problems, scores_by_class, vote
from wassergraph.learning.svm.smo import NOT_CONVERGED

GAMMAS, COSTS = (0.01, 0.1, 1.0, 10.0), (1e-3, 1.0, 10.0, 1e3)


class Warped(TransformerMixin, BaseEstimator):
    """The kernel exp(-gamma * D) without a look at D, so that anything passes for distances."""

    def __init__(self, gamma=1.0):
        self.gamma = gamma

    def fit(self, distances, y=None):
        return self

    def transform(self, distances):
        return np.exp(-self.gamma * np.asarray(distances))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = True
        return tags


@pytest.fixture(scope="module")
def demo():
    graphs, y = wg.load_dataset("demo")
    return wg.wwl_distances(graphs, depth=range(3)), y


def crooked(n: int, classes: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Make symmetric dissimilarities whose kernels are not positive definite, and classes that show in them."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % classes
    distances = 1.0 + rng.uniform(-0.9, 0.9, size=(2, n, n)) + 0.6 * (y[:, None] != y)
    distances = (distances + distances.transpose(0, 2, 1)) / 2
    for matrix in distances:
        np.fill_diagonal(matrix, 0)
    return distances, y


def searched(matrix, y, machine, folds) -> np.ndarray:
    """Score all gammas and costs with scikit-learn: (n_gammas, n_costs, n_folds)."""
    name = type(machine).__name__.lower()
    search = GridSearchCV(
        make_pipeline(Warped(), machine), {"warped__gamma": GAMMAS, f"{name}__C": COSTS}, cv=folds, refit=False
    ).fit(matrix, y)
    table = np.array([search.cv_results_[f"split{k}_test_score"] for k in range(len(folds))]).T
    places = [(GAMMAS.index(p["warped__gamma"]), COSTS.index(p[f"{name}__C"])) for p in search.cv_results_["params"]]
    scores = np.empty((len(GAMMAS), len(COSTS), len(folds)))
    scores[tuple(np.transpose(places))] = table
    return scores


def test_scores_are_those_of_a_grid_search_with_svc(demo):
    distances, y = demo
    folds = make_folds(y, np.unique(y), 4, 0)
    scores = score_grid(distances, y, folds, Grid.of_depths((0, 1, 2), GAMMAS, COSTS), krein=False)
    for h in range(3):
        expected = searched(distances[h], y, SVC(kernel="precomputed", tol=1e-6), folds)
        np.testing.assert_allclose(scores.accuracy[h], expected, atol=1e-12)


@pytest.mark.parametrize("classes", [2, 3])
def test_scores_are_those_of_a_grid_search_with_krein_machines(classes):
    distances, y = crooked(60, classes)
    folds = make_folds(y, np.unique(y), 3)
    assert wg.definiteness(np.exp(-distances[0])).n_negative > 0
    scores = score_grid(distances, y, folds, Grid.of_depths((0, 1), GAMMAS, COSTS), krein=True)
    for h in range(2):
        expected = searched(distances[h], y, KreinSVC(tol=1e-6), folds)
        np.testing.assert_allclose(scores.accuracy[h], expected, atol=1e-12)
    plain = score_grid(distances, y, folds, Grid.of_depths((0, 1), GAMMAS, COSTS), krein=False)
    assert (plain.accuracy != scores.accuracy).any()


def test_real_labels_score_as_a_grid_search_does(data_home):
    graphs, y = wg.load_dataset("MUTAG", data_home=data_home)
    distances = wg.wwl_distances(graphs, depth=[0, 2], kind="categorical")
    classes, codes = read_classes(y, len(graphs))
    folds = make_folds(codes, classes, 5)
    scores = score_grid(distances, codes, folds, Grid.of_depths((0, 2), GAMMAS, COSTS), krein=True)
    for h in range(2):
        expected = searched(distances[h], y, SVC(kernel="precomputed", tol=1e-6), folds)
        np.testing.assert_allclose(scores.accuracy[h], expected, atol=1e-12)


def test_the_number_of_threads_changes_nothing(demo, capsys):
    distances, y = demo
    folds = make_folds(y, np.unique(y), 3)
    grid = Grid.of_depths((0, 1, 2), GAMMAS, COSTS)
    one = score_grid(distances, y, folds, grid, krein=True)
    for n_jobs in (2, -1):
        more = score_grid(distances, y, folds, grid, krein=True, n_jobs=n_jobs, progress=n_jobs == 2)
        np.testing.assert_array_equal(more.accuracy, one.accuracy)
        np.testing.assert_array_equal(more.steps, one.steps)
    assert "144 machines of 144 machines" in capsys.readouterr().err
    assert (one.seconds > 0).all()


def test_an_interrupt_ends_a_long_selection():
    distances, y = crooked(900, 2)
    folds = make_folds(y, np.unique(y), 3)
    threading.Timer(1.0, _thread.interrupt_main).start()
    grid = Grid.of_depths(tuple(range(60)), GAMMAS)
    with pytest.raises(KeyboardInterrupt):
        score_grid(np.repeat(distances, 30, axis=0), y, folds, grid, krein=False, n_jobs=2)


def test_a_machine_that_is_not_solved_is_an_error(demo):
    distances, y = demo
    folds = make_folds(y, np.unique(y), 3)
    with pytest.raises(RuntimeError, match=r"C=\S+ is not solved after 3 steps: leave out such a large C"):
        score_grid(distances, y, folds, Grid.of_depths((0, 1, 2)), krein=False, effort=Effort(max_steps=3))


def test_a_machine_that_is_not_solved_may_be_left_out_with_all_larger_costs(demo):
    distances, y = demo
    folds = make_folds(y, np.unique(y), 3)
    grid = Grid.of_depths((0, 1, 2))
    some = score_grid(distances, y, folds, grid, krein=False, effort=Effort(max_steps=40, leave_out=True))
    out = np.isnan(some.accuracy)
    assert 0 < out.sum() < out.size
    assert (out == (some.steps == NOT_CONVERGED)).all()
    assert (out[:, :, 1:] >= out[:, :, :-1]).all()  # once left out along C, always left out
    every = score_grid(distances, y, folds, grid, krein=False)
    np.testing.assert_array_equal(some.accuracy[~out], every.accuracy[~out])
    assert not np.isnan(some.best()[1])
    none = GridScores(grid, np.full_like(some.accuracy, np.nan), some.seconds, some.steps)
    with pytest.raises(RuntimeError, match="no candidate could be solved"):
        none.best()


def test_candidates_that_are_far_behind_leave_the_race(demo):
    distances, y = demo
    outer = make_folds(y, np.unique(y), 3, 0)
    inner = [[(train[a], train[b]) for a, b in make_folds(y[train], np.unique(y), 4, 0)] for train, _ in outer]
    folds, groups = [fold for part in inner for fold in part], np.repeat([0, 1, 2], 4).tolist()
    grid = Grid.of_depths((0, 1, 2), GAMMAS, COSTS)
    every = score_grid(distances, y, folds, grid, krein=False, groups=groups)
    patient = score_grid(distances, y, folds, grid, krein=False, groups=groups, effort=Effort(margin=1e6))
    np.testing.assert_array_equal(patient.accuracy, every.accuracy)
    for n_jobs in (1, 2):
        race = score_grid(
            distances, y, folds, grid, krein=False, groups=groups, effort=Effort(margin=2.0), n_jobs=n_jobs
        )
        for group in range(3):
            places = np.flatnonzero(np.array(groups) == group)
            still_in = np.ones(grid.shape, dtype=bool)
            for count, f in enumerate(places):
                np.testing.assert_array_equal(np.isnan(race.accuracy[..., f]), ~still_in)
                np.testing.assert_array_equal(race.accuracy[still_in, f], every.accuracy[still_in, f])
                means = np.where(still_in, every.accuracy[..., places[: count + 1]].mean(axis=-1), -1)
                tested = sum(len(folds[g][1]) for g in places[: count + 1])
                error = np.sqrt(2 * max(means.max() * (1 - means.max()), 1 / tested) / tested)
                still_in &= means >= means.max() - 2 * error
            assert not still_in.all()
            assert race.take(places).best()[1] == pytest.approx(means.max())


def grid_scores(means) -> GridScores:
    accuracy = np.asarray(means, dtype=float)[..., None].repeat(2, axis=-1)
    grid = Grid.of_depths(*(tuple(range(1, n + 1)) for n in accuracy.shape[:3]))
    return GridScores(grid, accuracy, np.ones_like(accuracy), np.ones(accuracy.shape, dtype=int))


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


def test_the_table_has_a_row_for_every_candidate(demo):
    distances, y = demo
    folds = make_folds(y, np.unique(y), 3)
    scores = score_grid(distances, y, folds, Grid.of_depths((0, 1, 2), GAMMAS, COSTS), krein=False)
    table = scores.table()
    assert {len(column) for column in table.values()} == {48}
    number, best = scores.best()
    assert table["mean_test_score"][number] == pytest.approx(best)
    assert table["rank_test_score"][number] == table["rank_test_score"].min() == 1
    assert table["params"][number] == {name: table[f"param_{name}"][number] for name in ("depth", "gamma", "C")}
    by_hand = np.mean([table[f"split{k}_test_score"] for k in range(3)], axis=0)
    np.testing.assert_allclose(table["mean_test_score"], by_hand)
    assert set(table) >= {"std_test_score", "mean_fit_time", "mean_steps"}


def test_out_of_fold_decisions_come_from_machines_that_have_not_seen_the_graph(demo):
    distances, y = demo
    folds = make_folds(y, np.unique(y), 3)
    decisions = out_of_fold(distances[1], y, folds, 1.0, 10.0, krein=True)
    for train, test in folds:
        kernel = np.exp(-distances[1])
        machine = SVC(kernel="precomputed", C=10.0, tol=1e-6, decision_function_shape="ovo")
        machine.fit(kernel[np.ix_(train, train)], y[train])
        peer = machine.decision_function(kernel[np.ix_(test, train)])
        np.testing.assert_allclose(decisions[test], peer, atol=1e-3)
    partly = out_of_fold(distances[1], y, folds[:1], 1.0, 10.0, krein=True)
    assert np.isnan(partly[folds[0][0]]).all()
    assert np.isfinite(partly[folds[0][1]]).all()


# Evaluation


def test_nested_cross_validation_is_the_loop_one_would_write(demo):
    distances, y = demo
    found = wg.evaluate_distances(distances, y, gamma=GAMMAS, C=COSTS, cv=4, inner_cv=3, random_state=1)
    outer = list(StratifiedKFold(4, shuffle=True, random_state=1).split(y, y))
    for fold, (train, test) in enumerate(outer):
        inner = list(StratifiedKFold(3, shuffle=True, random_state=1).split(train, y[train]))
        means = np.array(
            [
                searched(matrix[np.ix_(train, train)], y[train], SVC(kernel="precomputed", tol=1e-6), inner).mean(
                    axis=2
                )
                for matrix in distances
            ]
        )
        chosen = found.parameters[fold]
        place = (chosen["depth"], GAMMAS.index(chosen["gamma"]), COSTS.index(chosen["C"]))
        assert means[place] == pytest.approx(means.max())
        assert found.inner_accuracy[fold] == pytest.approx(means.max())
        kernel = np.exp(-chosen["gamma"] * distances[chosen["depth"]])
        machine = SVC(kernel="precomputed", C=chosen["C"]).fit(kernel[np.ix_(train, train)], y[train])
        predicted = machine.predict(kernel[np.ix_(test, train)])
        np.testing.assert_array_equal(found.predictions[fold], predicted)
        np.testing.assert_array_equal(found.test[fold], test)
        assert found.accuracy[fold] == np.mean(predicted == y[test])
    assert found.majority == pytest.approx(1 / 3)
    assert str(found).startswith(f"accuracy {100 * found.accuracy.mean():.2f} ± ")
    assert "33.33 %" in str(found)


def test_evaluation_is_the_same_every_time_and_follows_the_seed(demo):
    distances, y = demo
    options = {"gamma": GAMMAS, "C": COSTS, "cv": 3}
    one, again = (wg.evaluate_distances(distances, y, **options, n_jobs=n) for n in (1, 2))
    assert one.parameters == again.parameters
    np.testing.assert_array_equal(one.accuracy, again.accuracy)
    other = wg.evaluate_distances(distances, y, **options, random_state=5)
    assert any((a != b).any() for a, b in zip(one.test, other.test, strict=True))


def test_evaluation_takes_one_matrix_other_depths_and_other_folds(demo):
    distances, y = demo
    names = np.array(["a", "b", "c"])[y]
    single = wg.evaluate_distances(distances[1], names, gamma=1.0, C=10.0, cv=3)
    assert single.parameters == [{"depth": 0, "gamma": 1.0, "C": 10.0}] * 3
    assert set(np.concatenate(single.predictions)) <= {"a", "b", "c"}
    named = wg.evaluate_distances(distances[1:], y, depth=[4, 7], gamma=1.0, C=10.0, cv=KFold(3, shuffle=True))
    assert {p["depth"] for p in named.parameters} <= {4, 7}
    splits = [(np.arange(40), np.arange(40, 60))]
    once = wg.evaluate_distances(distances, y, gamma=1.0, C=10.0, cv=splits, classifier="svc")
    assert len(once.accuracy) == 1


def test_depths_may_come_in_any_order(demo):
    distances, y = demo
    options = {"gamma": GAMMAS, "C": COSTS, "cv": 3}
    one = wg.evaluate_distances(distances, y, **options)
    back = wg.evaluate_distances(distances[::-1], y, depth=[2, 1, 0], **options)
    assert back.parameters == one.parameters
    np.testing.assert_array_equal(back.accuracy, one.accuracy)
    assert wg.evaluate_distances(distances[1], y, depth=4, **options).parameters[0]["depth"] == 4


def test_bad_input_of_an_evaluation_is_refused(demo):
    distances, y = demo
    for arguments, options, message in [
        ((distances[:, :5], y), {}, "distances must be square"),
        ((distances, y[:-1]), {}, "60 graphs, but 59 classes"),
        ((distances, None), {}, "y is None"),
        ((distances, np.zeros(60)), {}, "all graphs are of the class"),
        ((distances, y + 0.5), {}, "continuous"),
        ((distances, y), {"classifier": "tree"}, 'must be "auto", "svc" or "krein"'),
        ((distances, y), {"gamma": 0}, "gamma must be a positive number"),
        ((distances, y), {"C": []}, "C must be a positive number"),
        ((distances, y), {"depth": [1]}, r"a different number from 0 on for each of 3 matrices, got \[1\]"),
        ((distances, y), {"depth": [1, 1, 2]}, "a different number from 0 on"),
        ((distances, y), {"depth": [-1, 1, 2]}, "a different number from 0 on"),
        ((distances * (1 + np.arange(60)), y), {}, "matrix 0 of the distances is not symmetric"),
        ((distances, y), {"gamma": "scale"}, "gamma must be a positive number or several, got 'scale'"),
        ((distances, y), {"cv": 1}, "cv must be from 2 to 20"),
        ((distances, y), {"cv": 30}, "cv must be from 2 to 20"),
        ((-distances, y), {}, "distances are at least 0"),
    ]:
        with pytest.raises(ValueError, match=message):
            wg.evaluate_distances(*arguments, **options)


# Folds and classes


def test_folds_are_stratified_and_the_same_every_time():
    codes = np.repeat([0, 1, 2], [30, 20, 10])
    folds = make_folds(codes, np.arange(3), 5)
    assert sorted(np.concatenate([test for _, test in folds]).tolist()) == list(range(60))
    for train, test in folds:
        assert np.bincount(codes[test]).tolist() == [6, 4, 2]
        assert not set(train) & set(test)
    for again, (_, test) in zip(make_folds(codes, np.arange(3), 5), folds, strict=True):
        np.testing.assert_array_equal(again[1], test)
    shuffled = make_folds(codes, np.arange(3), 5, random_state=0)
    assert any((a[1] != b[1]).any() for a, b in zip(shuffled, folds, strict=True))


def test_a_rare_class_is_told_and_trains_in_every_fold():
    codes = np.repeat([0, 1], [20, 2])
    with pytest.warns(UserWarning, match="the class 'rare' has 2 graphs, fewer than the 5 folds"):
        folds = make_folds(codes, np.array(["common", "rare"]), 5)
    assert all((codes[train] == 1).any() for train, _ in folds)


def test_folds_that_cannot_train_are_refused():
    codes = np.repeat([0, 1], 10)
    with pytest.raises(ValueError, match="the training part of fold 0 has no graph of the class 'a'"):
        make_folds(codes, np.array(["a", "b"]), KFold(2))
    with pytest.raises(ValueError, match="fold 0 has no graph to test with"):
        make_folds(codes, np.array(["a", "b"]), [(np.arange(20), np.array([], dtype=int))])


def test_folds_may_be_masks():
    codes = np.arange(20) % 2
    mask = np.arange(20) < 6
    ((train, test),) = make_folds(codes, np.arange(2), [(~mask, mask)])
    assert (train.tolist(), test.tolist()) == (list(range(6, 20)), list(range(6)))


def test_classes_may_be_objects_of_one_type():
    classes, _ = read_classes(np.array(["b", "a", "b", "a"], dtype=object), 4)
    assert classes.dtype.kind == "U"
    assert read_classes(np.array([True, False, True, False], dtype=object), 4)[0].dtype == bool
    with pytest.raises(ValueError, match="y holds values of the types NoneType, str: give classes that are all texts"):
        read_classes(np.array(["b", None, "b", "a"], dtype=object), 4)


def test_classes_are_read_and_checked():
    classes, codes = read_classes(["b", "a", "b", "a"], 4)
    assert (classes.tolist(), codes.tolist()) == (["a", "b"], [1, 0, 1, 0])
    with pytest.raises(ValueError, match="the class 'b' has one graph only"):
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
    codes = np.array([2, 0, 1, 0, 2])
    first, *_, last = problems(codes, 3)
    assert (first.members.tolist(), first.signs.tolist()) == ([1, 3, 2], [1, 1, -1])
    assert (last.members.tolist(), last.signs.tolist()) == ([2, 0, 4], [1, -1, -1])
    rest = problems(codes, 3, "ovr")
    assert [part.members.tolist() for part in rest] == [[1, 3, 2, 0, 4], [2, 1, 3, 0, 4], [0, 4, 1, 3, 2]]
    assert len(problems(codes % 2, 2, "ovr")) == 1


def test_no_warning_of_scikit_learn_comes_through():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        make_folds(np.repeat([0, 1], 10), np.arange(2), 5)
