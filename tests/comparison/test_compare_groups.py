from __future__ import annotations

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import wassergraph as wg
from made_metrics import with_metric
from oracles import energy
from strategies import batches
from wassergraph.comparison.group_costs import Block
from wassergraph.errors import InputError
from wassergraph.parallel.progress import Progress

FEW = {"permutations": 19, "depth": 1}


@pytest.fixture(scope="module")
def demo():
    return wg.datasets.make_demo()


@pytest.fixture(scope="module")
def two_groups(demo):
    """Seven graphs of one class and nine of another."""
    graphs, y = demo
    chosen = np.concatenate([np.flatnonzero(y == 0)[:7], np.flatnonzero(y == 2)[:9]])
    return graphs[chosen], np.where(y[chosen] == 0, "a", "b")


# Costs


def slow_costs(graphs, y, groups, **options):
    """Compute mean costs by label, half at either end of each move, and by depth, from the plans of all pairs."""
    labels = np.unique(graphs.node_labels).tolist()
    blocks = {}
    for one, two in [groups, (groups[0], groups[0]), (groups[1], groups[1])]:
        by_label, by_depth = [], []
        first, second = np.flatnonzero(y == one), np.flatnonzero(y == two)
        pairs = itertools.combinations(first, 2) if one == two else itertools.product(first, second)
        for i, j in pairs:
            plan = wg.transport_plan(graphs, int(i), int(j), **with_metric(**options))
            costs = dict.fromkeys(labels, 0.0)
            for (source, target), cost in plan.label_costs().items():
                ends = [end for end in (source, target) if end is not None]
                for end in ends:
                    costs[end] += cost / len(ends)
            by_label.append([costs[label] for label in labels])
            alone = [plan.unmatched_cost] if options.get("mass") == "count" else []
            by_depth.append([*plan.depth_costs, *alone])
        blocks[one, two] = np.mean(by_label, axis=0), np.mean(by_depth, axis=0)
    return blocks


@pytest.mark.parametrize(
    "options",
    [
        {"kind": "categorical"},
        {"kind": "continuous"},
        {"kind": "joint", "label_weight": 0.3},
        {"kind": "categorical", "mass": "count"},
        {"kind": "continuous", "mass": "count", "unmatched_cost": 0.3},
    ],
    ids=str,
)
def test_costs_are_means_over_plans(two_groups, options):
    graphs, y = two_groups
    graphs, y = graphs[3:13], y[3:13]
    result = wg.compare_groups(graphs, y, **with_metric(**FEW, **options))
    expected = slow_costs(graphs, y, ("a", "b"), depth=1, **options)
    for column, costs in enumerate([result.label_costs, result.depth_costs]):
        near = {"rtol": 1e-9, "atol": 1e-12}
        np.testing.assert_allclose(costs.between, expected["a", "b"][column], **near)
        np.testing.assert_allclose(costs.within[0], expected["a", "a"][column], **near)
        np.testing.assert_allclose(costs.within[1], expected["b", "b"][column], **near)
        assert not costs.errors.any()
    assert result.label_costs.names == tuple(np.unique(graphs.node_labels).tolist())
    assert result.depth_costs.names == ((0, 1, "unmatched") if options.get("mass") == "count" else (0, 1))


def test_costs_of_labels_with_weights(two_groups):
    graphs, y = two_groups
    weights = np.random.default_rng(0).uniform(1, 3, graphs.n_nodes)
    result = wg.compare_groups(graphs, y, **with_metric(kind="categorical", **FEW), weights=weights)
    expected = slow_costs(graphs, y, ("a", "b"), depth=1, kind="categorical", weights=weights)
    np.testing.assert_allclose(result.label_costs.between, expected["a", "b"][0], rtol=1e-9)


