"""Draw the optimal transport plan between two graphs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from wassergraph.errors import InputTypeError
from wassergraph.explain.plan import TransportPlan
from wassergraph.pictures.molecules import can_draw_molecules
from wassergraph.pictures.plan_graphs import draw_graph_plan
from wassergraph.pictures.plan_molecules import draw_molecule_plan
from wassergraph.pictures.style import check_picture, save_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw_plan(plan: TransportPlan, *, path: str | Path | None = None, title: str | None = None) -> Figure:
    """Draw two graphs side by side, and how the nodes of the first are moved onto those of the second.

    Nodes of the first graph are colored by their place on the page, and a node of the second graph has the mixture of
    the colors that it receives. The second graph is turned, reflected and scaled so that its nodes are where those of
    the first move to. The ring of a node is the wider the more the node costs; with ``mass="count"``, nodes without a
    partner are white, and hatched unless the labels of nodes are written into them, for which small graphs have room.
    Lines join the dearest moves, as many as make up half of the cost of all moves, but at most 12.

    Molecules are drawn by RDKit: atoms are highlighted by their cost, on one scale for both molecules, and the second
    one is turned to match the first.

    Parameters
    ----------
    plan : TransportPlan
        The result of :func:`wassergraph.transport_plan`, for graphs of any size.
    path : str or Path, optional
        Where to save the picture (.png, .svg or .pdf).
    title : str, optional
        The title of the picture; the cost is added to it.

    Returns
    -------
    matplotlib.figure.Figure
        The figure; ``figure.savefig`` saves it, too.

    See Also
    --------
    transport_plan : compute a plan
    plot.draw_hits : draw plans from one graph to several
    plot.draw_graphs : draw graphs

    Examples
    --------
    >>> import wassergraph as wg
    >>> graphs, y = wg.load_dataset("demo")
    >>> figure = wg.plot.draw_plan(wg.transport_plan(graphs, 0, -1))
    >>> plan = wg.transport_plan("CCO", "CCN", metric=wg.WWL(mass="count"))
    >>> figure = wg.plot.draw_plan(plan, title="ethanol and ethylamine")
    """
    _check_plan(plan)
    check_picture(path)
    molecules = all(can_draw_molecules(graph) for graph in (plan.source, plan.target))
    page = (draw_molecule_plan if molecules else draw_graph_plan)(plan, title)
    save_figure(page.figure, path)
    return page.figure


def _check_plan(plan: object) -> None:
    if not isinstance(plan, TransportPlan):
        problem = f"a transport plan can be drawn, not {type(plan).__name__}"
        raise InputTypeError(problem, remedy="pass the result of transport_plan")
