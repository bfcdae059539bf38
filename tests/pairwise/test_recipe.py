"""What a store says about itself: a recipe that people can read, and that no other call may continue."""

from __future__ import annotations

import hashlib
import json

import numpy as np
import pytest
import zarr

import wassergraph as wg
from made_metrics import with_metric
from stores import SINKHORN, SLICED, assert_identical, stamps, tile_file

pytestmark = pytest.mark.usefixtures("small_tiles")

GRAPHS = wg.datasets.make_demo()[0]
OTHERS = GRAPHS[20:26]


def compute(path=None, graphs=GRAPHS[:7], others=None, **options):
    return wg.distances(graphs, others, **with_metric(**{"depth": [2, 0], "standardize": False, **options}), out=path)


def masses(graphs, seed=0):
    return np.random.default_rng(seed).uniform(0.1, 3, graphs.n_nodes)


# The recipe


def test_the_recipe_can_be_read(path):
    distances = compute(path, kind="joint", weights=masses(GRAPHS[:7]), others=OTHERS, dtype="float32")
    document = json.loads((path / "zarr.json").read_text(encoding="utf-8"))["attributes"]
    assert (document["format"], document["version"]) == ("wassergraph distances", 1)
    recipe = document["recipe"]
    digests = {name: recipe.pop(name) for name in list(recipe) if name.endswith("sha256")}
    assert recipe == {
        "graphs": 7,
        "others": 6,
        "kind": "joint",
        "features": "node labels and node attributes",
        "standardize": False,
        "isolated": "halve",
        "label_weight": 0.5,
        "mass": "share",
        "unmatched": None,
        "size_weight": 0.0,
        "degrees": False,
        "learned": None,
        "depth": [2, 0],
        "solver": "exact",
        "reg": None,
        "tol": None,
        "n_projections": None,
        "random_state": None,
        "dtype": "float32",
        "algorithm": 2,
        "tile": list(distances.tile_shape),
    }
    assert digests.pop("other_weights_sha256") is None
    assert digests.keys() == {"graphs_sha256", "others_sha256", "weights_sha256"}
    assert all(len(digest) == 64 for digest in digests.values())
    assert distances.recipe == {**recipe, **digests, "other_weights_sha256": None}
    assert distances.digest == document["digest"]
    assert distances.computed_with == document["computed_with"]
    assert document["computed_with"]["versions"]["numpy"] == np.__version__


@pytest.mark.parametrize("others", [None, OTHERS])
@pytest.mark.parametrize("kind", ["categorical", "joint"])
def test_the_digest_is_that_of_recipe_and_inputs(path, others, kind):
    distances = compute(path, kind=kind, others=others)
    inputs = zarr.open_group(path / "inputs", mode="r")
    parts = [json.dumps(dict(distances.recipe), sort_keys=True)]
    for side in ("left", "right")[: 1 if others is None else 2]:
        content = b""
        for name in ("ptr", "codes", "points", "weights"):
            if name in inputs[side]:
                array = inputs[side][name][...]
                content += f"{name} {array.dtype} {array.shape}".encode() + array.tobytes()
        parts.append(hashlib.sha256(content).hexdigest())
    assert distances.digest == hashlib.sha256(" ".join(parts).encode()).hexdigest()


def test_graphs_are_recognized_by_their_content(path):
    graphs = GRAPHS[:7]
    compute(path, graphs=graphs)
    _ = graphs.degrees, graphs.adjacency(), graphs.n_arcs
    for same in (graphs, wg.datasets.make_demo()[0][:7], graphs.to_networkx()):
        compute(path, graphs=same)


# Other calls


