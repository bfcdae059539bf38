"""Accuracies of an SVM of scikit-learn, to compare with ours where no rounding can change the predicted class."""

from __future__ import annotations

import numpy as np
from sklearn.svm import SVC


def unclear(decisions) -> np.ndarray:
    """Return which graphs have a decision (n, n_pairs) so near to 0 that another solver may find the other sign.

    Two solvers agree up to their tolerance, 1e-4; and where all decisions are small, much better, relative to these.
    """
    limit = np.minimum(5e-3, 0.05 * np.abs(decisions).max(axis=0))
    return (np.abs(decisions) <= limit).any(axis=1)


def new_svc(C=1.0) -> SVC:  # noqa: N803 - scikit-learn's name
    """Make an SVM that is solved accurately, and has one decision for each pair of classes."""
    return SVC(kernel="precomputed", C=C, tol=1e-6, decision_function_shape="ovo")


def predict(svm, kernel, y, train, test) -> tuple[np.ndarray, np.ndarray]:
    """Train on a part of a kernel; return the predicted classes of the test graphs, and which of them are unclear."""
    svm.fit(kernel[np.ix_(train, train)], y[train])
    rows = kernel[np.ix_(test, train)]
    return svm.predict(rows), unclear(svm.decision_function(rows).reshape(len(test), -1))


class Reference:
    """Accuracies (n_kernels, n_C, n_folds) of an SVM in every fold, and the share of test graphs that are unclear."""

    def __init__(self, kernels, y, C_values, folds, svm=None):
        svm = new_svc() if svm is None else svm.set_params(decision_function_shape="ovo")
        shape = (len(kernels), len(C_values), len(folds))
        self.accuracy, self.unclear = np.zeros(shape), np.zeros(shape)
        for k, c, f in np.ndindex(shape):
            predicted, doubtful = predict(svm.set_params(C=C_values[c]), kernels[k], y, *folds[f])
            self.accuracy[k, c, f] = np.mean(predicted == y[folds[f][1]])
            self.unclear[k, c, f] = doubtful.mean()

    def check(self, accuracy):
        """Check accuracies of the same shape: they differ by no more than the unclear graphs."""
        assert (np.abs(accuracy - self.accuracy) <= self.unclear + 1e-12).all()
        assert self.unclear.mean() < 0.25  # most graphs count

    def may_choose(self, place, accuracy=None) -> bool:
        """Return whether a candidate (kernel, C) may be the best, and have this mean accuracy, if given."""
        mean, doubt = self.accuracy.mean(axis=2), self.unclear.mean(axis=2)
        is_near = accuracy is None or abs(accuracy - mean[place]) <= doubt[place] + 1e-12
        return bool(is_near and mean[place] + doubt[place] >= (mean - doubt).max() - 1e-12)


def asymmetric_clusters(n: int, classes: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Make symmetric dissimilarities whose kernels are not positive definite, and classes that show in them."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % classes
    distances = 1.0 + rng.uniform(-0.9, 0.9, size=(2, n, n)) + 0.6 * (y[:, None] != y)
    distances = (distances + distances.transpose(0, 2, 1)) / 2
    for matrix in distances:
        np.fill_diagonal(matrix, 0)
    return distances, y
