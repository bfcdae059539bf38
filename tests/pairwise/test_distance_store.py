"""A store used as an array: indices mean what they mean for numpy, and all that takes distances takes a store."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest
import zarr
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier

import wassergraph as wg
from executors import SynchronousExecutor
from made_metrics import evaluate, model_options, with_metric
from stores import assert_identical, use_small_tiles

N, M, DEPTHS = 13, 9, [2, 0, 1]
GRAPHS, Y = wg.datasets.make_demo()


@pytest.fixture(scope="module")
def stores(tmp_path_factory):
    """Return a square and a rectangle, each for one depth and for several, as (store, array)."""
    folder = tmp_path_factory.mktemp("stores")
    result = {}
    with pytest.MonkeyPatch.context() as monkeypatch:
        use_small_tiles(monkeypatch)
        for name, others, depth in [
            ("square", None, 2),
            ("squares", None, DEPTHS),
            ("rectangle", GRAPHS[20 : 20 + M], 2),
            ("rectangles", GRAPHS[20 : 20 + M], DEPTHS),
        ]:
            options = {"kind": "categorical", "depth": depth}
            store = wg.distances(GRAPHS[:N], others, **with_metric(**options), out=folder / f"{name}.zarr")
            result[name] = store, wg.distances(GRAPHS[:N], others, **with_metric(**options))
    return result


# Indices


def numbers(n):
    return st.integers(-n, n - 1)


def slices(n):
    ends = st.none() | st.integers(-n - 2, n + 2)
    return st.builds(slice, ends, ends, st.none() | st.integers(1, n) | st.integers(-n, -1))


def lists(n):
    masks = st.lists(st.booleans(), min_size=n, max_size=n)
    return (
        st.lists(numbers(n), max_size=4) | masks | masks.map(np.array) | st.lists(numbers(n), max_size=4).map(np.int32)
    )


@st.composite
def indices(draw, shape):
    """Draw an index of numbers, slices, lists and masks, perhaps with an ellipsis, for some or all axes."""
    n_given = draw(st.integers(0, len(shape)))
    has_ellipsis = draw(st.booleans())
    n_before = draw(st.integers(0, n_given)) if has_ellipsis else n_given
    axes = [*range(n_before), *range(len(shape) - (n_given - n_before), len(shape))]
    parts = [draw(numbers(shape[axis]) | slices(shape[axis]) | lists(shape[axis])) for axis in axes]
    if has_ellipsis:
        parts.insert(n_before, Ellipsis)
    return parts[0] if len(parts) == 1 and draw(st.booleans()) else tuple(parts)


def assert_same_part(store, array, index):
    """Check that an index gives the same part of both, or is an error for both."""
    try:
        expected = array[index]
    except IndexError:
        with pytest.raises(IndexError):
            store[index]
        return
    assert_identical(store[index], expected)


@pytest.mark.parametrize("name", ["square", "squares", "rectangle", "rectangles"])
@given(data=st.data())
def test_any_index_means_what_it_means_for_numpy(stores, name, data):
    store, array = stores[name]
    assert_same_part(store, array, data.draw(indices(array.shape)))


@pytest.mark.parametrize(
    "index",
    [
        (),
        ...,
        0,
        -1,
        np.int64(3),
        np.array(2),
        slice(None),
        slice(5, 2),
        slice(None, None, -1),
        slice(11, None, -4),
        (..., 0),
        (0, ...),
        (2, 3),
        (-2, slice(1, 9, 3)),
        [0, 2],
        [],
        ([], []),
        ([1, 1, 0], slice(3)),
        ([1, 5], [2, 2]),
        ([1, 5], 2),
        (slice(2, 4), [7, 1, 1]),
        np.ix_([3, 1], [0, 5, 5]),
        np.ix_(np.arange(9) % 2 == 0),
        ([[0], [2]], [[1, 3, 5]]),
        ([[0, 1], [2, 3]], [[4, 5], [6, 7]]),
        np.arange(N) % 3 == 0,
        (np.arange(N) % 3 == 0, 1),
        (np.zeros(N, dtype=bool), slice(None)),
        np.array([2, 0], dtype=np.uint64),
    ],
    ids=repr,
)
def test_indices_of_a_matrix(stores, index):
    store, array = stores["square"]
    assert_same_part(store, array, index)


@pytest.mark.parametrize(
    "index",
    [
        0,
        (0, ...),
        (..., [1, 2]),
        (0, slice(None), [1, 2]),  # numpy puts the list first, since a slice stands between it and the number
        ([0, 1], slice(None), [1, 2]),
        ([0, 1], [1, 2], [3, 4]),
        ([0], [1, 2], [3, 4]),
        (0, [1, 2], [3, 4]),
        (slice(None), [1, 2], [3, 4]),
        (slice(None, None, -1), [1, 2], [3, 4]),
        (slice(0, 0), [1, 2], [3, 4]),
        (slice(None), [], []),
        ([True, False, True], [1, 2], 0),
        (slice(None), 3, slice(None, None, -2)),
        np.ix_([0, 2], [1, 5], [3]),
        ([0, 1], [1, 2], [3, 4, 5]),
        ([0, 1], [1, 2, 3]),
    ],
    ids=repr,
)
def test_indices_of_several_matrices(stores, index):
    for name in ("squares", "rectangles"):
        assert_same_part(*stores[name], index)


@pytest.mark.parametrize(
    ("index", "message"),
    [
        (N, f"index {N} is out of range for axis 0 with {N} graphs or depths"),
        (-N - 1, f"index {-N - 1} is out of range for axis 0"),
        ((0, M), f"index {M} is out of range for axis 1 with {M} graphs"),
        ([0, 3, 99], "index 99 is out of range for axis 0"),
        ((slice(None), [0, -10]), "index -10 is out of range for axis 1"),
        ((0, 0, 0), "the distances have 2 axes, but the index is for 3"),
        ((..., ...), "the distances have 2 axes"),
        (None, r"got None; for anything else, use np\.asarray\(store\)"),
        ((0, None), r"use np\.asarray\(store\)"),
        (np.ones((N, M), dtype=bool), r"use np\.asarray\(store\)"),
        (np.ones(4, dtype=bool), r"use np\.asarray\(store\)"),
        (True, r"got True; for anything else, use np\.asarray\(store\)"),
        (0.5, r"got 0\.5; for anything else"),
        ([0.0, 1.0], r"got \[0\.0, 1\.0\]; for anything else"),
        ("depth", "got 'depth'; for anything else"),
    ],
)
def test_bad_indices_raise(stores, index, message):
    with pytest.raises(IndexError, match=message):
        stores["rectangle"][0][index]


def test_only_the_tiles_that_are_needed_are_read(stores):
    store, array = stores["square"]
    files = sorted((store.path / "distances" / "c").rglob("*"))
    hidden = [file for file in files if file.is_file() and file.parent.name != "1"]
    for file in hidden:
        file.rename(file.with_name(f"{file.name}.hidden"))
    try:
        rows = slice(store.tile_shape[0], 2 * store.tile_shape[0])
        assert_identical(store[rows], array[rows])
        with pytest.raises(ValueError, match="tiles were removed after the store was opened; repeat the call"):
            store[0]
    finally:
        for file in hidden:
            file.with_name(f"{file.name}.hidden").rename(file)


def test_too_little_memory_is_not_taken_for_damage(stores, monkeypatch):
    store, _ = stores["square"]

    class Array:
        @property
        def oindex(self):
            raise MemoryError("not enough")

    monkeypatch.setattr(store, "_array", Array())
    with pytest.raises(MemoryError, match="not enough"):
        np.asarray(store)


# What an array has


def test_attributes_are_those_of_the_array(stores):
    for store, array in stores.values():
        for name in ("shape", "dtype", "ndim", "size", "nbytes"):
            assert getattr(store, name) == getattr(array, name)
        assert len(store) == len(array)
        assert repr(store) == f"DistanceStore({str(store.path)!r}, shape={array.shape}, dtype=float64)"


def test_iteration_is_over_the_first_axis(stores):
    for store, array in stores.values():
        for part, expected in zip(store, array, strict=True):
            assert_identical(part, expected)


def test_it_becomes_an_array(stores):
    for store, array in stores.values():
        assert_identical(np.asarray(store), array)
        assert_identical(np.array(store), array)
        assert_identical(np.asarray(store, dtype=np.float32), array.astype(np.float32))
        assert_identical(np.asarray(store, order="F"), array)
        assert_identical(np.stack([store, store]), np.stack([array, array]))
        assert_identical(np.add(store, 1), array + 1)
        with pytest.raises(ValueError, match="cannot be used as an array without a copy in memory: pass copy=None"):
            store.__array__(copy=False)


def test_it_can_be_sent_to_another_process(stores):
    for store, array in stores.values():
        assert_identical(pickle.loads(pickle.dumps(store)), array)


def test_zarr_agrees(stores):
    for store, array in stores.values():
        read = zarr.open(store.path, mode="r")["distances"][...]
        assert_identical(read if array.ndim == 3 else read[0], array)


# All that takes distances


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """Return the distances of the demo's first graphs at one depth and at several, as (store, array)."""
    folder = tmp_path_factory.mktemp("demo")
    graphs = GRAPHS[:30]
    return [
        (
            wg.distances(graphs, metric=wg.WWL(depth=depth, standardize=True), out=folder / name),
            wg.distances(graphs, metric=wg.WWL(depth=depth, standardize=True)),
        )
        for name, depth in [("one.zarr", 2), ("several.zarr", [0, 1, 2])]
    ]


