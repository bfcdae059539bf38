"""What ``fit`` gets beside the graphs, and what a model learns of them: read, checked, and ready for the search."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wassergraph.arrays import FloatArray, Fold, IntArray
from wassergraph.errors import InputError, Option
from wassergraph.graphs.batch import GraphBatch
from wassergraph.graphs.columns import ImputeColumns
from wassergraph.graphs.fields import take_rows
from wassergraph.graphs.invariants import check_choice
from wassergraph.learners.svm.learner import SVMLearner
from wassergraph.models.column_term import TrainingColumns
from wassergraph.models.model_search import Scored
from wassergraph.scores.numbers import read_sides
from wassergraph.scores.rare_classes import read_sample_weight
from wassergraph.tuning.groups import optional_groups


class Asked(NamedTuple):
    """What ``fit`` gets beside graphs and targets; its docstrings document these."""

    distances: Any = None
    names: ArrayLike | None = None
    sample_weight: ArrayLike | None = None
    groups: ArrayLike | None = None
    target_name: Any = None
    source: Mapping[str, Any] | None = None
    censored: ArrayLike | None = None
    columns: Any = None
    impute: ImputeColumns = "error"

    def read(self, batch: GraphBatch) -> Training:
        """Return the training graphs with what is known of them, checked."""
        weights, groups = read_sample_weight(self.sample_weight, len(batch)), optional_groups(self.groups, len(batch))
        names = np.arange(len(batch)).astype(str) if self.names is None else np.asarray(self.names, dtype=np.str_)
        check_choice("impute", self.impute, ImputeColumns)
        if self.columns is None and self.impute != "error":
            flags = [Option("impute", self.impute), Option("columns")]
            raise InputError("{} applies to {}, but there are none", remedy="leave it out", options=flags)
        columns = None if self.columns is None else TrainingColumns.learn(self.columns, len(batch), self.impute)
        sides = read_sides(self.censored, len(batch))
        return Training(batch, names, weights, groups, sides=sides, columns=columns)


@dataclass(frozen=True, eq=False)
class Training:
    """Training graphs, and what is known of them beside their targets.

    Attributes
    ----------
    graphs : GraphBatch
        The graphs.
    names : (n) array of str
        Their names.
    weights : (n) floats or None
        How much each counts.
    groups : (n) integers or None
        The group of each.
    held_out : (n) booleans or None
        Which graphs calibrate intervals; None if the model draws them.
    sides : (n) integers or None
        Which targets are bounds: -1 if the number is below, 1 if it is above, 0 if it is known; None if none is one.
    columns : TrainingColumns or None
        The numbers that they have beside, scaled as those of all training graphs.
    """

    graphs: GraphBatch
    names: NDArray[Any]
    weights: FloatArray | None = None
    groups: IntArray | None = None
    held_out: NDArray[np.bool_] | None = None
    sides: IntArray | None = None
    columns: TrainingColumns | None = None

    def __len__(self) -> int:
        return len(self.graphs)

    def take(self, rows: IntArray) -> Training:
        """Return some of the graphs, at increasing positions; all of them are not copied."""
        if len(rows) == len(self):
            return self
        return replace(
            self,
            graphs=self.graphs[rows],
            names=self.names[rows],
            weights=take_rows(self.weights, rows),
            groups=None if self.groups is None else np.unique(self.groups[rows], return_inverse=True)[1],
            held_out=take_rows(self.held_out, rows),
            sides=take_rows(self.sides, rows),
            columns=None if self.columns is None else self.columns.take(rows),
        )


@dataclass(frozen=True, eq=False)
class Learning:
    """What a model learns: targets, folds, and what is fitted.

    Attributes
    ----------
    training : Training
        The graphs.
    targets : (n) array
        Their targets as the user knows them: classes, or numbers.
    scored : Scored
        What candidates are scored by.
    """

    training: Training
    targets: NDArray[Any]
    scored: Scored


@dataclass(frozen=True, eq=False)
class ClassLearning(Learning):
    """Classes to learn, with the SVM that learns them, for kernels that are positive definite."""

    learner: SVMLearner

    @property
    def folds(self) -> list[Fold]:
        """The inner folds."""
        return self.scored.folds


@dataclass(frozen=True, eq=False)
class NumberLearning(Learning):
    """Numbers to learn; intervals are calibrated with the graphs that are held out, and parameters chosen with others.

    Attributes
    ----------
    proper, held_out : (n_proper), (n_held_out) integers
        The positions of these graphs.
    """

    proper: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    held_out: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
