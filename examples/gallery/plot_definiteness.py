"""
Definite or not: the spectrum of the kernel
===========================================

A support vector machine asks for a positive definite kernel. exp(-γD) is one for labels, whatever γ is. For attributes
it may have negative eigenvalues, and a Kreĭn SVM takes its place.
"""

# %%
# Constellations: three to six stars in the plane, on a circle or on a line, and not quite. Their coordinates are the
# attributes of nodes without edges.

import numpy as np
from matplotlib.figure import Figure
from scipy.linalg import eigvalsh
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.svm import SVC

import wassergraph as wg

rng = np.random.default_rng(0)


def constellation(circle: bool) -> np.ndarray:
    """Return the stars of a constellation, turned and moved at random."""
    n = int(rng.integers(3, 7))
    turn = rng.uniform(0, 2 * np.pi)
    angle = turn + 2 * np.pi * np.arange(n) / n
    line = np.linspace(-1.2, 1.2, n)[:, None] * [np.cos(turn), np.sin(turn)]
    stars = np.column_stack([np.cos(angle), np.sin(angle)]) if circle else line
    return stars + rng.normal(scale=0.25, size=(n, 2)) + rng.normal(scale=0.3, size=2)


y = np.repeat([0, 1], 75)
stars = [constellation(circle=not kind) for kind in y]
graphs = wg.from_edges([np.empty((0, 2), int)] * len(stars), n_nodes=[len(s) for s in stars], node_attributes=stars)
D = wg.distances(graphs, metric=wg.WWL(depth=0))
print(wg.kernels.conditional_definiteness(D))

sky = Figure(figsize=(11, 1.9), layout="constrained")
for ax, number in zip(sky.subplots(1, 8), [0, 1, 2, 3, 75, 76, 77, 78], strict=True):
    ax.scatter(*stars[number].T, s=26, color="#0072b2" if y[number] == 0 else "#d55e00")
    ax.set(xlim=(-2.3, 2.3), ylim=(-2.3, 2.3), xticks=[], yticks=[], aspect="equal")
sky.suptitle("four on a circle, four on a line", fontsize=11)

# %%
# The eigenvalues of the kernel, largest first, on a scale that is linear near zero, for γ relative to the median
# distance. A large γ makes the matrix nearly the identity, which is definite; a small one keeps the signs of D.

median = np.median(D[np.triu_indices(len(D), k=1)])
figure = Figure(figsize=(8, 4), layout="constrained")
ax = figure.subplots()
for factor, color in ((0.1, "#9ecae1"), (1.0, "#2171b5"), (10.0, "#08306b")):
    spectrum = eigvalsh(wg.kernels.laplacian_kernel(D, gamma=factor / median))[::-1]
    ax.plot(spectrum, color=color, linewidth=2, label=f"γ = {factor:g} / median: {np.sum(spectrum < -1e-9)} negative")
ax.axhline(0, color="0.4", linewidth=1)
ax.set_yscale("symlog", linthresh=1e-3)
ax.set_xlabel("number of the eigenvalue")
ax.set_ylabel("eigenvalue")
ax.spines[["top", "right"]].set_visible(False)
ax.legend(frameon=False)

# %%
# Labels have no such eigenvalues. Here they are the quadrants in which the stars are:

quadrants = [2 * (s[:, 0] > 0) + (s[:, 1] > 0) for s in stars]
labeled = wg.from_edges([np.empty((0, 2), int)] * len(stars), node_labels=quadrants)
print(wg.kernels.conditional_definiteness(wg.distances(labeled, metric=wg.WWL(depth=0))))

# %%
# :class:`wassergraph.KreinSVC` solves the problem of the SVM with the signs of negative eigenvalues flipped, and maps
# the solution back, so that decisions use the kernel as it is. An ordinary SVM on an indefinite kernel has no
# guarantee: it may stop anywhere. Here the negative part is small, and both come to the same decisions.

folds = StratifiedKFold(5, shuffle=True, random_state=0)
for factor in (0.1, 1.0, 10.0):
    K = wg.kernels.laplacian_kernel(D, gamma=factor / median)
    krein, svc = (
        cross_val_score(model, K, y, cv=folds).mean()
        for model in (wg.KreinSVC(C=100.0, kernel="precomputed"), SVC(C=100.0, kernel="precomputed"))
    )
    verdict = wg.kernels.definiteness(K).verdict
    print(f"γ = {factor:4g} / median, {verdict}: Kreĭn SVM {100 * krein:.1f} %, SVM {100 * svc:.1f} %")
# sphinx_gallery_thumbnail_number = 2