@given(batches(min_graphs=4, max_graphs=6), st.sampled_from(["categorical", "continuous"]), st.data())
@settings(deadline=None, max_examples=40)
def test_parts_sum_to_the_statistic(batch, kind, data):
    y = np.array(data.draw(st.permutations([0, 0, 1, 1, *([1] * (len(batch) - 4))])))
    mass = data.draw(st.sampled_from(["share", "count"]))
    max_pairs = data.draw(st.sampled_from([2, 1000]))
    result = wg.compare_groups(
        batch, y, metric=wg.WWL(depth=2, kind=kind, mass=mass), max_pairs=max_pairs, permutations=3
    )
    near = {"rel": 1e-7, "abs": 1e-7 * max(result.between, *result.within)}
    distances = wg.distances(batch, metric=wg.WWL(depth=2, kind=kind, mass=mass))
    assert result.statistic == pytest.approx(energy(distances, set(np.flatnonzero(y == 0).tolist())), **near)
    assume(not result.sampled or min(result.depth_costs.between.sum(), *map(np.sum, result.depth_costs.within)) > 0)
    for costs in (result.label_costs, result.depth_costs):
        if costs is not None:
            assert costs.excess.sum() == pytest.approx(result.statistic, **near)
            assert costs.between.sum() == pytest.approx(result.between, **near)
            assert [part.sum() for part in costs.within] == pytest.approx(list(result.within), **near)
    assert (result.label_costs is None) == (batch.node_labels is None)


def test_a_sample_of_pairs_is_near_all_pairs(demo):
    graphs, y = demo
    options = {"kind": "continuous", "groups": [0, 2], "permutations": 9, "depth": 1}
    full = wg.compare_groups(graphs, y, **with_metric(**options))
    sampled = wg.compare_groups(graphs, y, **with_metric(**options), max_pairs=100)
    assert not full.sampled
    assert sampled.sampled
    assert sampled.n_pairs == (100, 100, 100)
    assert sampled.n_all_pairs == full.n_pairs == (400, 190, 190)
    assert (sampled.statistic, sampled.p_value) == (full.statistic, full.p_value)
    for few, all_of_them in [(sampled.label_costs, full.label_costs), (sampled.depth_costs, full.depth_costs)]:
        assert few.excess.sum() == pytest.approx(full.statistic, rel=1e-9)
        assert (few.errors > 0).all()
        assert (np.abs(few.excess - all_of_them.excess) < 5 * few.errors).all()


def test_standard_errors_are_those_of_repeated_samples(demo):
    graphs, y = demo
    options = {"kind": "continuous", "groups": [0, 1], "permutations": 1, "depth": 0, "max_pairs": 20}
    distances = wg.distances(graphs, metric=wg.WWL(depth=0))
    results = [
        wg.compare_groups(graphs, y, **with_metric(**options), distances=distances, random_state=k) for k in range(25)
    ]
    spread = np.std([result.label_costs.excess for result in results], axis=0)
    stated = np.mean([result.label_costs.errors for result in results], axis=0)
    assert (np.abs(np.log(spread / stated)) < math.log(2)).all()


@pytest.mark.parametrize("n", [2, 3, 7])
def test_pairs_of_blocks(n):
    rng = np.random.default_rng(0)
    first, second = np.arange(n), np.arange(n, n + 3)
    assert sorted(map(tuple, Block(first, first).pairs(100, rng))) == list(itertools.combinations(range(n), 2))
    assert sorted(map(tuple, Block(first, second).pairs(100, rng))) == list(itertools.product(first, second))
    some = Block(first, second).pairs(4, rng)
    assert len({tuple(pair) for pair in some}) == 4


def test_pairs_of_very_many_graphs():
    graphs = np.arange(3_000_000)
    pairs = Block(graphs, graphs).pairs(1000, np.random.default_rng(0))
    assert (pairs[:, 0] < pairs[:, 1]).all()
    assert pairs.min() >= 0
    assert pairs.max() < len(graphs)


def test_labels_that_differ_carry_the_difference():
    """The first group has oxygens where the second has nitrogens; carbons are the same in both."""
    result = wg.compare_groups(
        ["CCO", "CCCO", "CCCCO", "CCN", "CCCN", "CCCCN"], [0, 0, 0, 1, 1, 1], metric=wg.WWL(depth=0, kind="categorical")
    )
    by_label = result.label_costs.to_dict()
    assert set(by_label) == {"C", "N", "O"}
    assert by_label["N"] == pytest.approx(by_label["O"])
    assert abs(by_label["C"]) < by_label["N"] / 2
    assert result.exact
    assert result.n_permutations == 10
    assert result.p_value == 0.1  # the smallest that is possible


