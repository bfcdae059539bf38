"""Pictures of transport plans: nodes, colors, rings, lines, molecules and files."""

from __future__ import annotations

from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
from matplotlib.collections import EllipseCollection, LineCollection, PathCollection
from scipy.sparse import csr_array

import wassergraph as wg
from made_metrics import with_metric
from wassergraph.pictures.place_colors import place_colors, to_rgb
from wassergraph.pictures.plan_graphs import layouts
from wassergraph.pictures.plan_molecules import depictions

ASPIRIN, IBUPROFEN = "CC(=O)Oc1ccccc1C(=O)O", "CC(C)Cc1ccc(cc1)C(C)C(=O)O"
SUFFIXES = [(".png", b"\x89PNG"), (".svg", b"<?xml"), (".pdf", b"%PDF")]


def demo_plan(**options):
    graphs, _ = wg.datasets.make_demo()
    return wg.transport_plan(graphs, 0, -1, **with_metric(**options))


def nodes(figure) -> list[PathCollection]:
    """Return the collections of circles with nodes, without self-loops."""
    return [each for each in figure.axes[0].collections if isinstance(each, PathCollection) and each.zorder == 3]


def lines(figure) -> LineCollection:
    """Return the lines of the moves."""
    return next(each for each in figure.axes[0].collections if isinstance(each, LineCollection) and each.zorder == 2)


def legend(figure) -> list[str]:
    return [text.get_text() for text in figure.legends[0].get_texts()]


def large_plan(one, two):
    """Return a plan that moves node i onto node i, at costs that increase with i."""
    n = one.n_nodes
    matrix = csr_array((np.full(n, 1 / n), (np.arange(n), np.arange(n))), shape=(n, n))
    ground = np.broadcast_to(np.arange(n, dtype=float), (n, n))
    nothing = np.zeros(n)
    return wg.TransportPlan((n - 1) / 2, matrix, ground, nothing, nothing, 0.0, np.zeros(1), nothing, nothing, one, two)


# What is drawn


def test_every_node_and_edge_is_drawn_and_the_cost_is_in_the_title():
    plan = demo_plan()
    figure = wg.plot.draw_plan(plan, title="two graphs")
    assert [len(each.get_offsets()) for each in nodes(figure)] == [plan.source.n_nodes, plan.target.n_nodes]
    edges = [each for each in figure.axes[0].collections if isinstance(each, LineCollection) and each.zorder == 1]
    assert [len(each.get_segments()) for each in edges] == [plan.source.n_edges, plan.target.n_edges]
    assert figure.get_suptitle() == f"two graphs · cost {plan.cost:.4g}"
    assert wg.plot.draw_plan(plan).get_suptitle().startswith("Transport plan · cost")
    assert figure.texts[1].get_text() == f"first graph: {plan.source.n_nodes} nodes, {plan.source.n_edges} edges"
    left, right = (each.get_offsets() for each in nodes(figure))
    assert left[:, 0].max() < right[:, 0].min()


@pytest.mark.parametrize("mass", ["share", "count"])
def test_rings_are_wider_the_more_a_node_costs(mass):
    plan = demo_plan(mass=mass)
    figure = wg.plot.draw_plan(plan)
    widths = np.concatenate([each.get_linewidths() for each in nodes(figure)])
    alone = [np.asarray(plan.matrix.sum(axis=axis)) == 0 for axis in (1, 0)]
    costs = [plan.source_costs, plan.target_costs]
    ordered = [each[chosen] for each, who in zip(costs, alone, strict=True) for chosen in (~who, who)]
    expected = np.concatenate(ordered)
    assert len(widths) == len(expected)
    order = np.argsort(expected, kind="stable")
    assert (np.diff(widths[order]) >= -1e-12).all()
    assert widths[order[-1]] > 2 * widths[order[0]]
    assert widths.min() > 0
    assert any(text == f"ring: cost of the node, from 0 to {expected.max():.3g}" for text in legend(figure))


def test_lines_are_those_of_the_dearest_moves():
    for plan in (demo_plan(), demo_plan(mass="count"), demo_plan(depth=0)):
        figure = wg.plot.draw_plan(plan)
        drawn = lines(figure).get_segments()
        moves = [move for move in plan.pairs() if move[2] * move[3] > 0]
        assert 1 <= len(drawn) <= 12
        source, target, _ = layouts(plan)
        for segment, (i, j, _, _) in zip(drawn, moves, strict=False):
            np.testing.assert_allclose(segment, [source[i], target[j]])
        costs = [mass * price for _, _, mass, price in moves]
        half = sum(costs) / 2
        assert len(drawn) == 12 or sum(costs[: len(drawn)]) >= half * (1 - 1e-6)
        assert sum(costs[: len(drawn) - 1]) < half
        assert any("dearest" in text for text in legend(figure))


