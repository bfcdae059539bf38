"""
A map of drugs
==============

152 well-known drugs of eight families as points: similar molecules are near each other. The map knows structures
only; the colors are the families.
"""

# %%
# Families with a common skeleton (steroids, benzodiazepines, beta-lactams) are islands. Opioids, tricyclics and
# antihistamines share much of their chemistry, and neighboring coasts.

import numpy as np
from matplotlib.figure import Figure
from sklearn.manifold import TSNE

import wassergraph as wg

drugs = wg.datasets.load_drugs()
D = wg.distances(drugs.graphs, metric=wg.WWL(depth=2), n_jobs=-1)
figure = wg.plot.draw_map(D, drugs.y, title="152 drugs by structure")

# %%
# The same with names. Some neighbors have a story: promethazine, an antihistamine, is a phenothiazine like the
# tricyclic chlorpromazine, which was developed from it; loperamide, an opioid that stays in the gut, is beside the
# antihistamines.

place = TSNE(metric="precomputed", init="random", perplexity=40, random_state=1).fit_transform(D)
place = (place - place.min(axis=0)) / np.ptp(place, axis=0)
named = Figure(figsize=(13, 10), layout="constrained")
ax = named.subplots()
colors = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#7a6a00", "#666666"]
taken: list[tuple[float, float, float]] = []  # names that would cover another one are left out
for family, color in zip(np.unique(drugs.y), colors, strict=True):
    members = np.flatnonzero(drugs.y == family)
    ax.scatter(*place[members].T, s=14, color=color, label=family)
    for number in members:
        name, (x, y) = str(drugs.names[number]), place[number]
        if all(abs(y - b) > 0.014 or x > a + length or a > x + 0.0068 * len(name) for a, b, length in taken):
            ax.annotate(name, (x, y), (3, 2), textcoords="offset points", fontsize=8, color=color)
            taken.append((x, y, 0.0068 * len(name)))
ax.axis("off")
ax.legend(frameon=False, loc="best", markerscale=2)

# %%
# How far can one trust such a map? The line below the first figure says which share of the ten nearest neighbors are
# neighbors on the map. For decisions, use the distances themselves, as the models do.
