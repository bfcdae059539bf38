"""Repetition: the result of one nested cross-validation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self, TypeAlias

#: The chosen parameters by name: numbers, or lists of numbers where several matrices were evaluated and averaged.
Parameters: TypeAlias = dict[str, float | list[float]]


@dataclass(frozen=True)
class Repetition:
    """The result of one nested cross-validation of a method.

    Attributes
    ----------
    accuracy : tuple of float
        The fraction of test graphs that were classified correctly, by outer fold.
    parameters : tuple of dict
        The parameters that were chosen, by outer fold.
    majority : float
        The fraction of graphs in the largest class.
    n_graphs : int
        The number of graphs.
    random_state : int
        The seed of the folds.
    inner_folds : int
        The number of inner folds.
    unsolved : int
        How many candidates were left out in an inner fold because an SVM took too many steps.
    seconds : dict of float
        The time of each step: "matrices", "selection", "training and test"; and of "compiling", which results of older
        versions count for the step that it happened in.
    """

    accuracy: tuple[float, ...]
    parameters: tuple[Parameters, ...]
    majority: float
    n_graphs: int
    random_state: int
    inner_folds: int
    unsolved: int
    seconds: dict[str, float]

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain lists, dictionaries and numbers, ready for JSON."""
        return {**asdict(self), "accuracy": list(self.accuracy), "parameters": list(self.parameters)}

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Self:
        """Return the repetition that :meth:`to_dict` wrote; keys that it does not have are ignored.

        Results without "unsolved" are older than that count: at that time, an unsolved candidate was an error.
        """
        return cls(
            accuracy=tuple(content["accuracy"]),
            parameters=tuple(dict(parameters) for parameters in content["parameters"]),
            majority=content["majority"],
            n_graphs=content["n_graphs"],
            random_state=content["random_state"],
            inner_folds=content["inner_folds"],
            unsolved=content.get("unsolved", 0),
            seconds=dict(content["seconds"]),
        )
