"""The candidates of a parameter search, and the scores that they reached."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from wassergraph.arrays import FloatArray, IntArray
from wassergraph.errors import InputError, Option
from wassergraph.learners.effort import mean_scores

#: One depth or several; "auto" is the paper's range.
Depths: TypeAlias = int | Sequence[int] | Literal["auto"]
DEPTHS = tuple(range(8))
#: The paper's ranges (appendix A.6): gamma, and C for labels and for attributes.
GAMMAS = (1e-4, 1e-3, 1e-2, 1e-1, 1e0, 1e1)
LABEL_C_VALUES = (1e-4, 1e-3, 1e-2, 1e-1, 1e0, 1e1, 1e2, 1e3, 1e4, 1e5)
ATTRIBUTE_C_VALUES = (1e-3, 1e-2, 1e-1, 1e0, 1e1, 1e2, 1e3)
#: For numbers: gamma, the penalty alpha of ridge regression, and C of support vector regression.
REGRESSION_GAMMAS = (1e-3, 3e-3, 1e-2, 3e-2, 1e-1, 3e-1, 1e0, 3e0, 1e1)
#: The same gammas as multiples of one over the median of a matrix.
WIDE_REGRESSION_GAMMAS = (0.06, 0.12, 0.25, 0.5, 1.0, 2.0)
ALPHAS = (*(float(f"{digit}e{power}") for power in range(-6, 1) for digit in (1, 1.6, 2.5, 4, 6.3)), 10.0)
SVR_C_VALUES = (1e-1, 1e0, 1e1, 1e2, 1e3)
#: The numbers of nearest neighbors, odd so that a vote between two classes has a winner.
NEIGHBORS = (1, 3, 5, 7, 11, 15)
#: Mean scores that differ by less than this share of the best one are equal up to rounding.
_TIE = 1e-12


@dataclass(frozen=True)
class Grid:
    """The candidates: every matrix with every gamma and every C, with numbers sorted and without repeats.

    Attributes
    ----------
    matrices : tuple of mappings
        The parameters of each matrix, as in ``{"depth": 3}``, the simplest matrix first.
    gammas : tuple of float or None
        The values of gamma, with which distances become kernels; None if the matrices are kernels already.
    C_values : tuple of float
        The values of C, the inverse strength of regularization.
    scales : tuple of float or None
        For each matrix, what the values of gamma are divided by, such as its median; None leaves them.
    n_simple : int
        How many of the matrices, from the first on, are simple: others must be better by a lead to be chosen.
    penalty : bool
        Whether candidates show alpha = 1 / (2 C) in place of C, as scikit-learn has it for ridge regression.
    neighbors : bool
        Whether the values of C are numbers of nearest neighbors, which candidates show as k.
    """

    matrices: tuple[Mapping[str, Any], ...]
    gammas: tuple[float, ...] | None = GAMMAS
    C_values: tuple[float, ...] = ATTRIBUTE_C_VALUES
    scales: tuple[float, ...] | None = None
    n_simple: int = 0
    penalty: bool = False
    neighbors: bool = False

    @classmethod
    def of_depths(
        cls,
        depths: Iterable[int],
        gammas: tuple[float, ...] = GAMMAS,
        C_values: tuple[float, ...] = ATTRIBUTE_C_VALUES,
        masses: Sequence[str] = (),
    ) -> Grid:
        """Return the grid of WWL, whose matrices are the distances for each depth, or for each mass and depth."""
        chosen: list[dict[str, Any]] = [{"mass": mass} for mass in masses] if len(masses) > 1 else [{}]
        depths = list(depths)
        return cls(tuple({**mass, "depth": depth} for mass in chosen for depth in depths), gammas, C_values)

    @property
    def depths(self) -> list[int]:
        """The depths of the matrices, in increasing order."""
        return sorted({matrix["depth"] for matrix in self.matrices})

    def of_matrices(self, numbers: Sequence[int]) -> Grid:
        """Return the candidates of some of the matrices, by increasing numbers."""
        return replace(
            self,
            matrices=tuple(self.matrices[number] for number in numbers),
            scales=None if self.scales is None else tuple(self.scales[number] for number in numbers),
            n_simple=sum(number < self.n_simple for number in numbers),
        )

    def kernel_gammas(self, m: int) -> tuple[float | None, ...]:
        """Return the gammas of a matrix, or a single None if the matrices are kernels already."""
        if self.gammas is None:
            return (None,)
        scale = 1.0 if self.scales is None else self.scales[m]
        return self.gammas if scale == 1 else tuple(float(f"{gamma / scale:.12g}") for gamma in self.gammas)

    @property
    def shape(self) -> tuple[int, int, int]:
        """The number of matrices, of gammas and of values of C."""
        return len(self.matrices), 1 if self.gammas is None else len(self.gammas), len(self.C_values)

    def candidate(self, number: int) -> dict[str, Any]:
        """Return the parameters of a candidate; C changes fastest, then gamma, then the matrix."""
        m, g, c = self.indices(number)
        gamma = {} if self.gammas is None else {"gamma": self.kernel_gammas(m)[g]}
        return {**self.matrices[m], **gamma, **self._strength(self.C_values[c])}

    def _strength(self, C: float) -> dict[str, float]:  # noqa: N803 - scikit-learn's name
        if self.neighbors:
            return {"k": int(C)}
        return {"alpha": float(f"{0.5 / C:.12g}")} if self.penalty else {"C": C}

    def indices(self, number: int) -> tuple[int, int, int]:
        """Return the positions of a candidate's matrix, gamma and C."""
        m, g, c = map(int, np.unravel_index(number, self.shape))
        return m, g, c


