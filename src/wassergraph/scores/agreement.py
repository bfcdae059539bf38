"""Agreement: how well predictions agree with what is known, apart for training graphs, of which that is no test."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wassergraph.arrays import BoolArray
from wassergraph.graphs.invariants import count
from wassergraph.scores.measures import measure_text


class Score(NamedTuple):
    """A measure of the predictions in some rows."""

    n_rows: int
    value: float


@dataclass(frozen=True)
class Agreement:
    """How well predictions agree with what is known.

    Attributes
    ----------
    measure : "accuracy" or "RMSE"
        What is measured.
    training : Score or None
        The measure in rows whose graphs are training graphs; None if there are none.
    new : Score or None
        The measure in other rows; None if there are none.
    told_apart : bool
        Whether it is known which rows are training graphs; otherwise all count as new.
    others : dict
        Further measures of the new rows by name, those of :func:`wassergraph.evaluate` by default, of numbers and of
        unequal classes.
    """

    measure: Literal["accuracy", "RMSE"]
    training: Score | None
    new: Score | None
    told_apart: bool = True
    others: dict[str, float] = field(default_factory=dict)

    def __str__(self) -> str:
        """Return both measures in words."""
        parts = []
        if self.training is not None:
            rows = count(self.training.n_rows, "training row")
            parts.append(f"{self._text(self.training)} on {rows} (not a test)")
        if self.new is not None:
            rows = count(self.new.n_rows, "new row" if self.told_apart else "row")
            unknown = "" if self.told_apart else ", which may be training rows"
            others = f" ({', '.join(measure_text(*each) for each in self.others.items())})" if self.others else ""
            parts.append(f"{self._text(self.new)} on {rows}{unknown}{others}")
        return f"{self.measure} {', '.join(parts)}"

    def to_dict(self) -> dict[str, Any]:
        """Return the measures as plain dictionaries, ready for JSON."""
        training, new = (None if part is None else part._asdict() for part in (self.training, self.new))
        return {**asdict(self), "training": training, "new": new}

    def _text(self, score: Score) -> str:
        return f"{score.value:.2%}" if self.measure == "accuracy" else f"{score.value:.4g}"


def measure_agreement(
    predicted: NDArray[Any], known: ArrayLike, classes: NDArray[Any] | None, training: BoolArray | None
) -> Agreement | None:
    """Compare predictions with what is known.

    Parameters
    ----------
    predicted : (n) array
        The predicted classes or numbers.
    known : (n) array
        The known ones.
    classes : (n_classes) array or None
        The classes that can be predicted; None if numbers are.
    training : (n) booleans or None
        Which graphs are training graphs; None if it is not known.

    Returns
    -------
    Agreement or None
        None if nothing is known, or if what is known is none of the classes, or no number.

    Examples
    --------
    >>> predicted, known = np.array([1, 1, 0, 1]), np.array([1, 1, 0, 0])
    >>> print(measure_agreement(predicted, known, np.array([0, 1]), np.array([True, False, False, False])))
    accuracy 100.00% on 1 training row (not a test), 66.67% on 3 new rows
    """
    known = np.asarray(known)
    if classes is None:
        if not len(known) or known.dtype.kind not in "iuf":
            return None
        measure: Literal["accuracy", "RMSE"] = "RMSE"
        errors = (predicted - known) ** 2
    else:
        if not np.isin(known.astype(str), classes.astype(str)).any():
            return None
        measure, errors = "accuracy", (predicted.astype(str) == known.astype(str)).astype(float)
    seen = np.zeros(len(known), dtype=np.bool_) if training is None else training
    mean = np.mean if measure == "accuracy" else lambda values: np.sqrt(np.mean(values))
    scores = [Score(int(rows.sum()), float(mean(errors[rows]))) if rows.any() else None for rows in (seen, ~seen)]
    return Agreement(measure, scores[0], scores[1], told_apart=training is not None)
