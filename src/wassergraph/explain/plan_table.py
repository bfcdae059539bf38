"""The plan between two graphs as a table to print, or as a dictionary."""

from __future__ import annotations

from typing import Any

from wassergraph.explain.node_names import node_names
from wassergraph.explain.plan import TransportPlan
from wassergraph.notebook import aligned

#: How many moves are shown.
_SHOWN = 10


def plan_table(plan: TransportPlan, names: tuple[str, str]) -> str:
    """Return the distance of two graphs and the most expensive moves between their nodes, as a table to print.

    Parameters
    ----------
    plan : TransportPlan
        The plan.
    names : (str, str)
        What the graphs are called.

    Returns
    -------
    str

    Examples
    --------
    >>> import wassergraph as wg
    >>> plan = wg.transport_plan("CCO", "CCN", metric=wg.WWL(depth=0, kind="categorical"))
    >>> print(plan_table(plan, ("CCO", "CCN")))
    The distance of CCO and CCN is 0.333333.
    <BLANKLINE>
    atom of the first  atom of the second    mass  ground cost  share of the distance
    2 (O)              2 (N)               0.3333            1                 100.0%
    <BLANKLINE>
    The moves that cost most, of 3 moves.
    """
    headline = f"The distance of {names[0]} and {names[1]} is {plan.cost:.6g}."
    noun = "atom" if plan.source.molecules and plan.target.molecules else "node"
    header = [f"{noun} of the first", f"{noun} of the second", "mass", "ground cost", "share of the distance"]
    source, target = node_names(plan.source), node_names(plan.target)
    rows = [
        [source[i], target[j], f"{mass:.4g}", f"{price:.4g}", f"{mass * price / plan.cost:.1%}"]
        for i, j, mass, price in plan.pairs()
        if mass * price > 0
    ][:_SHOWN]
    table = ["\n".join(aligned([header, *rows], range(2, len(header))))] if rows else []
    return "\n\n".join([headline, *table, *_notes(plan, bool(rows), f"{noun}s")])


def _notes(plan: TransportPlan, has_rows: bool, nouns: str) -> list[str]:
    """Return sentences about moves that are not shown, and about nodes without a partner."""
    notes = (
        [f"The moves that cost most, of {plan.matrix.nnz:,} move{'' if plan.matrix.nnz == 1 else 's'}."]
        if has_rows
        else []
    )
    left, right = plan.source_unmatched.sum(), plan.target_unmatched.sum()
    if left + right:
        share = f"{plan.unmatched_cost / plan.cost:.1%}" if plan.cost else "nothing"
        notes.append(
            f"Without a partner: {left:g} {nouns} of the first and {right:g} of the second, at {plan.price:.4g} each, "
            f"{share} of the distance."
        )
    return ["\n".join(notes)] if notes else []


def plan_dict(plan: TransportPlan, names: tuple[str, str]) -> dict[str, Any]:
    """Return the distance of two graphs and what its parts are, in a form that can be written as JSON.

    Parameters
    ----------
    plan : TransportPlan
        The plan.
    names : (str, str)
        What the graphs are called.

    Returns
    -------
    dict
        The names, the distance, all moves (the most expensive first), the cost of each node of either graph, the cost
        by depth, and that of nodes without a partner.
    """
    moves = [
        {"source": i, "target": j, "mass": mass, "ground_cost": price, "cost": mass * price}
        for i, j, mass, price in plan.pairs()
    ]
    return {
        "graphs": list(names),
        "distance": plan.cost,
        "moves": moves,
        "source_costs": plan.source_costs.tolist(),
        "target_costs": plan.target_costs.tolist(),
        "depth_costs": plan.depth_costs.tolist(),
        "unmatched_cost": plan.unmatched_cost,
    }