def ridge_grid(
    matrices: tuple[Mapping[str, Any], ...], gammas: tuple[float, ...] | None, alphas: Sequence[float] = ALPHAS
) -> Grid:
    """Return the candidates of ridge regression; of equally good ones the largest alpha is chosen."""
    return Grid(matrices, gammas, tuple(sorted(0.5 / alpha for alpha in alphas)), penalty=True)


def neighbor_grid(matrices: tuple[Mapping[str, Any], ...], numbers: Sequence[int] = NEIGHBORS) -> Grid:
    """Return the candidates of nearest neighbors; of equally good ones the smallest number is chosen."""
    return Grid(matrices, None, tuple(float(k) for k in sorted(numbers)), neighbors=True)


def value_text(value: object) -> str:
    """Return the value of a parameter as text."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, int | float) else str(value)


def parameters_text(parameters: Mapping[str, Any]) -> str:
    """Return chosen parameters in a line of text.

    Examples
    --------
    >>> parameters_text({"mass": "count", "depth": 2, "gamma": 0.1})
    'mass = count, depth = 2, gamma = 0.1'
    """
    return ", ".join(f"{name} = {value_text(value)}" for name, value in parameters.items())


def is_auto(value: Any) -> bool:
    """Return whether a parameter is "auto"."""
    return isinstance(value, str) and value == "auto"


def depth_values(depth: Any) -> tuple[int, ...]:
    """Return one depth, or several, sorted and without repeats; raise an error unless they are whole numbers."""
    items: list[Any] = [depth] if np.ndim(depth) == 0 else list(depth)
    if not items or not all(isinstance(n, int | np.integer) and not isinstance(n, bool) and n >= 0 for n in items):
        problem = f"{{}} must be a whole number of at least 0, or a sequence of such numbers, got {depth!r}"
        raise InputError(problem, options=[Option("depth")])
    return tuple(sorted({int(n) for n in items}))


def positive_numbers(name: str, values: Any) -> tuple[float, ...]:
    """Return one positive number, or several, sorted and without repeats.

    Parameters
    ----------
    name : str
        The parameter, for the error message.
    values : float or iterable of float
        Its value or values.

    Returns
    -------
    tuple of float
        The values in increasing order.

    Raises
    ------
    ValueError
        If there is no value, or one is not a positive finite number.
    """
    items = [values] if np.ndim(values) == 0 and not isinstance(values, set) else list(values)
    try:
        numbers = set() if any(isinstance(value, str | bool) for value in items) else {float(value) for value in items}
    except (TypeError, ValueError):
        numbers = set()
    if not numbers or not all(0 < number < math.inf for number in numbers):
        problem = f"{{}} must be a positive number, or a sequence of positive numbers, got {values!r}"
        raise InputError(problem, options=[Option(name)]) from None
    return tuple(sorted(numbers))


@dataclass(frozen=True)
class GridScores:
    """The score of every candidate in every fold.

    Attributes
    ----------
    grid : Grid
        The candidates.
    score : (n_matrices, n_gammas, n_C, n_folds) floats
        The scores, higher is better; NaN for candidates that were left out.
    seconds : (n_matrices, n_gammas, n_C, n_folds) floats
        The time to fit all C with the same matrix and gamma, divided by their number.
    steps : (n_matrices, n_gammas, n_C, n_folds) integers
        The steps of the solver, or the status NOT_CONVERGED.
    """

    grid: Grid
    score: FloatArray
    seconds: FloatArray
    steps: IntArray

    @classmethod
    def empty(cls, grid: Grid, n_folds: int) -> GridScores:
        """Return scores that are all NaN, to be filled in."""
        shape = (*grid.shape, n_folds)
        return cls(grid, np.full(shape, np.nan), np.zeros(shape), np.zeros(shape, dtype=np.int64))

    def take(self, folds: Sequence[int]) -> GridScores:
        """Return the scores in selected folds."""
        chosen = np.asarray(folds)
        steps = np.asarray(self.steps[..., chosen])
        return GridScores(self.grid, self.score[..., chosen], self.seconds[..., chosen], steps)

    def of_matrices(self, numbers: Sequence[int]) -> GridScores:
        """Return the scores of the candidates of some of the matrices, by increasing numbers."""
        chosen = np.asarray(numbers)
        return GridScores(
            self.grid.of_matrices(numbers), self.score[chosen], self.seconds[chosen], np.asarray(self.steps[chosen])
        )

    def best(self, lead: float = 0.0) -> tuple[int, float]:
        """Return the number and the mean score of the best candidate.

        Of several that are equally good the simplest is taken: the first matrix, then the smallest C, then gamma. The
        best of the simple matrices of the grid is taken if no other candidate is better by ``lead``.
        """
        means = mean_scores(self.score)
        means = np.where(np.isnan(means), -np.inf, means)
        if means.max() == -np.inf:
            raise self._nothing_scored()
        simple = means[: self.grid.n_simple]
        if simple.size and simple.max() > -np.inf and means.max() < simple.max() + lead:
            means = simple
        ties = np.argwhere(means >= means.max() - _TIE * abs(means.max()))
        m, g, c = min(ties.tolist(), key=lambda indices: (indices[0], indices[2], indices[1]))
        return int(np.ravel_multi_index((m, g, c), self.grid.shape)), float(means[m, g, c])

    def _nothing_scored(self) -> Exception:
        if (self.steps >= 0).all(axis=-1).any():
            problem = "no inner fold tests graphs of all classes, as this score needs"
            options = [Option("scoring", "balanced_accuracy")]
            return InputError(problem, remedy="use fewer folds, or {}", options=options)
        remedy = "use a larger alpha" if self.grid.penalty else "use a smaller C"
        return RuntimeError(f"no candidate converged; {remedy}")

    def table(self) -> dict[str, Any]:
        """Return a row for every candidate, in the columns of scikit-learn's ``cv_results_``."""
        score = self.score.reshape(-1, self.score.shape[-1])
        candidates = [self.grid.candidate(number) for number in range(len(score))]
        means = mean_scores(score)
        return {
            "params": candidates,
            **{f"param_{name}": np.array([row[name] for row in candidates]) for name in candidates[0]},
            **{f"split{fold}_test_score": score[:, fold] for fold in range(score.shape[1])},
            "mean_test_score": means,
            "std_test_score": score.std(axis=1),
            "rank_test_score": _ranks(means),
            "mean_fit_time": self.seconds.reshape(score.shape).mean(axis=1),
            "mean_steps": self.steps.reshape(score.shape).mean(axis=1),
        }


def _ranks(means: FloatArray) -> NDArray[np.int64]:
    """Return 1 for the highest score; scores that are equal up to rounding share a rank. Missing ones are last."""
    means = np.where(np.isnan(means), -np.inf, means)
    best = abs(means.max(initial=-np.inf, where=np.isfinite(means)))
    rounded = np.round(means / best, 12) if 0 < best < np.inf else means
    return np.asarray(1 + (rounded[None, :] > rounded[:, None]).sum(axis=1))