# Input and output


def test_the_order_of_groups_does_not_matter(two_groups):
    graphs, y = two_groups
    one = wg.compare_groups(graphs, y, metric=wg.WWL(depth=1), groups=["a", "b"], permutations=12000)
    two = wg.compare_groups(graphs, y, metric=wg.WWL(depth=1), groups=["b", "a"], permutations=12000)
    assert one.exact
    assert one.n_permutations == math.comb(16, 7)
    assert two.p_value == one.p_value
    assert two.statistic == pytest.approx(one.statistic)
    assert two.within == pytest.approx(one.within[::-1])
    np.testing.assert_allclose(two.label_costs.excess, one.label_costs.excess, rtol=1e-9, atol=1e-12)


def test_the_classes_of_the_demo_differ(demo):
    result = wg.compare_groups(*demo, metric=wg.WWL(kind="categorical"))
    assert [each.groups for each in result] == [(0, 1), (0, 2), (1, 2)]
    np.testing.assert_allclose([each.p_value for each in result], 0.001)
    np.testing.assert_allclose(result.adjusted, 0.003)
    assert result[0, 2] is result[1] is result.comparisons[1]
    assert len(result) == 3
    with pytest.raises(ValueError, match=r"\(2, 0\) were not compared; choose one of \(0, 1\), \(0, 2\)"):
        result[2, 0]


def same(one, two) -> bool:
    numbers = [
        [each.statistic, each.p_value, *each.label_costs.excess, *each.depth_costs.excess, *each.depth_costs.errors]
        for each in (one, two)
    ]
    return np.allclose(*numbers, rtol=1e-9, atol=1e-12)


def test_results_depend_on_the_seed_only(two_groups):
    graphs, y = two_groups
    options = {"kind": "continuous", "max_pairs": 20, "depth": 1, "permutations": 99}
    first = wg.compare_groups(graphs, y, **with_metric(**options), random_state=3)
    assert same(first, wg.compare_groups(graphs, y, **with_metric(**options), random_state=3, n_jobs=2))
    assert same(first, wg.compare_groups(graphs, y, **with_metric(**options), random_state=np.random.default_rng(3)))
    assert not same(first, wg.compare_groups(graphs, y, **with_metric(**options), random_state=4))


def test_given_distances(two_groups, demo, tmp_path):
    graphs, y = two_groups
    options = {"kind": "continuous", "max_pairs": 20, **FEW}
    expected = wg.compare_groups(graphs, y, **with_metric(**options))
    distances = wg.distances(graphs, metric=wg.WWL(depth=1))
    store = wg.distances(graphs, metric=wg.WWL(depth=[0, 1]), out=tmp_path / "D.zarr")
    for given_ones in (distances, distances[None], distances.tolist(), store):
        assert same(expected, wg.compare_groups(graphs, y, **with_metric(**options), distances=given_ones))
    with pytest.raises(ValueError, match="not the distances that the comparison needs: the store has no depth 2"):
        wg.compare_groups(graphs, y, metric=wg.WWL(depth=2), distances=store)
    with pytest.raises(ValueError, match="not the distances that the comparison needs: the graphs differ"):
        wg.compare_groups(*demo, metric=wg.WWL(depth=1), distances=store)
    rounded = wg.compare_groups(graphs, y, **with_metric(**options), distances=distances.astype(np.float32))
    assert rounded.statistic == pytest.approx(expected.statistic, rel=1e-3)


def test_given_distances_of_some_groups(demo):
    graphs, y = demo
    for kind in ("categorical", "continuous"):
        options = {"kind": kind, "groups": [2, 0], "max_pairs": 30, **FEW}
        given_ones = wg.compare_groups(
            graphs, y, **with_metric(**options), distances=wg.distances(graphs, metric=wg.WWL(depth=1, kind=kind))
        )
        assert same(wg.compare_groups(graphs, y, **with_metric(**options)), given_ones)
        assert given_ones.groups == (2, 0)


