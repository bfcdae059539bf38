"""
A family tree of drugs
======================

The matrix of distances goes into any method that takes one. Here SciPy makes a hierarchy of the drugs.
"""

# %%
# Average linkage on the distances, with the leaves in an order that puts similar drugs next to each other. Names are
# colored by family, which the hierarchy does not know.

import numpy as np
from matplotlib.figure import Figure
from scipy.cluster.hierarchy import dendrogram, fcluster, linkage
from scipy.spatial.distance import squareform
from sklearn.metrics import adjusted_rand_score

import wassergraph as wg

drugs = wg.datasets.load_drugs()
D = wg.distances(drugs.graphs, metric=wg.WWL(depth=2), n_jobs=-1)
tree = linkage(squareform(D, checks=False), method="average", optimal_ordering=True)

families = list(np.unique(drugs.y))
colors = ["#0072b2", "#b07500", "#009e73", "#cc79a7", "#3a8fc0", "#d55e00", "#7a6a00", "#444444"]
figure = Figure(figsize=(16, 5.4), layout="constrained")
ax = figure.subplots()
dendrogram(tree, ax=ax, labels=list(drugs.names), leaf_font_size=7, color_threshold=0, above_threshold_color="0.5")
family_of = dict(zip(drugs.names, drugs.y, strict=True))
for text in ax.get_xticklabels():
    text.set_color(colors[families.index(family_of[text.get_text()])])
ax.set_ylabel("distance")
ax.spines[["top", "right", "bottom"]].set_visible(False)
for family, color in zip(families, colors, strict=True):
    ax.scatter([], [], color=color, label=family)
figure.legend(loc="outside upper center", ncols=8, frameon=False)

# %%
# Cut into as many parts as there are families, the tree agrees with them in part: 1 would be perfect, 0 is chance.

for method in ("average", "complete", "ward"):
    parts = fcluster(linkage(squareform(D, checks=False), method=method), len(families), criterion="maxclust")
    print(f"{method:<9} linkage: adjusted Rand index {adjusted_rand_score(drugs.y, parts):.2f}")
