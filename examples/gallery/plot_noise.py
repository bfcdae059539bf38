"""
Noise and distance
==================

Remove edges from a graph, shuffle its nodes, and measure how far it has moved away. How the distance grows depends on
what is compared: labels, which agree or do not, or attributes, which can be nearly equal.
"""

# %%
# Twenty copies of one random graph of 30 nodes for each share of removed edges, and twenty unrelated graphs of the same
# kind. The graphs have no labels and no attributes; degrees take their place, once as numbers and once as labels.

import numpy as np
from matplotlib.figure import Figure

import wassergraph as wg

shares = np.linspace(0.0, 0.5, 11)
copies, _ = wg.datasets.make_noisy_erdos_renyi(1, 20 * len(shares), noise=np.repeat(shares, 20), random_state=0)
unrelated, _ = wg.datasets.make_noisy_erdos_renyi(20, 1, noise=0.0, random_state=1)
everything = wg.GraphBatch.concatenate([copies, unrelated])
depths = [0, 1, 2, 3]

figure = Figure(figsize=(11, 4.2), layout="constrained")
panels = zip(figure.subplots(1, 2), ("continuous", "categorical"), strict=True)
for ax, kind in panels:
    batch = everything if kind == "continuous" else everything.degree_labels()
    rows = wg.distances(batch[:1], batch, metric=wg.WWL(depth=depths, kind=kind))[:, 0]
    for depth, row, color in zip(depths, rows, ("#9ecae1", "#6baed6", "#2171b5", "#08306b"), strict=True):
        level = row[len(copies) :].mean()  # the distance of unrelated graphs is 1, so that depths can be compared
        values = row[: len(copies)].reshape(len(shares), -1) / level
        ax.fill_between(100 * shares, *np.quantile(values, [0.1, 0.9], axis=1), color=color, alpha=0.15, linewidth=0)
        ax.plot(100 * shares, np.median(values, axis=1), color=color, linewidth=2, label=f"depth {depth}")
    ax.axhline(1.0, color="0.4", linestyle="--", linewidth=1)
    ax.set_title(f"degrees as {'attributes' if kind == 'continuous' else 'labels'}")
    ax.set_xlabel("removed edges in %")
    ax.set_ylabel("distance / distance of unrelated graphs")
    ax.set_ylim(0, None)
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(frameon=False)

# %%
# The curve is the median, the band holds 80% of the copies, and the dashed line is the mean distance of unrelated
# graphs, which have as many edges as the graph itself.
#
# Attributes change a little when an edge is removed, and the distance grows steadily with the noise, at every depth. It
# passes the line when the missing edges have lowered the degrees by more than unrelated graphs differ. A label either
# agrees or it does not: from depth 1 on, almost every neighborhood contains a removed edge even if few are missing, and
# the copy soon looks like an unrelated graph. Where data are noisy, prefer attributes, or labels at a small depth.