def test_many_moves_have_twelve_lines():
    graph = wg.from_edges([[(i, i + 1) for i in range(59)]], symmetrize=True)
    figure = wg.plot.draw_plan(large_plan(graph, graph))
    source, target, _ = layouts(large_plan(graph, graph))
    drawn = np.array(lines(figure).get_segments())
    np.testing.assert_allclose(drawn, np.stack([source, target], axis=1)[:-13:-1])
    assert "the 12 dearest of 60 moves: 36% of the cost of moves" in legend(figure)


def test_colors_of_the_second_graph_are_mixtures_of_what_arrives():
    plan = demo_plan()
    first, second = (each.get_facecolors()[:, :3] for each in nodes(wg.plot.draw_plan(plan)))
    places = layouts(plan)[0]
    np.testing.assert_allclose(first, to_rgb(place_colors(places)))
    shares = plan.matrix.toarray() / plan.matrix.sum(axis=0)
    np.testing.assert_allclose(second, to_rgb(shares.T @ place_colors(places)), atol=1e-12)


def test_a_node_that_receives_from_one_node_only_has_its_color():
    graphs, _ = wg.datasets.make_demo()
    first, second = (each.get_facecolors() for each in nodes(wg.plot.draw_plan(wg.transport_plan(graphs, 0, 0))))
    np.testing.assert_allclose(first, second)


def test_nodes_without_a_partner_are_white():
    plan = wg.transport_plan(
        *(wg.from_networkx(nx.path_graph(n)) for n in (9, 4)), metric=wg.WWL(depth=0, mass="count")
    )
    figure = wg.plot.draw_plan(plan)
    with_partner, alone, second = nodes(figure)
    assert [len(each.get_offsets()) for each in (with_partner, alone, second)] == [4, 5, 4]
    np.testing.assert_array_equal(alone.get_facecolors(), 1.0)
    assert alone.get_hatch()
    assert not with_partner.get_hatch()
    assert any(text.startswith("without a partner") for text in legend(figure))
    assert not any(text.startswith("without a partner") for text in legend(wg.plot.draw_plan(demo_plan())))


def test_labels_are_written_into_nodes_and_nothing_is_hatched_then():
    batch = wg.from_edges([[(0, 1), (1, 2)], [(0, 1)]], node_labels=[[7, 8, 7], [7, 123]], symmetrize=True)
    figure = wg.plot.draw_plan(wg.transport_plan(batch, 0, 1, metric=wg.WWL(kind="categorical", mass="count")))
    assert [text.get_text() for text in figure.axes[0].texts] == ["7", "8", "7", "7", "123"]
    assert not any(each.get_hatch() for each in nodes(figure))
    assert legend(figure)[-1] == "label of the node"
    long = replace(batch, node_labels=np.array([7, 8, 7, 7, 12345]))
    assert not wg.plot.draw_plan(wg.transport_plan(long, 0, 1, metric=wg.WWL(kind="categorical"))).axes[0].texts


# Odd graphs


@pytest.mark.parametrize("mass", ["share", "count"])
@pytest.mark.parametrize(
    ("edges", "sizes"),
    [
        ([[], []], [1, 1]),
        ([[], [(0, 1), (1, 2)]], [1, 4]),
        ([[], []], [6, 3]),
        ([[(0, 0)], [(0, 0), (0, 1), (1, 1)]], [1, 2]),
        ([[(0, 1), (2, 3)], [(0, 1), (1, 2), (3, 4)]], [5, 6]),
    ],
)
def test_odd_graphs_can_be_drawn(edges, sizes, mass):
    batch = wg.from_edges(edges, n_nodes=sizes, symmetrize=True)
    figure = wg.plot.draw_plan(wg.transport_plan(batch, 0, 1, metric=wg.WWL(mass=mass)))
    assert sum(len(each.get_offsets()) for each in nodes(figure)) == sum(sizes)
    for each in nodes(figure):
        assert np.isfinite(each.get_offsets()).all()
        assert min(each.get_linewidths()) > 0
    loops = [each for each in figure.axes[0].collections if isinstance(each, PathCollection) and each.zorder == 1.5]
    assert sum(len(each.get_offsets()) for each in loops) == batch.n_self_loops


