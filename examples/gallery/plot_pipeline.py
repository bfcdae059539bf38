"""
A scikit-learn pipeline, and a map of its parameters
====================================================

Distances, kernel and classifier are scikit-learn estimators: a grid search chooses depth, γ and C, and a batch of
graphs is split like an array.
"""

# %%
# Three classes of graphs with the same node labels, arranged differently.

import numpy as np
from matplotlib.figure import Figure
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import Pipeline
from sklearn.svm import SVC

import wassergraph as wg

graphs, y = wg.load_dataset("demo")
pictures = wg.plot.draw_graphs(graphs[[0, 20, 40, 1, 21, 41]], y[[0, 20, 40, 1, 21, 41]], columns=6)

# %%
# The steps of the pipeline are those of the paper. ``memory`` keeps what a step has computed, so that the distances are
# not computed again for each γ and C.

model = Pipeline(
    [
        ("distance", wg.WWL(kind="categorical")),
        ("kernel", wg.LaplacianKernel()),
        ("svm", SVC(kernel="precomputed")),
    ]
)
grid = {"distance__depth": [0, 1, 2, 3, 4], "kernel__gamma": np.logspace(-2, 1.5, 8), "svm__C": [1.0, 100.0]}
folds = StratifiedKFold(5, shuffle=True, random_state=0)
search = GridSearchCV(model, grid, cv=folds).fit(graphs, y)
print(search.best_params_, f"{search.best_score_:.3f}")

# %%
# The accuracy for every depth and γ, with the better C of both. At depth 0 the classes cannot be told apart, since they
# have the same labels: what differs are the neighborhoods.

scores = search.cv_results_["mean_test_score"].reshape(5, 8, 2).max(axis=2)
figure = Figure(figsize=(8, 3.6), layout="constrained")
ax = figure.subplots()
image = ax.imshow(100 * scores, cmap="viridis", aspect="auto")
for depth, gamma in np.ndindex(scores.shape):
    color = "white" if scores[depth, gamma] < 0.75 else "black"
    ax.text(gamma, depth, f"{100 * scores[depth, gamma]:.0f}", ha="center", va="center", color=color, fontsize=9)
ax.set_xticks(range(8), [f"{gamma:.2g}" for gamma in grid["kernel__gamma"]])
ax.set_xlabel("γ")
ax.set_ylabel("depth")
figure.colorbar(image, label="accuracy in %")

# %%
# :class:`wassergraph.GraphClassifier` makes the same choice in one call: the distances of all depths are computed once
# and together, and the solver of the SVM starts each C from the one before.

classifier = wg.GraphClassifier(wg.WWL(kind="categorical")).fit(graphs, y)
print(classifier.best_params_)
# sphinx_gallery_thumbnail_number = 2