@pytest.mark.parametrize("kind", ["categorical", "continuous"])
def test_distances_of_other_parameters_are_recognized(two_groups, kind):
    graphs, y = two_groups
    distances = wg.distances(graphs, metric=wg.WWL(depth=2, kind=kind))
    with pytest.raises(ValueError, match=r"distances are not those of the graphs: their mean .* pass the depth, kind"):
        wg.compare_groups(graphs, y, metric=wg.WWL(depth=1, kind=kind), distances=distances)


def test_bad_distances(two_groups):
    graphs, y = two_groups
    distances = wg.distances(graphs, metric=wg.WWL(depth=1))
    crooked = distances.copy()
    crooked[0, 1] += 1
    for wrong, message in [
        (crooked, "not symmetric"),
        (distances[:5], "must be square"),
        (distances[:5, :5], "5 graphs were given, but there are 1 depths and 16 graphs"),
        (distances * np.nan, "finite"),
        (-distances, "at least 0"),
    ]:
        with pytest.raises(ValueError, match=message):
            wg.compare_groups(graphs, y, metric=wg.WWL(depth=1), distances=wrong)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"y": [0] * 3}, "there are 16 graphs, but 3 classes in y; pass one class for each graph"),
        ({"y": None}, "y is None"),
        ({"y": [0, None, *[1] * 14]}, "graph 1: y is None; pass the class of every graph, or leave the graph out"),
        ({"y": ["a", np.nan, *["b"] * 14]}, "graph 1: y is nan; pass the class of every graph"),
        ({"y": [0, 1, np.nan, *[1] * 13]}, "graph 2: y is nan; pass the class of every graph"),
        ({"y": [0, 1, np.inf, *[1] * 13]}, "graph 2: y is inf"),
        ({"y": pd.Series([0, 1, None, *[1] * 13], dtype="Int64")}, "graph 2: y is (nan|<NA>)"),
        ({"y": [0, 1.5, *[1] * 14]}, "graph 1: y is 1.5, which is not a class; pass classes as text or whole numbers$"),
        ({"y": np.zeros((16, 2))}, r"y has the shape \(16, 2\); pass one class for each graph"),
        ({"y": "abababababababab"}, r"y has the shape \(\); pass one class for each graph"),
        ({"y": [[0], [0, 1]] * 8}, r"graph 0: y is \[0\]; pass one value for each graph"),
        ({"y": [10**30, 1] * 8}, "y contains whole numbers of more than 64 bits; pass classes as text"),
        ({"y": ["a"] * 16}, "there is only one group, 'a'; compare two groups or more"),
        ({"y": ["a"] * 15 + ["c"]}, "the group 'c' has only one graph.*; add a graph to it, or choose other groups"),
        ({"groups": ["a"]}, "groups has only one name, 'a'; compare two groups or more"),
        ({"groups": ["a", "a"]}, "groups has a name twice: .*; name each once"),
        ({"groups": ["a", "c"]}, "no graph belongs to 'c' of groups; choose from 'a', 'b'"),
        ({"groups": ["a", 3]}, "no graph belongs to 3 of groups; choose from 'a', 'b'"),
        ({"permutations": 0}, "permutations must be at least 1, got 0; pass 999, for example"),
        ({"max_pairs": -1}, "max_pairs must be at least 1, got -1"),
        ({"random_state": -1}, "random_state must be at least 0, got -1"),
        ({"depth": -1}, "depth must be a whole number of at least 0, .* got -1"),
    ],
)
def test_bad_values(two_groups, options, message):
    graphs, y = two_groups
    with pytest.raises(InputError, match=message):
        wg.compare_groups(graphs, **with_metric(**{"y": y, **options}))


def test_similar_names_are_suggested(two_groups):
    graphs, y = two_groups
    with pytest.raises(ValueError, match="did you mean 'healthy'"):
        wg.compare_groups(graphs, np.where(y == "a", "healthy", "ill"), groups=["healty", "ill"])


def test_no_graphs(demo):
    with pytest.raises(ValueError, match="there are no graphs to compare"):
        wg.compare_groups(demo[0][:0], [])