def test_identical_graphs_have_the_same_layout_and_no_lines():
    graphs, _ = wg.datasets.make_demo()
    plan = wg.transport_plan(graphs, 3, 3)
    figure = wg.plot.draw_plan(plan)
    first, second = (each.get_offsets() for each in nodes(figure))
    shift = second - first
    np.testing.assert_allclose(shift, shift[:1] + 0 * shift, atol=1e-6)
    assert not lines(figure).get_segments()
    assert "ring: every node costs 0" in legend(figure)


def test_edges_are_wider_the_more_they_weigh():
    batch = wg.from_edges([[(0, 1), (1, 2)]] * 2, edge_weights=[[1.0, 5.0]] * 2, symmetrize=True)
    edges = wg.plot.draw_plan(wg.transport_plan(batch, 0, 1)).axes[0].collections[0]
    assert edges.get_linewidths()[0] < edges.get_linewidths()[1]


def test_weights_of_nodes():
    graphs, _ = wg.datasets.make_demo()
    weights = np.linspace(1, 2, graphs[:2].n_nodes)
    assert wg.plot.draw_plan(wg.transport_plan(graphs[:2], 0, 1, weights=weights)).axes


# Large graphs


def test_graphs_of_five_thousand_nodes_are_drawn():
    graph = wg.from_networkx(nx.convert_node_labels_to_integers(nx.grid_2d_graph(50, 100)))
    figure = wg.plot.draw_plan(large_plan(graph, graph))
    assert [len(each.get_offsets()) for each in nodes(figure)] == [5000, 5000]
    assert len(lines(figure).get_segments()) == 12
    assert len(figure.axes[0].collections) < 12


# Molecules


@pytest.mark.parametrize("mass", ["share", "count"])
def test_atoms_are_highlighted_by_their_cost_on_one_scale(mass):
    plan = wg.transport_plan(ASPIRIN, IBUPROFEN, metric=wg.WWL(mass=mass))
    figure = wg.plot.draw_plan(plan)
    circles = [each for each in figure.axes[0].collections if isinstance(each, EllipseCollection)]
    assert sum(len(each.get_offsets()) for each in circles) == plan.source.n_nodes + plan.target.n_nodes
    assert figure.axes[1].get_xlabel() == "cost of the atom"
    highest = max(plan.source_costs.max(), plan.target_costs.max())
    assert figure.axes[1].get_xlim() == pytest.approx((0, highest))
    alone = [np.asarray(plan.matrix.sum(axis=axis)) == 0 for axis in (1, 0)]
    costs = [plan.source_costs, plan.target_costs]
    ordered = [each[chosen] for each, who in zip(costs, alone, strict=True) for chosen in (~who, who)]
    green = np.concatenate([each.get_facecolors()[:, 1] for each in circles if len(each.get_offsets())])
    assert (np.diff(green[np.argsort(np.concatenate(ordered), kind="stable")]) <= 1e-9).all()
    hatched = sum(len(each.get_offsets()) for each in circles if each.get_hatch())
    assert hatched == sum(who.sum() for who in alone)
    assert any("without a partner" in text for text in legend(figure)) == bool(hatched)
    assert figure.texts[1].get_text() == "first molecule: 13 atoms, 13 bonds"


def test_lines_between_molecules_lead_from_atom_to_atom():
    plan = wg.transport_plan(ASPIRIN, IBUPROFEN)
    figure = wg.plot.draw_plan(plan)
    circles = [each.get_offsets() for each in figure.axes[0].collections if isinstance(each, EllipseCollection)]
    source, target = (each for each in circles if len(each))
    drawn = lines(figure).get_segments()
    assert 1 <= len(drawn) <= 12
    for segment, (i, j, _, _) in zip(drawn, plan.pairs(), strict=False):
        gaps = np.linalg.norm(segment - np.array([source[i], target[j]]), axis=1)
        assert gaps[0] == pytest.approx(gaps[1])
        assert 0 < gaps[0] < 0.3
        step, whole = segment[1] - segment[0], target[j] - source[i]
        assert step[0] * whole[1] == pytest.approx(step[1] * whole[0], abs=1e-9)


def test_the_second_molecule_is_turned_to_match_the_first():
    plan = wg.transport_plan("Oc1ccc(Cl)cc1", "Clc1ccc(O)cc1")  # the same, with other numbers
    one, two = depictions(plan)
    partner = np.argmax(plan.matrix.toarray(), axis=1)
    middle_one, middle_two = one.atoms - one.atoms.mean(axis=0), two.atoms - two.atoms.mean(axis=0)
    np.testing.assert_allclose(middle_two[partner][[0, 5]], middle_one[[0, 5]], atol=2)
    assert plan.cost == pytest.approx(0)


