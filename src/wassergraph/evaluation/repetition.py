"""Repetition: the result of one nested cross-validation."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self, TypeAlias

from numpy.typing import NDArray

from wassergraph.arrays import FloatArray
from wassergraph.scores.measures import MEASURES

#: The chosen parameters by name: numbers, or lists of numbers where several matrices were evaluated and averaged.
ChosenParameters: TypeAlias = dict[str, float | list[float]]
#: The value of every metric, by its name and outer fold; NaN where it is not defined.
Scores: TypeAlias = dict[str, tuple[float, ...]]
#: The fields that files contain as they are.
_PLAIN = ("majority", "n_graphs", "random_state", "inner_folds")


@dataclass(frozen=True)
class Repetition:
    """The result of one nested cross-validation of a method.

    Attributes
    ----------
    scores : dict of tuple of float
        The value of every metric, by its name and outer fold.
    parameters : tuple of dict
        The parameters that were chosen, by outer fold.
    majority : float or None
        The fraction of graphs in the largest class; None for numbers.
    n_graphs : int
        The number of graphs.
    random_state : int
        The seed of the folds.
    inner_folds : int
        The number of inner folds.
    unsolved : int
        How many candidates were left out in an inner fold because a fit took too many steps.
    seconds : dict of float
        The time of each step: "matrices", "selection", "training and test"; and of "compiling", which results of older
        versions count for the step that it happened in.
    constant : dict of tuple of float
        The metrics of always predicting the largest class, or the mean, of the training graphs.
    undefined : dict of str
        Of the metrics that are not defined in every fold, in how many they are not, and why.
    predictions : (n_graphs) array or None
        What was predicted for each graph by a model that was not trained on it: the number of its class, or a number;
        -1, or NaN, for graphs that no fold tests. None if the results of several matrices were averaged, and for
        results that were read from a file, since files do not contain predictions.
    decisions : (n_graphs, n_columns) floats or None
        The decisions that predicted classes follow from: for two classes one column, positive for the second one;
        otherwise a column for each class. NaN for graphs that no fold tests.
    """

    scores: Scores
    parameters: tuple[ChosenParameters, ...]
    majority: float | None
    n_graphs: int
    random_state: int
    inner_folds: int
    unsolved: int
    seconds: dict[str, float]
    constant: Scores = field(default_factory=dict)
    undefined: dict[str, str] = field(default_factory=dict)
    predictions: NDArray[Any] | None = field(default=None, compare=False, repr=False)
    decisions: FloatArray | None = field(default=None, compare=False, repr=False)

    @property
    def accuracy(self) -> tuple[float, ...]:
        """The fraction of test graphs that were classified correctly, by outer fold."""
        return self.scores["accuracy"]

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain lists, dictionaries and numbers, ready for JSON; metrics by their names."""
        return {
            **{name: [json_number(value) for value in values] for name, values in self.scores.items()},
            "parameters": list(self.parameters),
            **{name: getattr(self, name) for name in (*_PLAIN, "unsolved", "seconds")},
        }

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Self:
        """Return the repetition that :meth:`to_dict` wrote; keys that it does not have are ignored.

        Results without "unsolved" are older than that count: at that time, an unsolved candidate was an error.
        """
        return cls(
            scores={name: _read_scores(content[name]) for name in MEASURES if name in content},
            parameters=tuple(dict(parameters) for parameters in content["parameters"]),
            **{name: content[name] for name in _PLAIN},
            unsolved=content.get("unsolved", 0),
            seconds=dict(content["seconds"]),
        )


def json_number(value: float) -> float | None:
    """Return a number as JSON has it, with None in place of NaN."""
    return None if math.isnan(value) else value


def _read_scores(values: Sequence[float | None]) -> tuple[float, ...]:
    return tuple(math.nan if value is None else value for value in values)