def test_kernels_take_a_store(demo):
    for store, array in demo:
        assert_identical(wg.kernels.laplacian_kernel(store, 0.5), wg.kernels.laplacian_kernel(array, 0.5))
    store, array = demo[0]
    kernel = wg.LaplacianKernel(2.0)
    assert_identical(kernel.fit_transform(store), kernel.fit_transform(array))
    assert_identical(kernel.fit(store).transform(store[:5]), kernel.fit(array).transform(array[:5]))
    assert wg.kernels.conditional_definiteness(store) == wg.kernels.conditional_definiteness(array)
    kernels = [wg.kernels.laplacian_kernel(distances, 1.0) for distances in (store, array)]
    assert wg.kernels.definiteness(kernels[0]) == wg.kernels.definiteness(kernels[1])
    with pytest.raises(ValueError, match="square"):
        wg.kernels.conditional_definiteness(demo[1][0])


def test_evaluation_takes_a_store(demo):
    for (store, array), depth in zip(demo, (2, [0, 1, 2]), strict=True):
        model = wg.GraphClassifier(wg.WWL(depth=depth), gamma=(0.1, 1.0), C=(1.0, 100.0), cv=2)
        results = [wg.evaluate(None, Y[:30], model=model, folds=3, distances=D).rows["wwl"] for D in (store, array)]
        np.testing.assert_array_equal(results[0].accuracy, results[1].accuracy)
        assert results[0].parameters == results[1].parameters


