"""Pictures of a query and its hits."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.collections import EllipseCollection, PathCollection

import wassergraph as wg
from made_metrics import with_metric
from wassergraph.errors import InputError, InputTypeError
from wassergraph.pictures.hits import COLUMNS, MAX_HITS
from wassergraph.pictures.place_colors import place_colors, to_rgb

SMILES = ["CCCCO", "CCO", "CCN", "CC(C)O", "c1ccccc1O"]


def plans_of(*smiles, **parameters):
    return [wg.transport_plan(smiles[0], other, **with_metric(**parameters)) for other in smiles[1:]]


def texts(figure):
    return [text.get_text() for text in figure.axes[0].texts]


def legend(figure):
    return [text.get_text() for text in figure.legends[0].get_texts()]


def circles(figure, kind=EllipseCollection):
    """Return the places, colors and widths of outlines of all circles."""
    drawn = [each for each in figure.axes[0].collections if isinstance(each, kind) and len(each.get_offsets())]
    widths = [np.resize(each.get_linewidth(), len(each.get_offsets())) for each in drawn]
    widths = [np.zeros_like(w) if not len(each.get_edgecolor()) else w for w, each in zip(widths, drawn, strict=True)]
    colors = [np.resize(each.get_facecolor(), (len(each.get_offsets()), 4)) for each in drawn]
    return np.concatenate([each.get_offsets() for each in drawn]), np.concatenate(colors), np.concatenate(widths)


def test_every_graph_has_a_heading():
    figure = wg.plot.draw_hits(plans_of(*SMILES), names=["a", "b", "$c$", "d" * 80], title="butanol")
    shown = texts(figure)
    assert shown[:2] == ["query", "5 atoms"]
    assert shown[2::2] == ["1 · a", "2 · b", r"3 · \$c\$", f"4 · {'d' * 21}…"]
    assert all(text.startswith("distance ") for text in shown[3::2])
    assert figure.get_suptitle() == "butanol"


def test_distances_are_those_that_are_given_or_the_costs():
    plans = plans_of(*SMILES[:3])
    assert texts(wg.plot.draw_hits(plans))[2:] == [
        "1",
        f"distance {plans[0].cost:.4g}",
        "2",
        f"distance {plans[1].cost:.4g}",
    ]
    assert texts(wg.plot.draw_hits(plans, distances=[0.25, 7]))[3::2] == ["distance 0.25", "distance 7"]


def test_atoms_have_the_colors_of_their_places_in_the_query():
    """A hit that equals the query looks the same, and no atom has a ring."""
    figure = wg.plot.draw_hits(plans_of("CCCCO", "CCCCO"))
    places, colors, widths = circles(figure)
    assert len(places) == 10
    query, hit = places[:, 0] < places[:, 0].mean(), places[:, 0] > places[:, 0].mean()
    one, two = (np.flatnonzero(side)[np.lexsort(places[side].T.round(6))] for side in (query, hit))
    np.testing.assert_allclose(places[one] + [2.0, 0.0], places[two], atol=1e-6)
    np.testing.assert_allclose(colors[one], colors[two], atol=1e-6)
    expected = to_rgb(place_colors(places[query]))
    np.testing.assert_allclose(1 - colors[query, :3], 0.6 * (1 - expected), atol=1e-6)
    assert not widths.any()
    assert len(legend(figure)) == 1


def test_atoms_that_cost_something_have_rings():
    (plan,) = plans_of("CCCCO", "CCCCN", depth=0, kind="categorical")
    _, _, widths = circles(wg.plot.draw_hits([plan]))
    assert (widths > 0).sum() == 1
    assert legend(wg.plot.draw_hits([plan]))[1] == "ring: cost of the atom, up to 0.2"


def test_atoms_without_a_partner_are_white_and_dashed():
    plans = plans_of("CCO", "CCCCCO", mass="count")
    figure = wg.plot.draw_hits(plans)
    _, colors, _ = circles(figure)
    assert (colors == 1).all(axis=1).sum() == 3
    assert legend(figure)[-1] == "atom without a partner in the query"
    assert "atom without a partner in the query" not in legend(wg.plot.draw_hits(plans_of("CCO", "CCN")))


def test_other_graphs_are_drawn_as_circles():
    graphs = wg.datasets.make_demo(4)[0]
    plans = [wg.transport_plan(graphs, 0, j, metric=wg.WWL(mass="count")) for j in range(1, 7)]
    figure = wg.plot.draw_hits(plans)
    places, _, _ = circles(figure, PathCollection)
    assert len(places) == graphs.sizes[:7].sum()
    assert texts(figure)[1] == f"{graphs.sizes[0]} nodes"
    assert places[:, 0].min() > 0
    assert places[:, 0].max() < figure.get_figwidth()


@pytest.mark.parametrize("n_hits", [1, 3, 4, 9])
def test_graphs_stay_in_their_cells(n_hits):
    figure = wg.plot.draw_hits(plans_of("CCCCO", *["c1ccc2ccccc2c1CCCCCC"] * n_hits))
    places, _, _ = circles(figure)
    sizes = [5] + [16] * n_hits
    columns = min(n_hits + 1, COLUMNS)
    left = (COLUMNS - columns) / 2 * 2.0
    number = ((places[:, 0] - left) // 2.0).astype(int)
    assert sorted(np.bincount(number)) == sorted(sum(sizes[column::columns]) for column in range(columns))


def test_nodes_at_one_place_are_drawn(tmp_path):
    point = wg.from_edges([[]], n_nodes=[1])
    wg.plot.draw_hits([wg.transport_plan(point, point)], path=tmp_path / "point.svg")
    assert (tmp_path / "point.svg").stat().st_size > 1000


def test_the_same_hits_are_the_same_file(tmp_path):
    for name in ("a.svg", "b.svg"):
        wg.plot.draw_hits(plans_of(*SMILES), path=tmp_path / name)
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


def test_what_is_no_set_of_plans_is_refused():
    plans = plans_of(*SMILES)
    for wrong in ([], plans * MAX_HITS):
        with pytest.raises(InputError, match="shows 1 to 50 plans"):
            wg.plot.draw_hits(wrong)
    with pytest.raises(InputTypeError, match="plan 1 is of the type str"):
        wg.plot.draw_hits([plans[0], "plan"])
    with pytest.raises(InputError, match="plan 1 begins at another graph than plan 0"):
        wg.plot.draw_hits([plans[0], *plans_of("CCN", "CCO")])
    with pytest.raises(InputError, match="there are 4 plans, but names has 1 entries"):
        wg.plot.draw_hits(plans, names=["a"])
    with pytest.raises(InputError, match="distances has 2 entries"):
        wg.plot.draw_hits(plans, distances=[1, 2])


def test_a_name_that_says_the_distance_has_the_size_below_it():
    plan = wg.transport_plan("CCO", "c1ccccc1O")
    figure = wg.plot.draw_hits([plan, plan], names=[f"phenol, {plan.cost:.3f}", "phenol"])
    written = [text.get_text() for text in figure.axes[0].texts]
    assert written[2:] == [f"1 · phenol, {plan.cost:.3f}", "7 atoms", "2 · phenol", f"distance {plan.cost:.4g}"]
