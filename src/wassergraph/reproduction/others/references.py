"""What is run on molecules beside our models: methods that know nothing of graph distances, with fixed settings."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from scipy.linalg import eigh
from scipy.optimize import minimize_scalar

from wassergraph.arrays import FloatArray
from wassergraph.evaluation.forests import nested_forests
from wassergraph.evaluation.matrices import Threads
from wassergraph.formats.molecule_descriptors import descriptors
from wassergraph.formats.molecule_groups import morgan_counts, tanimoto_similarities
from wassergraph.scores.tasks import read_task

#: The candidates of the noise of the Gaussian process, as a share of the signal variance; the best is refined.
_NOISES = np.logspace(-6, 2, 33)
#: The least signal variance, for targets that are all equal.
_LEAST_SIGNAL = 1e-300
#: The largest number that random forests take.
_LARGEST = float(np.finfo(np.float32).max)


class ReferencePrediction(NamedTuple):
    """What a reference predicts, and what it was fitted with."""

    predictions: FloatArray
    parameters: dict[str, Any]


#: Fits a reference to molecules with their numbers, and predicts others.
Reference: TypeAlias = Callable[[Sequence[str], FloatArray, Sequence[str], Threads], ReferencePrediction]


def tanimoto_process(train: Sequence[str], y: FloatArray, test: Sequence[str], threads: Threads) -> ReferencePrediction:
    """Fit a Gaussian process on the Tanimoto similarity of Morgan fingerprints with counts, and predict.

    Signal variance and noise maximize the marginal likelihood; the mean is that of the training molecules.
    """
    kernel = tanimoto_similarities(morgan_counts([*train, *test]))
    n_train = len(train)
    return kernel_process(kernel[:n_train, :n_train], y, kernel[n_train:, :n_train])


def kernel_process(kernel: FloatArray, y: FloatArray, rows: FloatArray) -> ReferencePrediction:
    """Fit a Gaussian process with a given kernel K, and predict from rows of it.

    The covariance is s² (K + r I). With the eigenvalues λ of K, and u = Qᵀ (y - mean), the signal variance that
    maximizes the likelihood is s² = mean(u² / (λ + r)), which leaves one parameter, the noise r.

    Parameters
    ----------
    kernel : (n_train, n_train) floats
        A positive semidefinite kernel of the training examples.
    y : (n_train) floats
        Their targets.
    rows : (n_test, n_train) floats
        The kernel of new examples with these.

    Returns
    -------
    ReferencePrediction
        The mean of the process, and the noise r.
    """
    values, vectors = eigh(kernel)
    values, mean = np.maximum(values, 0.0), y.mean()
    projected = vectors.T @ (y - mean)

    def cost(log_noise: float) -> float:
        shifted = values + math.exp(log_noise)
        signal = max(float(np.mean(projected**2 / shifted)), _LEAST_SIGNAL)
        return len(y) * math.log(signal) + float(np.log(shifted).sum())

    logs = np.log(_NOISES)
    best = int(np.argmin([cost(log) for log in logs]))
    around = logs[max(best - 1, 0)], logs[min(best + 1, len(logs) - 1)]
    noise = math.exp(minimize_scalar(cost, bounds=around, method="bounded").x)
    return ReferencePrediction(mean + rows @ (vectors @ (projected / (values + noise))), {"noise": noise})


def morgan_forest(train: Sequence[str], y: FloatArray, test: Sequence[str], threads: Threads) -> ReferencePrediction:
    """Fit the random forest of :func:`wassergraph.evaluate` to Morgan fingerprints with counts, and predict."""
    return _forest(morgan_counts(train).astype(float), y, morgan_counts(test).astype(float), threads)


def descriptor_forest(
    train: Sequence[str], y: FloatArray, test: Sequence[str], threads: Threads
) -> ReferencePrediction:
    """Fit the same to all descriptors of RDKit; those that are not finite are the median of the training molecules."""
    known, others = descriptor_table(train), descriptor_table(test)
    defined = np.isfinite(known).any(axis=0)
    known, others = known[:, defined], others[:, defined]
    medians = np.nanmedian(known, axis=0)
    known, others = (np.where(np.isfinite(table), table, medians) for table in (known, others))
    return _forest(known, y, others, threads)


def weight_line(train: Sequence[str], y: FloatArray, test: Sequence[str], threads: Threads) -> ReferencePrediction:
    """Fit a straight line to the molecular weight alone, and predict."""
    known, others = _weights(train), _weights(test)
    center, spread = known.mean(), known.var()
    slope = float(np.mean((known - center) * (y - y.mean())) / spread) if spread > 0 else 0.0
    return ReferencePrediction(y.mean() + slope * (others - center), {"slope": slope})


def descriptor_table(molecules: Sequence[str]) -> FloatArray:
    """Return the descriptors of RDKit (n_molecules, n_descriptors), with NaN where one is not finite."""
    return np.asarray(descriptors(molecules).values.clip(-_LARGEST, _LARGEST))


def _weights(molecules: Sequence[str]) -> FloatArray:
    return descriptors(molecules, ["MolWt"]).values[:, 0]


def _forest(train: FloatArray, y: FloatArray, test: FloatArray, threads: Threads) -> ReferencePrediction:
    """Fit one random forest; the targets of what is predicted are not known, and not used."""
    task = read_task(np.concatenate([y, np.full(len(test), y.mean())]), len(y) + len(test), "regression")
    fold = np.arange(len(y)), len(y) + np.arange(len(test))
    found = nested_forests(np.concatenate([train, test]), task, [fold], **vars(threads))
    return ReferencePrediction(found.outputs[0].predictions, dict(found.parameters[0]))
