"""Evaluation: the results of all methods, as a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from wassergraph.arrays import FloatArray
from wassergraph.errors import InputError, Option, did_you_mean
from wassergraph.evaluation.deduplication import Deduplication
from wassergraph.evaluation.plan import WITHOUT_INNER_FOLDS
from wassergraph.evaluation.row import OtherFeatures, Row, deviation_of, json_numbers, mean_of
from wassergraph.evaluation.splitting import Splitting
from wassergraph.evaluation.trial import MANY_GRAPHS
from wassergraph.files.provenance import current_provenance
from wassergraph.graphs.invariants import count
from wassergraph.notebook import aligned, html_heading, html_note, html_table
from wassergraph.pictures.accuracies import Boxes
from wassergraph.scores.measures import Measure
from wassergraph.scores.scoring import ClassOptions
from wassergraph.scores.tasks import ClassTask, NumberTask
from wassergraph.tuning.grid import parameters_text

#: The steps that are timed, and their columns in the table.
_STEPS = {"matrices": "matrices", "selection": "selection", "training and test": "test"}


@dataclass(frozen=True, eq=False)
class Evaluation:
    """The result of an evaluation; ``print`` it for a table.

    Attributes
    ----------
    rows : dict of Row
        The results of each method, by its name.
    task : ClassTask or NumberTask
        What was learned: ``task.name`` is "classification" or "regression".
    measures : list of Measure
        What was measured.
    splitting : Splitting
        How graphs were split into folds.
    folds, inner_folds : int
        The numbers of outer and inner folds.
    random_state : int
        The seed of the first repetition's folds; each repetition has the next seed. All methods have the same folds.
    deduplication : Deduplication or None
        Which graphs were left out since they equal others; None if all graphs were evaluated.
    class_options : ClassOptions or None
        What parameters of classifiers were chosen by, and what classes weighed; None for numbers.
    n_graphs : int
        The number of graphs that were evaluated.
    full_task : ClassTask or NumberTask
        What is known of all graphs, also of duplicates that were left out.
    repetitions : int
        The number of cross-validations.
    classes : dict of int
        The number of graphs in each class; empty for numbers.
    majority : float
        The fraction of graphs in the largest class: the accuracy of always predicting that class.
    accuracies : dict of (repetitions, folds) floats
        The accuracies by the title of the method.
    boxes : Boxes
        The values of the first measure, to be drawn.
    std_over : "repetitions" or "folds"
        What the standard deviations are taken over.

    See Also
    --------
    evaluate : evaluate methods
    plot.draw_accuracies : draw it

    Examples
    --------
    >>> import wassergraph as wg
    >>> graphs, y = wg.load_dataset("demo")
    >>> result = wg.evaluate(graphs, y, "wl", model=wg.GraphClassifier(wg.WWL(depth=1), C=1.0, cv=2), folds=3)
    >>> result.n_graphs, round(result.majority, 3), result.rows["wl"].accuracy.shape
    (60, 0.333, (1, 3))
    >>> list(result["wl"].rows)  # an evaluation of one method alone
    ['wl']
    """

    rows: dict[str, Row]
    task: ClassTask | NumberTask
    measures: list[Measure]
    splitting: Splitting
    folds: int
    inner_folds: int
    random_state: int
    deduplication: Deduplication | None = None
    class_options: ClassOptions | None = None

    def __getitem__(self, method: str) -> Evaluation:
        """Return the results of one method alone."""
        found = method if method in self.rows else str(method).strip().lower()
        if found not in self.rows:
            problem = f"{{}} was not evaluated, only {', '.join(self.rows)}"
            remedy = did_you_mean(str(method), self.rows) or "choose one of these"
            raise InputError(problem, remedy=remedy, options=[Option("method", method)])
        return replace(self, rows={found: self.rows[found]})

    @property
    def n_graphs(self) -> int:
        """The number of graphs that were evaluated."""
        return len(self.task.targets)

    @property
    def full_task(self) -> ClassTask | NumberTask:
        """What is known of all graphs, also of duplicates that were left out."""
        return self.task if self.deduplication is None else self.deduplication.task

    @property
    def repetitions(self) -> int:
        """The number of cross-validations."""
        return len(self._first.repetitions)

    @property
    def _first(self) -> Row:
        return next(iter(self.rows.values()))

    @property
    def classes(self) -> dict[str, int]:
        """The number of graphs in each class; empty for numbers."""
        return self.task.class_counts if isinstance(self.task, ClassTask) else {}

    @property
    def majority(self) -> float:
        """The fraction of graphs in the largest class: the accuracy of always predicting that class."""
        if not self.classes:
            raise InputError("numbers have no largest class", remedy="see the mean in print(evaluation)")
        return max(self.classes.values()) / self.n_graphs

    @property
    def accuracies(self) -> dict[str, FloatArray]:
        """The accuracies (repetitions, folds) by the title of the method."""
        return {row.title: row.accuracy for row in self.rows.values()}

    @property
    def boxes(self) -> Boxes:
        """The values of the first measure, to be drawn."""
        measure = self.measures[0]
        values = {row.title: row.values(measure.name) for row in self.rows.values()}
        constant = self.task.constant_title, self._constant(measure)
        return Boxes(values, measure.title, constant, measure.higher_is_better, measure.percent, skip_undefined=True)

    @property
    def std_over(self) -> Literal["repetitions", "folds"]:
        """What the standard deviations are taken over."""
        return "repetitions" if self.repetitions > 1 else "folds"

    def to_dict(self) -> dict[str, Any]:
        """Return the results in a form that can be written as JSON.

        Returns
        -------
        dict
            All results, and the versions of the packages that computed them.
        """
        classes = {"classes": self.classes, "majority_class": self.majority} if self.classes else {}
        return {
            "graphs": self.n_graphs,
            **({} if self.deduplication is None else {"deduplication": self.deduplication.to_dict()}),
            "task": self.task.name,
            **classes,
            **({} if self.class_options is None else self._class_facts(self.class_options)),
            "measures": [measure.name for measure in self.measures],
            "split": self.splitting.split,
            "folds": self.folds,
            "inner_folds": self.inner_folds,
            "repetitions": self.repetitions,
            "random_state": self.random_state,
            "std_over": self.std_over,
            "methods": {name: row.to_dict() for name, row in self.rows.items()},
            "constant": {name: json_numbers(values) for name, values in self._first.constant.items()},
            **vars(current_provenance()),
        }

    def _class_facts(self, options: ClassOptions) -> dict[str, Any]:
        """Return what parameters were chosen by, and what classes weighed: None, "balanced", or a weight by class."""
        weight = options.class_weight
        by_class = dict(zip(self.classes, weight, strict=True)) if isinstance(weight, tuple) else weight
        return {"scoring": options.scoring.name, "class_weight": by_class}

    def __str__(self) -> str:
        table = aligned([self._header(), *self._lines()], self._times)
        return "\n".join([self._heading(), "", *table, "", *self._notes()])

    def _repr_html_(self) -> str:
        numbers = [*range(2, 2 + len(self.measures)), *self._times]
        table = html_table(self._lines(), header=self._header(), numbers=numbers)
        return html_heading(self._heading()) + table + "".join(html_note(note) for note in self._notes())

    def _heading(self) -> str:
        left_out = "" if self.deduplication is None else f", {self.deduplication.words()}"
        return f"{self.n_graphs:,} graphs, {self.task.describe()}{left_out}"

    def _header(self) -> list[str]:
        measured = [f"{measure.title} in %" if measure.percent else measure.title for measure in self.measures]
        return ["method", "uses", *measured, *_STEPS.values(), "most frequent choice (folds)"]

    @property
    def _times(self) -> range:
        """The columns of times, which are aligned to the right."""
        return range(2 + len(self.measures), 2 + len(self.measures) + len(_STEPS))

    def _lines(self) -> list[list[str]]:
        """Return the cells of the table, below the header."""
        constant = [measure.text(self._constant(measure)).rjust(6) for measure in self.measures]
        last = [self.task.constant_title, "", *constant, *([""] * (len(_STEPS) + 1))]
        return [*(_cells(row, self.measures) for row in self.rows.values()), last]

    def _constant(self, measure: Measure) -> float:
        """Return a measure of the constant prediction.

        In stratified folds the accuracy is the share of the largest class of all graphs. Of classes of the same size,
        the one that a training part has most of is the one that the test part has least of, which would show less.
        """
        if measure.name == "accuracy" and self.splitting.split == "random":
            return self.majority
        return mean_of(self._first.constant[measure.name])

    def _notes(self) -> list[str]:
        """Return the sentences below the table."""
        notes = [] if self.deduplication is None else [self.deduplication.note()]
        notes += self._protocol()
        if self.n_graphs > MANY_GRAPHS:
            notes.append("Candidates far behind the best after an inner fold were not evaluated on the next ones.")
        notes += self._standardization()
        for row in self.rows.values():
            if row.unsolved:
                left_out = count(row.unsolved, "candidate")
                notes.append(f"{row.title}: {left_out} left out of an inner fold, since a fit took too many steps.")
            notes += [f"{row.title}: {reason}." for reason in row.undefined]
        return notes

    def _protocol(self) -> list[str]:
        n_values = self.repetitions if self.std_over == "repetitions" else self.folds
        new = "inner folds" if self.splitting.given is not None else "folds"
        fixed = "" if self.splitting.groups is None else ", which differ only in groups of the same size"
        repeated = "" if self.repetitions == 1 else f", repeated {self.repetitions} times with new random {new}{fixed}"
        folds = f"{count(self.folds, 'outer fold')}{self.splitting.words}"
        grouped = "" if self.splitting.groups is None else ", by the same groups"
        inner = f"{self.inner_folds} inner folds on the training part of each outer fold{grouped}"
        processes = ", ".join(row.title for row in self.rows.values() if row.model == "gp")
        has_inner = any(row.model not in WITHOUT_INNER_FOLDS for row in self.rows.values())
        searched = [f"Parameters are chosen with {inner}{self._chosen_by()}."] if has_inner else []
        likely = [f"{processes}: parameters maximize the likelihood of the training part."] if processes else []
        return [
            f"Nested cross-validation with {folds}, the same for every method{repeated}.",
            *searched,
            *likely,
            *self._weights(),
            *([f"± is the standard deviation over {n_values} {self.std_over}."] if n_values > 1 else []),
        ]

    def _chosen_by(self) -> str:
        """Return what parameters are chosen by, unless it is the accuracy, or errors of numbers."""
        if self.class_options is None or self.class_options.scoring.name == "accuracy":
            return ""
        return f", by the {self.class_options.scoring.title}"

    def _weights(self) -> list[str]:
        """Return what classes weigh, if not all of them weigh the same."""
        options = self.class_options
        if options is None or options.class_weight is None or all(row.model == "knn" for row in self.rows.values()):
            return []
        if options.class_weight == "balanced":
            ratio = f"{max(self.classes.values()) / min(self.classes.values()):.1f}"
            equal = "Weights let all classes count the same"
            return [f"{equal}: the largest has {ratio} times the graphs of the smallest."]
        weights = self._class_facts(options)["class_weight"].items()
        return [f"Classes have weights: {', '.join(f'{name}: {weight:g}' for name, weight in weights)}."]

    def _standardization(self) -> list[str]:
        """Return which methods used standardized attributes, and which used attributes as they are."""
        decided = (OtherFeatures.CHOSEN, OtherFeatures.GIVEN)  # elsewhere: in the folds, or before
        rows = [row for row in self.rows.values() if row.kind != "categorical" and row.features not in decided]
        scaled = ", ".join(row.title for row in rows if row.standardized)
        unscaled = ", ".join(row.title for row in rows if not row.standardized)
        notes = [f"Attributes were standardized for {scaled}."] if scaled else []
        return notes + ([f"Attributes were not standardized for {unscaled}."] if unscaled else [])


def _cells(row: Row, measures: Sequence[Measure]) -> list[str]:
    """Return one line of the table."""
    parameters, times = row.most_frequent_choice()
    seconds = row.seconds
    return [
        row.title,
        str(row.features),
        *(_measured(measure, row.values(measure.name)) for measure in measures),
        *(f"{seconds[step]:.2f} s" for step in _STEPS),
        f"{parameters_text(parameters)} ({times} of {sum(map(len, row.parameters))})",
    ]


def _measured(measure: Measure, values: FloatArray) -> str:
    """Return the mean and the standard deviation of a measure; the mean alone if there is one value."""
    mean, deviation = measure.text(mean_of(values)), deviation_of(values)
    if np.isnan(deviation) or values.size == 1:
        return mean.rjust(6)
    return f"{mean:>6} ± {100 * deviation:5.2f}" if measure.percent else f"{mean:>6} ± {deviation:.2g}"
