"""
What Weisfeiler–Lehman sees, depth by depth
===========================================

At depth 0 a node is its label. With every iteration it becomes its own label together with those of its neighbors, so
that after h iterations two nodes have the same code only if they look alike up to h steps away.
"""

# %%
# Two molecules with ten carbons each: decalin, whose two rings share a bond, and cyclohexane with a chain of four.
# Nodes with the same code have the same color, in both graphs and within each depth.

import numpy as np
from matplotlib import colormaps
from matplotlib.figure import Figure

import wassergraph as wg

hexagon = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 0)]
EDGES = [
    [*hexagon, (5, 6), (6, 7), (7, 8), (8, 9), (9, 4)],
    [*hexagon, (5, 6), (6, 7), (7, 8), (8, 9)],
]
HEXAGON = [(0, 1), (-0.87, 0.5), (-0.87, -0.5), (0, -1), (0.87, -0.5), (0.87, 0.5)]
PLACES = [
    np.array([*HEXAGON, (1.73, 1.0), (2.6, 0.5), (2.6, -0.5), (1.73, -1.0)]),
    np.array([*HEXAGON, (1.73, 1.0), (2.6, 0.5), (3.46, 1.0), (4.33, 0.5)]),
]
graphs = wg.from_edges(
    [np.array(edges) for edges in EDGES], n_nodes=[10, 10], node_labels=[[6] * 10] * 2, symmetrize=True
)
embedding = wg.WWL(depth=3, kind="categorical").embed(graphs)
distances = wg.distances(graphs, metric=wg.WWL(depth=range(4), kind="categorical"))[:, 0, 1]

figure = Figure(figsize=(11, 3.9), layout="constrained")
axes = figure.subplots(2, 4)
for depth in range(4):
    names, codes = np.unique(embedding.codes[depth], return_inverse=True)
    for graph in range(2):
        place, ax = PLACES[graph], axes[graph, depth]
        for one, other in EDGES[graph]:
            ax.plot(*place[[one, other]].T, color="0.6", linewidth=2, zorder=1)
        colors = colormaps["tab10"](codes[10 * graph : 10 * graph + 10])
        ax.scatter(*place.T, s=110, c=colors, edgecolors="white", linewidths=1.5, zorder=2)
        ax.set_aspect("equal")
        ax.set_xlim(-1.2, 4.7)
        ax.set_ylim(-1.25, 1.25)
        ax.axis("off")
    axes[0, depth].set_title(f"depth {depth}, codes: {len(names)}\nD = {distances[depth]:.3f}", fontsize=11)

# %%
# The distance at depth H is the mean over the depths 0 … H of the share of nodes whose codes have no counterpart in the
# other graph. At depth 0 all nodes are carbons, and the distance is 0; at depth 1 the number of neighbors counts; later
# colors say how far away a branch is. Every new color divides an old one: codes are only ever refined, which is why
# these distances have a closed form (see :doc:`/mathematics`).

for depth, distance in enumerate(distances):
    print(f"depth {depth}: {len(np.unique(embedding.codes[depth]))} codes, D = {distance:.3f}")