@pytest.mark.parametrize("options", [{"permutations": 9.5}, {"max_pairs": None}, {"groups": "ab"}, {"groups": 3}])
def test_values_of_wrong_type(two_groups, options):
    with pytest.raises(TypeError, match=next(iter(options))):
        wg.compare_groups(*two_groups, **with_metric(**options))


def test_an_interrupt_ends_the_plans(two_groups, monkeypatch):
    distances = wg.distances(two_groups[0], metric=wg.WWL(depth=1))

    def interrupt(self, amount):
        raise KeyboardInterrupt

    monkeypatch.setattr(Progress, "update", interrupt)
    with pytest.raises(KeyboardInterrupt):
        wg.compare_groups(*two_groups, **with_metric(kind="continuous", **FEW), distances=distances)


def test_progress_is_shown(two_groups, capsys):
    wg.compare_groups(*two_groups, **with_metric(kind="continuous", **FEW), progress=True)
    assert "plans" in capsys.readouterr().err


def test_two_groups_are_printed(two_groups):
    result = wg.compare_groups(*two_groups, **with_metric(kind="continuous", **FEW), max_pairs=20)
    text = str(result)
    assert text.startswith(f"'a' (7 graphs) and 'b' (9 graphs): energy statistic {result.statistic:.4g}, p = ")
    assert "random permutations (19)" in text
    assert f"Mean distance: {result.between:.4g} between the groups, {result.within[0]:.4g} within 'a'" in text
    assert "random sample of pairs, between and within groups: 20 of 63, 20 of 21, 20 of 36." in text
    assert "standard error" in text
    for costs in (result.label_costs, result.depth_costs):
        assert f"{costs.excess.max():.4g}" in text
    html = result._repr_html_()
    assert f"energy statistic {result.statistic:.4g}" in html
    assert html.count("<table") == 2


def test_many_labels_are_printed():
    rng = np.random.default_rng(0)
    edges, labels = [[(0, 1)]] * 8, [rng.integers(0, 40, 2).tolist() for _ in range(8)]
    graphs = wg.from_edges(edges, symmetrize=True, node_labels=labels)
    result = wg.compare_groups(graphs, [0, 1] * 4, metric=wg.WWL(kind="categorical"))
    assert f"Shown are 12 of {len(result.label_costs.names)} labels" in str(result)
    assert "all permutations (35)" in str(result)
    assert "standard error" not in str(result)


def test_graphs_without_labels_and_without_differences():
    graphs = wg.from_edges([[(0, 1)]] * 6, symmetrize=True)
    for kind in ("categorical", "continuous"):
        result = wg.compare_groups(graphs, list("aabbcc"), metric=wg.WWL(depth=2, kind=kind))
        assert (result["a", "b"].statistic, result["a", "b"].p_value) == (0.0, 1.0)
        assert result["a", "b"].label_costs is None
        assert "label" not in str(result["a", "b"]).partition("Excess")[0]
        assert "3 groups of graphs, compared in 3 pairs" in str(result)
        assert "p (Holm)" in result._repr_html_()


def test_tables_of_molecules_show_elements():
    molecules = ["CCO", "CCCO", "CCCCO", "CCN", "CCCN", "CCCCN", "CCS", "CCCS", "CCCCS"]
    y = ["alcohol"] * 3 + ["amine"] * 3 + ["thiol"] * 3
    result = wg.compare_groups(molecules, y, **with_metric(kind="categorical", **FEW), groups=("alcohol", "amine"))
    assert result.label_costs.names == ("C", "N", "O")
    lines = str(result).splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith("element "))
    assert {line.split()[0] for line in lines[first + 1 : first + 4]} == {"C", "N", "O"}
    assert ">N<" in result._repr_html_()
    assert "label" not in str(result)
    every = wg.compare_groups(molecules, y, **with_metric(kind="categorical", **FEW))
    assert all("element " in line for line in str(every).splitlines()[3:6])


def test_tables_of_other_graphs_show_labels(two_groups):
    result = wg.compare_groups(*two_groups, **with_metric(kind="categorical", **FEW))
    lines = str(result).splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith("label "))
    assert {line.split()[0] for line in lines[first + 1 : first + 4]} == {"0", "1", "2"}
