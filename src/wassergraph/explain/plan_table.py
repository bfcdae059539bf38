"""The plan between two graphs as a table to print, or as a dictionary."""

from __future__ import annotations

from typing import Any

from wassergraph.explain.plan import TransportPlan, move_rows
from wassergraph.notebook import aligned


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
    rows = move_rows(plan, (move for move in plan.pairs() if move[2] * move[3] > 0))
    table, notes = "", []
    if rows:
        table = "\n".join(aligned([header, *rows], range(2, len(header))))
        notes.append(f"The moves that cost most, of {plan.matrix.nnz:,} move{'' if plan.matrix.nnz == 1 else 's'}.")
    left, right = plan.source_unmatched.sum(), plan.target_unmatched.sum()
    if left + right:
        share = f"{plan.unmatched_cost / plan.cost:.1%}" if plan.cost else "nothing"
        notes.append(
            f"Without a partner: {left:g} {noun}s of the first and {right:g} of the second, at {plan.price:.4g} each, "
            f"{share} of the distance."
        )
    return "\n\n".join(part for part in (headline, table, "\n".join(notes)) if part)


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