def test_bonds_have_the_same_length_in_both_molecules():
    for depiction, graph in zip(
        depictions(plan := wg.transport_plan("CC", IBUPROFEN)), (plan.source, plan.target), strict=True
    ):
        lengths = np.linalg.norm(depiction.atoms[graph.arc_tails] - depiction.atoms[graph.indices], axis=1)
        np.testing.assert_allclose(lengths, 39, rtol=0.05)


@pytest.mark.parametrize("pair", [("C", "C"), ("C", "[Na+].[Cl-]"), ("C" * 60, "O"), ("C", "[Fe]")])
def test_odd_molecules_can_be_drawn(pair):
    for mass in ("share", "count"):
        assert wg.plot.draw_plan(wg.transport_plan(*pair, metric=wg.WWL(mass=mass))).axes
    assert wg.plot.draw_plan(wg.transport_plan(*pair, metric=wg.WWL(mass="count", unmatched_cost=1e-3))).axes


def test_molecules_that_rdkit_cannot_draw_have_symbols_in_their_nodes():
    batch = wg.from_smiles(["CCO", "CN"])
    changed = replace(batch, edge_labels=np.full(batch.n_arcs, 99))
    figure = wg.plot.draw_plan(wg.transport_plan(changed, 0, 1))
    assert [text.get_text() for text in figure.axes[0].texts] == ["C", "C", "O", "C", "N"]
    assert legend(figure)[-1] == "element of the atom"


# Files and errors


@pytest.mark.parametrize(("suffix", "begin"), SUFFIXES)
@pytest.mark.parametrize("molecules", [False, True])
def test_the_same_plan_is_saved_as_the_same_bytes(tmp_path, suffix, begin, molecules):
    files = []
    for name in ("one", "two"):
        plan = wg.transport_plan(ASPIRIN, "CCO", metric=wg.WWL(mass="count")) if molecules else demo_plan(mass="count")
        wg.plot.draw_plan(plan, path=tmp_path / f"{name}{suffix}")
        files.append((tmp_path / f"{name}{suffix}").read_bytes())
    assert files[0].startswith(begin)
    assert files[0] == files[1]


def test_vectors_stay_vectors(tmp_path):
    for name, plan in (("graphs", demo_plan()), ("molecules", wg.transport_plan(ASPIRIN, IBUPROFEN))):
        wg.plot.draw_plan(plan, path=tmp_path / f"{name}.svg")
        assert b"<image" not in (tmp_path / f"{name}.svg").read_bytes()


@pytest.mark.parametrize(
    "plan", [demo_plan(mass="count"), wg.transport_plan(ASPIRIN, "CC", metric=wg.WWL(mass="count"))]
)
def test_nothing_is_cut_off_at_the_edge_of_the_page(plan):
    figure = wg.plot.draw_plan(plan)
    figure.canvas.draw()
    page = figure.bbox
    for artist in (*figure.texts, *figure.legends, *figure.axes[0].texts):
        box = artist.get_window_extent()
        assert page.x0 <= box.x0 <= box.x1 <= page.x1
        assert page.y0 <= box.y0 <= box.y1 <= page.y1
    legend_top = figure.legends[0].get_window_extent().y1
    assert legend_top <= figure.axes[0].get_window_extent().y0 + 1


def test_what_is_not_a_plan_is_refused(tmp_path):
    graphs, _ = wg.datasets.make_demo()
    with pytest.raises(TypeError, match="a transport plan can be drawn, not GraphBatch; pass the result of transport_"):
        wg.plot.draw_plan(graphs)
    with pytest.raises(TypeError, match="not NoneType"):
        wg.plot.draw_plan(None)
    with pytest.raises(ValueError, match=r"use \.png, \.svg or \.pdf"):
        wg.plot.draw_plan(demo_plan(), path=tmp_path / "a.txt")
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        wg.plot.draw_plan(demo_plan(), path=tmp_path / "no" / "a.png")


@pytest.mark.parametrize("decimals", [2, 3, 6])
def test_a_title_says_the_distance_once(decimals):
    plan = wg.transport_plan("CCO", "c1ccccc1O")
    said = f"A to B: distance {plan.cost:.{decimals}f}"
    assert wg.plot.draw_plan(plan, title=said).get_suptitle() == said
    assert wg.plot.draw_plan(plan, title="A to B in 0.99 steps").get_suptitle() == (
        f"A to B in 0.99 steps · cost {plan.cost:.4g}"
    )