def test_pictures_take_a_store(demo):
    store, array = demo[0]
    images = [wg.plot.draw_kernel(D, Y[:30]).axes[0].images[0].get_array() for D in (store, array)]
    np.testing.assert_array_equal(*images)


def test_scikit_learn_takes_a_store(demo):
    store, array = demo[0]
    model = KNeighborsClassifier(3, metric="precomputed")
    np.testing.assert_array_equal(
        model.fit(store, Y[:30]).kneighbors(store[:5])[1], model.fit(array, Y[:30]).kneighbors(array[:5])[1]
    )
    np.testing.assert_array_equal(cross_val_score(model, store, Y[:30]), cross_val_score(model, array, Y[:30]))


SEARCH = {"gamma": (0.1, 1.0), "C": (1.0, 100.0), "cv": 3}


@pytest.mark.parametrize(
    ("depth", "number", "exact"), [([0, 1, 2], 1, True), (2, 0, True), ([0, 2], 1, False), (1, 1, False)]
)
def test_a_classifier_takes_a_store(demo, depth, number, exact):
    """A transport plan begins with that of the depth before, so that other depths may change the last bits."""
    graphs, y, new = GRAPHS[:30], Y[:30], GRAPHS[30:45]
    expected = wg.GraphClassifier(**model_options(depth=depth, **SEARCH)).fit(graphs, y)
    for distances in demo[number] if exact else demo[number][:1]:
        given = distances[None] if distances.ndim == 2 and isinstance(distances, np.ndarray) else distances
        model = wg.GraphClassifier(**model_options(depth=depth, **SEARCH)).fit(graphs, y, distances=given)
        assert model.best_params_ == expected.best_params_
        difference = np.abs(model.predict_proba(new) - expected.predict_proba(new)).max()
        assert difference == 0 if exact else difference < 1e-3


