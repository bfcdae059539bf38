"""
Numbers with intervals: regression on molecules
===============================================

:class:`wassergraph.GraphRegressor` predicts numbers of graphs by kernel ridge regression, with intervals that hold the
true number in a promised share of cases.
"""

# %%
# The number to learn is the Wiener index, the sum of the distances in bonds between all pairs of atoms, here its
# logarithm. It grows with the size of a molecule, and with how stretched it is. It can be computed, which makes it a
# good exercise: the truth is known.

import numpy as np
from matplotlib.figure import Figure
from scipy.sparse.csgraph import shortest_path

import wassergraph as wg

drugs = wg.datasets.load_drugs()
y = np.array([np.log(shortest_path(graph.adjacency(), unweighted=True).sum() / 2) for graph in drugs.graphs])
rng = np.random.default_rng(0)
order = rng.permutation(len(y))
training, test = order[:100], order[100:]

# %%
# Sizes matter for this number, so that every atom gets the mass 1: ``mass="count"``. The model chooses depth, γ and α
# by cross-validation; a fifth of the training molecules is set aside for the intervals.

model = wg.GraphRegressor(wg.WWL(depth=[0, 1, 2], mass="count")).fit(drugs.graphs[training], y[training])
predicted = model.predict(drugs.graphs[test])
interval = model.predict_interval(drugs.graphs[test], level=0.9)
inside = (interval[:, 0] <= y[test]) & (y[test] <= interval[:, 1])
print(model.best_params_)
print(f"root mean squared error {np.sqrt(np.mean((predicted - y[test]) ** 2)):.3f}; of the mean {y[test].std():.3f}")
print(f"{inside.mean():.0%} of the test molecules are in their 90% intervals")

figure = Figure(figsize=(7, 6), layout="constrained")
ax = figure.subplots()
for good, color, label in ((inside, "#0072b2", "in its 90% interval"), (~inside, "#d55e00", "outside")):
    middle, half = interval[good].mean(axis=1), np.diff(interval[good], axis=1)[:, 0] / 2
    ax.errorbar(y[test][good], middle, half, fmt="none", ecolor=color, alpha=0.35, linewidth=2)
    ax.scatter(y[test][good], predicted[good], s=26, color=color, label=label, zorder=3)
ends = [y.min() - 0.2, y.max() + 0.2]
ax.plot(ends, ends, color="0.5", linewidth=1, linestyle="--")
for number in np.argsort(-abs(predicted - y[test]))[:2]:
    point, name = (y[test][number], predicted[number]), str(drugs.names[test[number]])
    ax.annotate(name, point, (0, -15), textcoords="offset points", fontsize=9, ha="center")
ax.set_xlabel("logarithm of the Wiener index")
ax.set_ylabel("predicted")
ax.spines[["top", "right"]].set_visible(False)
ax.legend(frameon=False)

# %%
# The promise holds on average over training sets. With twenty molecules for calibration and fifty for the test, a share
# between 75% and 100% is usual. The largest errors are at the ends, where few drugs are as large, or as stretched.
