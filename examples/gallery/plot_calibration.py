"""
Does a Gaussian process know how wrong it is?
=============================================

:class:`wassergraph.GraphGaussianProcess` predicts a mean and a standard deviation. A calibrated model has 90% of the
true numbers in its 90% intervals, and likewise for every other level.
"""

# %%
# The number to learn: the share of carbons among the heavy atoms, with noise of a known size on top, as of a
# measurement. Every drug is predicted once, from the other folds.

import numpy as np
from sklearn.model_selection import KFold

import wassergraph as wg

drugs = wg.datasets.load_drugs()
rng = np.random.default_rng(0)
carbons = np.bincount(drugs.graphs.graph_of_node, weights=drugs.graphs.node_labels == 6)
y = 100 * carbons / drugs.graphs.sizes + rng.normal(scale=2.0, size=len(carbons))

mean, deviation = np.empty(len(y)), np.empty(len(y))
for training, test in KFold(5, shuffle=True, random_state=0).split(y):
    model = wg.GraphGaussianProcess(wg.WWL(depth=[0, 1, 2], mass="share"), n_jobs=-1).fit(
        drugs.graphs[training], y[training]
    )
    mean[test], deviation[test] = model.predict(drugs.graphs[test], return_std=True)
print(f"root mean squared error {np.sqrt(np.mean((mean - y) ** 2)):.2f}, mean deviation {deviation.mean():.2f} (in %)")

# %%
# For comparison, the same means with half and with twice the deviation: a model that is too sure, and one that is too
# modest.

figure = wg.plot.draw_calibration(
    y,
    {"Gaussian process": mean, "half the deviation": mean, "twice the deviation": mean},
    {"Gaussian process": deviation, "half the deviation": deviation / 2, "twice the deviation": deviation * 2},
    title="share of carbons in drugs",
)

# %%
# Molecules unlike all others have larger deviations. The five that the model is least sure about:

for number in np.argsort(-deviation)[:5]:
    print(f"{drugs.names[number]}: {mean[number]:.0f} ± {deviation[number]:.1f}, measured {y[number]:.0f}")
