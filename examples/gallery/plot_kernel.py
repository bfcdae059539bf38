"""
A kernel as a picture
=====================

The kernel matrix of all drugs, ordered so that similar ones are next to each other within their family.
"""

# %%
# Bright blocks are families whose members resemble each other. Off the diagonal, families that share some of their
# chemistry are visible as well.

import numpy as np

import wassergraph as wg

drugs = wg.datasets.load_drugs()
D = wg.distances(drugs.graphs, metric=wg.WWL(depth=2), n_jobs=-1)
gamma = 3.0 / np.median(D)
figure = wg.plot.draw_kernel(wg.kernels.laplacian_kernel(D, gamma), drugs.y, title="152 drugs, depth 2")

# %%
# Without families, all drugs are ordered by similarity alone, and the blocks appear by themselves.

unlabeled = wg.plot.draw_kernel(wg.kernels.laplacian_kernel(D, gamma), title="152 drugs, ordered by similarity")

# %%
# How well a kernel agrees with the families is a number, the alignment, which helps to choose a depth without
# training a model.

for depth, distances in enumerate(wg.distances(drugs.graphs, metric=wg.WWL(depth=range(5)))):
    K = wg.kernels.laplacian_kernel(distances, 3.0 / np.median(distances))
    print(
        f"depth {depth}: alignment {wg.kernels.kernel_alignment(K, drugs.y):.3f}, {wg.kernels.definiteness(K).verdict}"
    )
