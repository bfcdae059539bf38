"""
Why labels need no solver
=========================

Codes of Weisfeiler–Lehman are only ever refined, so that they form a tree. On a tree, the best transport is read off:
it moves the difference of the masses below every branch, and no more.
"""

# %%
# Two graphs with two labels, and the tree of their codes: below every code are those that it is divided into at the
# next depth. The bars at a code are the shares of the nodes of both graphs that have it.

import numpy as np
from matplotlib.figure import Figure

import wassergraph as wg

EDGES = [[(0, 1), (0, 2), (0, 3), (3, 4)], [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)]]
LABELS = [[1, 0, 0, 0, 1], [0, 1, 0, 0, 1, 0]]
graphs = wg.from_edges(EDGES, node_labels=LABELS, symmetrize=True)
COLORS = ["#0072b2", "#b07500"]
depth = 2
codes = wg.WWL(depth=depth, kind="categorical").embed(graphs).codes


def shares(h: int, code: int) -> list[float]:
    """Return the shares of the nodes of both graphs that have this code at depth h."""
    return [float(np.mean(codes[h][graphs.graph_of_node == g] == code)) for g in range(2)]


branches = sorted(set(zip(*codes.tolist(), strict=True)))  # the codes of a node at all depths
figure = Figure(figsize=(11, 5.2), layout="constrained")
ax = figure.subplots()
places = {(-1, 0): ((len(branches) - 1) / 2, depth + 1.0)}
for h in range(depth + 1):
    for code in dict.fromkeys(branch[h] for branch in branches):
        numbers = [number for number, branch in enumerate(branches) if branch[h] == code]
        start = places[h - 1, branches[numbers[0]][h - 1] if h else 0]
        x, level = places[h, code] = (float(np.mean(numbers)), float(depth - h))
        one, two = shares(h, code)
        ends = [start[0], x], [start[1], level]
        ax.plot(*ends, color="#d55e00", linewidth=40 * abs(one - two), alpha=0.4, zorder=1, solid_capstyle="butt")
        ax.plot(*ends, color="0.4", linewidth=1, zorder=2)
        ax.scatter(x, level, s=1500, marker="s", color="white", edgecolors="0.4", zorder=3)
        ax.bar([x - 0.075, x + 0.075], [0.42 * one, 0.42 * two], 0.14, level - 0.17, color=COLORS, zorder=4)
        for side, share in ((-1, one), (1, two)):
            text = {"ha": "right" if side < 0 else "left", "va": "center", "fontsize": 9, "color": COLORS[side > 0]}
            ax.text(x + 0.23 * side, level - 0.1, f"{share:.0%}" if share else "", zorder=5, **text)
ax.scatter(*places[-1, 0], s=40, color="0.4", zorder=3)
ax.text(0.0, depth + 0.9, "first graph", color=COLORS[0])
ax.text(0.0, depth + 0.72, "second graph", color=COLORS[1])
ax.set_yticks(range(depth + 1), [f"depth {depth - level}" for level in range(depth + 1)])
ax.set_ylim(-0.35, depth + 1.1)
ax.set_xticks([])
ax.tick_params(length=0)
ax.spines[:].set_visible(False)

# %%
# The orange width of a branch is the difference of the shares below it: what has to be moved across. Each branch has
# the length 1 / (2 (H + 1)), so that two nodes whose codes differ from depth h on are (H + 1 - h) / (H + 1) apart,
# which is their Hamming distance. The distance of the graphs is the sum of all widths times this length.

total = sum(abs(np.subtract(*shares(h, code))) for h in range(depth + 1) for code in np.unique(codes[h]))
print(f"sum over all branches: {total / (2 * (depth + 1)):.6f}")
print(f"distances:             {wg.distances(graphs, metric=wg.WWL(depth=depth, kind='categorical'))[0, 1]:.6f}")
print(
    f"transport_plan:        {wg.transport_plan(graphs, 0, 1, metric=wg.WWL(depth=depth, kind='categorical')).cost:.6f}"
)

# %%
# The third line is computed by the network simplex, as a check. :doc:`/mathematics` has the proof.
