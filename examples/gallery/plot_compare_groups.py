"""
Do two groups of molecules differ, and where?
=============================================

:func:`wassergraph.compare_groups` tests by permutations whether graphs of two groups are farther from each other than
from their own, and divides the difference among elements and depths.
"""

# %%
# Opioids and antihistamines: amines with aromatic rings, both of them.

import numpy as np
from matplotlib.figure import Figure

import wassergraph as wg

drugs = wg.datasets.load_drugs()
comparison = wg.compare_groups(
    drugs.graphs, drugs.y, metric=wg.WWL(depth=3, kind="categorical"), groups=["opioids", "antihistamines"]
)
print(comparison)

# %%
# All pairs of families at once, with p values that are adjusted for the number of pairs. The energy statistic of a pair
# is 0 if both are samples of the same distribution.
#
# On the right, where opioids and antihistamines differ: the excess cost by element, which sums to the statistic.
# Carbons come first, since most atoms are carbons and their neighborhoods differ; then the elements that carry the
# difference.

families = np.unique(drugs.y)
result = wg.compare_groups(drugs.graphs, drugs.y, metric=wg.WWL(depth=3, kind="categorical"), permutations=199)
statistics = np.zeros((len(families), len(families)))
for each in result:
    i, j = (int(np.flatnonzero(families == name)[0]) for name in each.groups)
    statistics[i, j] = statistics[j, i] = each.statistic

figure = Figure(figsize=(11, 4.8), layout="constrained")
left, right = figure.subplots(1, 2, width_ratios=[1.25, 1])
image = left.imshow(np.where(np.eye(len(families)) > 0, np.nan, statistics), cmap="viridis")
left.set_xticks(range(len(families)), families, rotation=40, ha="right")
left.set_yticks(range(len(families)), families)
left.set_title("energy statistic of two families", fontsize=11)
figure.colorbar(image, ax=left, shrink=0.85)

costs = comparison.label_costs
order = np.argsort(costs.excess)
right.barh([str(costs.names[k]) for k in order], costs.excess[order], color="#0072b2")
right.set_title("opioids and antihistamines: excess cost by element", fontsize=11)
right.spines[["top", "right"]].set_visible(False)
