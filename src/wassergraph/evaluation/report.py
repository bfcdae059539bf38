"""Row and Report: the results of one method and of all methods, as a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Literal

import numpy as np

from wassergraph.arrays import FloatArray
from wassergraph.embedding.node_embedding import EmbeddingKind, Features
from wassergraph.evaluation.repetition import Parameters, Repetition
from wassergraph.evaluation.trial import MANY_GRAPHS
from wassergraph.files.provenance import current_provenance
from wassergraph.graphs.invariants import count
from wassergraph.learning.grid import parameters_text
from wassergraph.notebook import html_heading, html_note, html_table
from wassergraph.parallel.compilation import COMPILING, WORTH_SHOWING

#: The steps that are timed, and their columns in the table.
_STEPS = {"matrices": "matrices", "selection": "selection", "training and test": "test"}
_HEADER = ["method", "uses", "accuracy in %", *_STEPS.values(), "most frequent choice (folds)"]
#: Columns of numbers, which are aligned to the right.
_TIMES = range(3, 3 + len(_STEPS))


class EdgeFeatures(StrEnum):
    """What a method that compares edges uses."""

    EDGE_LABELS = "edge labels"
    EDGE_COUNT = "number of edges"


@dataclass(frozen=True, eq=False)
class Row:
    """The results of one method.

    Attributes
    ----------
    title : str
        The name of the method.
    kind : "categorical", "continuous" or "joint"
        Whether labels, attributes or both were compared.
    features : Features or EdgeFeatures
        What was compared: "node labels", "node attributes", "one-hot labels", "degrees", "edge labels", …
    standardized : bool
        Whether attributes were standardized.
    repetitions : tuple of Repetition
        The result of each cross-validation.
    """

    title: str
    kind: EmbeddingKind
    features: Features | EdgeFeatures
    standardized: bool
    repetitions: tuple[Repetition, ...]

    @property
    def accuracy(self) -> FloatArray:
        """The fraction of test graphs that were classified correctly (repetitions, folds)."""
        return np.array([repetition.accuracy for repetition in self.repetitions])

    @property
    def parameters(self) -> list[list[Parameters]]:
        """The parameters that were chosen on the training part, for each repetition and fold."""
        return [list(repetition.parameters) for repetition in self.repetitions]

    @property
    def seconds(self) -> dict[str, float]:
        """The time of each step, summed over the repetitions; matrices are computed once, as code is compiled once."""
        first = self.repetitions[0].seconds
        total = {step: sum(repetition.seconds[step] for repetition in self.repetitions) for step in first}
        return {**total, **{step: first[step] for step in ("matrices", COMPILING) if step in first}}

    @property
    def unsolved(self) -> int:
        """How many candidates were left out in an inner fold because an SVM took too many steps."""
        return sum(repetition.unsolved for repetition in self.repetitions)

    @property
    def mean(self) -> float:
        """The mean accuracy."""
        return float(self.accuracy.mean())

    @property
    def std(self) -> float:
        """The standard deviation over the means of the repetitions; if there is one repetition, over its folds."""
        accuracy = self.accuracy
        return float(np.std(accuracy.mean(axis=1) if len(accuracy) > 1 else accuracy[0]))

    def most_frequent_choice(self) -> tuple[Parameters, int]:
        """Return the parameters that were chosen in most folds, and the number of these folds."""
        choices = [fold for repetition in self.parameters for fold in repetition]
        winner = max(choices, key=choices.count)
        return winner, choices.count(winner)

    def to_dict(self) -> dict[str, Any]:
        """Return the results in a form that can be written as JSON."""
        return {
            "title": self.title,
            "kind": self.kind,
            "features": str(self.features),
            "standardized": self.standardized,
            "accuracy": self.accuracy.tolist(),
            "parameters": self.parameters,
            "seconds": self.seconds,
            "unsolved": self.unsolved,
            "mean": self.mean,
            "std": self.std,
        }


@dataclass(frozen=True, eq=False)
class Report:
    """The result of an evaluation; ``print`` it for a table.

    Attributes
    ----------
    rows : dict of Row
        The results of each method, by its name.
    classes : dict of int
        The number of graphs in each class.
    folds, inner_folds : int
        The numbers of outer and inner folds.
    random_state : int
        The seed of the first repetition's folds; each repetition has the next seed. All methods have the same folds.
    """

    rows: dict[str, Row]
    classes: dict[str, int]
    folds: int
    inner_folds: int
    random_state: int

    @property
    def n_graphs(self) -> int:
        """The number of graphs."""
        return sum(self.classes.values())

    @property
    def repetitions(self) -> int:
        """The number of cross-validations."""
        return len(next(iter(self.rows.values())).repetitions)

    @property
    def majority(self) -> float:
        """The fraction of graphs in the largest class: the accuracy of always predicting that class."""
        return max(self.classes.values()) / self.n_graphs

    @property
    def accuracies(self) -> dict[str, FloatArray]:
        """The accuracies (repetitions, folds) by the title of the method."""
        return {row.title: row.accuracy for row in self.rows.values()}

    @property
    def std_over(self) -> Literal["repetitions", "folds"]:
        """What the standard deviations are taken over."""
        return "repetitions" if self.repetitions > 1 else "folds"

    def to_dict(self) -> dict[str, Any]:
        """Return the report in a form that can be written as JSON.

        Returns
        -------
        dict
            All results, and the versions of the packages that computed them.
        """
        return {
            "graphs": self.n_graphs,
            "classes": self.classes,
            "majority_class": self.majority,
            "folds": self.folds,
            "inner_folds": self.inner_folds,
            "repetitions": self.repetitions,
            "random_state": self.random_state,
            "std_over": self.std_over,
            "methods": {name: row.to_dict() for name, row in self.rows.items()},
            **vars(current_provenance()),
        }

    def __str__(self) -> str:
        return "\n".join([self._heading(), "", *_aligned([_HEADER, *self._lines()]), "", *self._notes()])

    def _repr_html_(self) -> str:
        table = html_table(self._lines(), header=_HEADER, numbers=[2, *_TIMES])
        return html_heading(self._heading()) + table + "".join(html_note(note) for note in self._notes())

    def _heading(self) -> str:
        return f"{self.n_graphs:,} graphs, {len(self.classes)} classes"

    def _lines(self) -> list[list[str]]:
        """Return the cells of the table, below the header."""
        largest = ["largest class", "", f"{100 * self.majority:6.2f}", *([""] * (len(_HEADER) - 3))]
        return [*(_cells(row) for row in self.rows.values()), largest]

    def _notes(self) -> list[str]:
        """Return the sentences below the table."""
        notes = [*self._protocol()]
        if self.n_graphs > MANY_GRAPHS:
            notes.append("Candidates far behind the best after an inner fold were not evaluated on the next ones.")
        notes += self._standardization()
        for row in self.rows.values():
            if row.unsolved:
                left_out = count(row.unsolved, "candidate")
                notes.append(f"{row.title}: {left_out} left out of an inner fold, since the SVM took too many steps.")
        compiling = sum(row.seconds.get(COMPILING, 0.0) for row in self.rows.values())
        if compiling >= WORTH_SHOWING:
            notes.append(f"Code was compiled for {compiling:.1f} s, once per installation, which is not in the times.")
        return notes

    def _protocol(self) -> list[str]:
        n_values = self.repetitions if self.std_over == "repetitions" else self.folds
        repeated = "" if self.repetitions == 1 else f", repeated {self.repetitions} times with new random folds"
        return [
            f"Nested cross-validation with {self.folds} outer folds, the same for every method{repeated}.",
            f"Parameters are chosen with {self.inner_folds} inner folds on the training part of each outer fold.",
            f"± is the standard deviation over {n_values} {self.std_over}.",
        ]

    def _standardization(self) -> list[str]:
        """Return which methods used standardized attributes, and which used attributes as they are."""
        rows = [row for row in self.rows.values() if row.kind != "categorical"]
        scaled = ", ".join(row.title for row in rows if row.standardized)
        unscaled = ", ".join(row.title for row in rows if not row.standardized)
        notes = [f"Attributes were standardized for {scaled}."] if scaled else []
        return notes + ([f"Attributes were not standardized for {unscaled}."] if unscaled else [])


def _aligned(lines: Sequence[Sequence[str]]) -> list[str]:
    """Return the lines of a table with columns of equal width."""
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    return [
        "  ".join(
            cell.rjust(width) if column in _TIMES else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    ]


def _cells(row: Row) -> list[str]:
    """Return one line of the table."""
    parameters, times = row.most_frequent_choice()
    accuracy = f"{100 * row.mean:6.2f} ± {100 * row.std:5.2f}"
    seconds = row.seconds
    times_spent = [f"{seconds[step]:.2f} s" for step in _STEPS]
    return [
        row.title,
        str(row.features),
        accuracy,
        *times_spent,
        f"{parameters_text(parameters)} ({times} of {row.accuracy.size})",
    ]
