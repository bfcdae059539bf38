"""
How the network simplex finds a plan
====================================

The exact solver keeps a tree that connects all nodes of both graphs, and exchanges one arc of it after the other until
no exchange lowers the cost. Here it is stopped after every exchange, a *pivot*, on points of the plane. The script uses
internal functions, which may change.
"""

# %%
# Ten sources (blue) of equal mass and fourteen sinks (orange). Lines are the arcs of the tree, as wide as the mass that
# they move; thin lines move nothing, and hold the tree together.

import numpy as np
from matplotlib.figure import Figure
from wassergraph._core.testing import Simplex

import wassergraph as wg
from wassergraph import _core
from wassergraph.pairwise.layout import NOBODY, Rules
from wassergraph.pairwise.sides import pack_sides

n, m = 10, 14
rng = np.random.default_rng(4)
sources, sinks = rng.uniform(0, 1, (n, 2)), rng.uniform(0, 1, (m, 2)) * [1.0, 0.75] + [0.0, 0.25]
cost = np.linalg.norm(sources[:, None] - sinks, axis=2)

unit, perturbation = n * m, 2 * n + 1  # masses are integers, perturbed so that no arc of a tree has none
supply, demand = np.full(n, m * perturbation + 1), np.full(m, n * perturbation)
demand[-1] += n
simplex = Simplex(cost, supply, demand)
simplex.start()
simplex.set_potentials()

trees, costs = [(simplex.parent, simplex.flow)], [simplex.total_cost(unit)]
while simplex.optimize(tolerance=1e-13, max_iter=0) != 0:  # one pivot, or none if the tree is optimal
    trees.append((simplex.parent, simplex.flow))
    costs.append(simplex.total_cost(unit))
print(f"{len(costs) - 1} pivots, from a cost of {costs[0]:.4f} to {costs[-1]:.4f}")

figure = Figure(figsize=(11, 3.9), layout="constrained")
panels = figure.subplots(1, 3)
for ax, number in zip(panels, (0, len(costs) // 2, len(costs) - 1), strict=True):
    parent, flow = trees[number]
    points = np.vstack([sources, sinks])
    for node, above in enumerate(parent[: n + m]):
        mass = (flow[node] + n) // perturbation / unit
        if above != NOBODY:
            style = {"linewidth": 60 * mass, "alpha": 0.75} if mass else {"linewidth": 0.8, "linestyle": "--"}
            ax.plot(*points[[node, above]].T, color="0.55", zorder=1, solid_capstyle="round", **style)
    ax.scatter(*sources.T, s=70, color="#0072b2", zorder=2)
    ax.scatter(*sinks.T, s=50, color="#e69f00", zorder=2)
    when = "first tree" if number == 0 else f"after {number} pivots" + (", optimal" if number == len(costs) - 1 else "")
    ax.set_title(f"{when}: cost {costs[number]:.4f}", fontsize=11)
    ax.set_aspect("equal")
    ax.set_xticks([])
    ax.set_yticks([])

# %%
# The first tree is good already: each source in turn is sent to the cheapest sinks that have room, relative to what
# these cost the other sources. A tree with n + m nodes has n + m - 1 arcs, so at most so many moves have a mass.
#
# The distances of all depths are computed together: ground costs change little from one depth to the next, so that
# the last tree of one depth is a good first tree of the next. Below, the pivots of 200 pairs of attributed graphs,
# when each depth starts anew and when it starts from the depth before.

graphs, _ = wg.datasets.make_synthie(40, random_state=0)
depths = 8
embedding = wg.WWL(depth=depths - 1, standardize=True).embed(graphs)
(side,) = pack_sides([embedding], 0)
pairs = rng.choice(len(graphs), size=(200, 2))
pairs = pairs[pairs[:, 0] != pairs[:, 1]]


def mean_pivots(wanted: list[int]) -> float:
    """Return the mean number of pivots of a pair for these depths together."""
    chosen = np.isin(np.arange(depths), wanted)
    values, status = np.empty((len(pairs), len(wanted))), np.empty(len(pairs), np.int64)
    dim, nothing = embedding.dim, np.empty(0)
    stop = np.zeros(1, np.bool_)
    rules = Rules(depths * dim, dim, False, chosen, 0.0, 0.0, False, nothing, 10**6, stop)
    _core.solve_block(pairs, side, side, rules, values, status)
    return float(status.mean())


cold = [mean_pivots([depth]) for depth in range(depths)]
warm = np.diff([0.0, *(mean_pivots(list(range(depth + 1))) for depth in range(depths))])

pivots_figure = Figure(figsize=(7.5, 3.6), layout="constrained")
ax = pivots_figure.subplots()
ax.bar(np.arange(depths) - 0.2, cold, 0.4, color="#b0b7bf", label="each depth from its own first tree")
ax.bar(np.arange(depths) + 0.2, warm, 0.4, color="#0072b2", label="from the tree of the depth before")
ax.set_ylim(0, 1.3 * max(cold))
ax.set_xlabel("depth")
ax.set_ylabel("pivots per pair")
ax.spines[["top", "right"]].set_visible(False)
ax.legend(frameon=False)
print(f"all depths: {sum(cold):.0f} pivots anew, {warm.sum():.0f} with warm starts")