REFUSALS = {
    "graphs": ({}, {"graphs": GRAPHS[7:14]}, "the graphs differ"),
    "number of graphs": ({}, {"graphs": GRAPHS[:8]}, "the graphs differ; graphs is 7 in the store, and 8 now"),
    "other graphs": ({"others": OTHERS}, {"others": OTHERS[::-1]}, "the other graphs differ"),
    "no other graphs": (
        {"others": OTHERS},
        {"others": None},
        "the other graphs differ; others is 6 in the store, and None now",
    ),
    "the same graphs as others": (
        {},
        {"others": GRAPHS[:7]},
        "the other graphs differ; others is None in the store, and 7 now",
    ),
    "weights": ({"weights": masses(GRAPHS[:7])}, {"weights": masses(GRAPHS[:7], 1)}, "the weights differ"),
    "no weights": ({"weights": masses(GRAPHS[:7])}, {"weights": None}, "the weights differ"),
    "other weights": (
        {"others": OTHERS, "other_weights": masses(OTHERS)},
        {"other_weights": masses(OTHERS, 1)},
        "the weights of the other graphs differ",
    ),
    "depths": ({}, {"depth": [0, 1]}, r"depth is \[2, 0\] in the store, and \[0, 1\] now"),
    "order of depths": ({}, {"depth": [0, 2]}, r"depth is \[2, 0\] in the store, and \[0, 2\] now"),
    "one depth": ({"depth": [2]}, {"depth": 2}, r"depth is \[2\] in the store, and 2 now"),
    "kind": ({}, {"kind": "categorical"}, "kind is continuous in the store, and categorical now"),
    "standardize": ({}, {"standardize": True}, "standardize is False in the store, and True now"),
    "isolated": ({}, {"isolated_nodes": "keep"}, "isolated is halve in the store, and keep now"),
    "label_weight": (
        {"kind": "joint"},
        {"label_weight": 0.25},
        r"label_weight is 0\.5 in the store, and 0\.25 now",
    ),
    "solver": ({}, SINKHORN, r"solver is exact in the store, and sinkhorn now; reg is None in the store, and 0\.5 now"),
    "reg": (SINKHORN, {"reg": 0.25}, r"reg is 0\.5 in the store, and 0\.25 now"),
    "tol": (SINKHORN, {"tol": 1e-2}, r"tol is 0\.001 in the store, and 0\.01 now"),
    "n_projections": (
        {**SLICED, "random_state": 1},
        {"n_projections": 8},
        "n_projections is 7 in the store, and 8 now",
    ),
    "random_state": ({**SLICED, "random_state": 1}, {"random_state": 2}, "random_state is 1 in the store, and 2 now"),
    "dtype": ({}, {"dtype": np.float32}, "dtype is float64 in the store, and float32 now"),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_a_call_for_other_distances_is_refused(path, name):
    begin, change, message = REFUSALS[name]
    options = {"kind": "continuous", **begin}
    compute(path, **options)
    before = stamps(path)
    remedy = "remove the store, choose another out, or repeat the call that began it"
    for verify in (False, True):
        with pytest.raises(ValueError, match=rf"D\.zarr: this store was begun with other input: {message}.*; {remedy}"):
            compute(path, **{**options, **change}, verify=verify)
    assert stamps(path) == before
    compute(path, **options)


@pytest.mark.parametrize(
    ("begin", "change"),
    [
        ({"kind": "categorical"}, {"label_weight": 0.25, "isolated_nodes": "keep", "standardize": True}),
        ({"kind": "continuous"}, {"label_weight": 0.25}),
        ({"kind": "continuous"}, {"solver": "exact", "max_iter": 10_000, "n_jobs": 2, "kind": "auto"}),
        ({"kind": "continuous", "dtype": "float32", "depth": [2, 0]}, {"dtype": np.float32, "depth": (2, 0)}),
        (SINKHORN, {"max_iter": 99_999, "reg": np.float32(0.5)}),
        ({**SLICED, "random_state": 1}, {"random_state": np.uint8(1)}),
        ({"weights": masses(GRAPHS[:7])}, {"weights": masses(GRAPHS[:7]).tolist()}),
    ],
)
def test_options_without_influence_are_not_compared(path, begin, change):
    compute(path, **begin)
    before = stamps(path)
    compute(path, **{**begin, **change})
    assert stamps(path) == before


# Seeds


def test_a_seed_is_drawn_once_and_kept(path, tmp_path):
    first = np.asarray(compute(path, **SLICED))
    seed = wg.open_distances(path).recipe["random_state"]
    assert isinstance(seed, int)
    tile_file(path, 0, 1).unlink()
    assert_identical(compute(path, **SLICED), first)
    assert_identical(compute(path, **{**SLICED, "random_state": seed}), first)
    assert_identical(compute(**{**SLICED, "random_state": seed}), first)
    assert compute(tmp_path / "E.zarr", **SLICED).recipe["random_state"] != seed


def test_a_generator_draws_the_same_lines_everywhere(path):
    expected = compute(**{**SLICED, "random_state": np.random.default_rng(5)})
    assert_identical(compute(path, **{**SLICED, "random_state": np.random.default_rng(5)}), expected)
    assert_identical(compute(path, **{**SLICED, "random_state": np.random.default_rng(5)}), expected)
    with pytest.raises(ValueError, match="random_state is"):
        compute(path, **{**SLICED, "random_state": np.random.default_rng(6)})
    pairs = [(0, 3), (5, 2)]
    chosen = wg.pair_distances(
        GRAPHS[:7],
        None,
        pairs,
        **with_metric(depth=[2, 0], standardize=False, **{**SLICED, "random_state": np.random.default_rng(5)}),
    )
    np.testing.assert_array_equal(chosen, expected[:, [0, 5], [3, 2]])


def test_a_store_of_another_fitted_metric_is_refused(tmp_path):
    graphs, _ = wg.load_dataset("demo")
    first, second = (wg.WWL(1, standardize=True).fit(graphs[:n]) for n in (40, 10))
    store = wg.distances(graphs[:12], metric=first, out=tmp_path / "D.zarr")
    np.testing.assert_array_equal(wg.distances(graphs[:12], metric=first, out=tmp_path / "D.zarr"), store)
    for other in (second, wg.WWL(1, standardize=True)):
        with pytest.raises(ValueError, match="the mean and the scale of attributes that the metric has learned differ"):
            wg.distances(graphs[:12], metric=other, out=tmp_path / "D.zarr")
    y = [0, 1] * 6
    with pytest.raises(ValueError, match="the mean and the scale of attributes"):
        wg.GraphClassifier(wg.WWL(1, standardize=True), cv=2).fit(graphs[:12], y, distances=store)


def test_degrees_are_part_of_a_recipe(tmp_path):
    graphs, _ = wg.load_dataset("demo")
    for number, degrees in enumerate((True, False)):
        first, second = (
            wg.WWL(1, kind="continuous", standardize=False, degrees=each) for each in (degrees, not degrees)
        )
        wg.distances(graphs[:5], metric=first, out=tmp_path / f"{number}.zarr")
        with pytest.raises(ValueError, match="degrees is"):
            wg.distances(graphs[:5], metric=second, out=tmp_path / f"{number}.zarr")