@pytest.mark.parametrize(
    ("parameters", "n_graphs", "message"),
    [
        ({"depth": [0, 3]}, 30, "the store has no depth 3"),
        ({"standardize": False}, 30, "standardize is True in the store, and False now"),
        ({"kind": "joint"}, 30, "kind is continuous in the store, and joint now"),
        ({}, 29, "the graphs differ; graphs is 30 in the store, and 29 now"),
    ],
)
def test_a_classifier_refuses_other_distances(demo, parameters, n_graphs, message):
    model = wg.GraphClassifier(**model_options(**{"depth": [0, 1], **SEARCH, **parameters}))
    with pytest.raises(
        ValueError, match=rf"several\.zarr: these are not the distances that the model needs: .*{message}"
    ):
        model.fit(GRAPHS[:n_graphs], Y[:n_graphs], distances=demo[1][0])


@pytest.mark.parametrize("dtype", [">f8", np.float16, np.longdouble, np.int64])
def test_a_classifier_takes_distances_of_any_type(demo, dtype):
    array = np.round(demo[1][1] * 64)  # exact in every type
    models = [
        wg.GraphClassifier(**model_options(depth=range(3), **SEARCH)).fit(
            GRAPHS[:30], Y[:30], distances=array.astype(t)
        )
        for t in (float, dtype)
    ]
    np.testing.assert_array_equal(*(model.dual_coef_ for model in models))


def test_a_classifier_refuses_arrays_of_another_shape(demo):
    _, array = demo[1]
    model = wg.GraphClassifier(**model_options(depth=[0, 1], **SEARCH))
    with pytest.raises(
        ValueError, match=r"distances of 3 depths and 30 graphs were given, but there are 2 depths and 30"
    ):
        model.fit(GRAPHS[:30], Y[:30], distances=array)
    with pytest.raises(ValueError, match=r"of 2 depths and 29 graphs .* compute them with depth=\[0, 1\]"):
        model.fit(GRAPHS[:30], Y[:30], distances=array[:2, :29, :29])


@pytest.mark.parametrize(
    "options", [{"weights": np.ones(GRAPHS[:30].n_nodes)}, {"others": GRAPHS[:30]}, {"solver": "sliced"}]
)
def test_a_classifier_refuses_distances_of_another_sort(tmp_path: Path, options):
    store = wg.distances(GRAPHS[:30], **with_metric(depth=[0, 1], standardize=True, **options), out=tmp_path / "D.zarr")
    with pytest.raises(ValueError, match="these are not the distances that the model needs"):
        wg.GraphClassifier(**model_options(depth=[0, 1], **SEARCH)).fit(GRAPHS[:30], Y[:30], distances=store)


def test_estimators_use_the_executor(demo):
    """Fitting, predicting and evaluating compute their distances on the executor, with the same results."""
    graphs, y, new = GRAPHS[:30], Y[:30], GRAPHS[30:45]

    def results():
        model = wg.GraphClassifier(**model_options(depth=[0, 1], **SEARCH)).fit(graphs, y)
        yield model.decision_function(new)
        yield wg.WWL(depth=1).fit(graphs).transform(new)
        yield evaluate(graphs, y, folds=3, inner_folds=2).rows["wwl"].accuracy

    expected = list(results())
    executor, counts = SynchronousExecutor(), []
    with wg.use_executor(executor):
        for part, other in zip(results(), expected, strict=True):
            np.testing.assert_array_equal(part, other)
            counts.append(executor.n_calls)
    assert 0 < counts[0] < counts[1] < counts[2]
