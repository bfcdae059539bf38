"""Fit models of several targets of the same graphs, one for each target, on distances that are computed once.

    targets ──groups──▶ the best few ways of each ──SharedDistances──▶ parameters ──▶ one fitted model for each target

Metrics learn from all graphs, so that models can share distances; everything else that a model learns is from the
graphs that have a value of its target. Where targets are numbers, ridge regressions on the same graphs share the
decompositions of kernels, and each has the result that it has alone. In large tables with gaps, parameters of several
targets are compared on the graphs that have all of these; the models are then fitted to all graphs of each.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace

import numpy as np

from wassergraph.arrays import IntArray
from wassergraph.errors import InputError, Option
from wassergraph.models.graph_model import GraphModel
from wassergraph.models.learning import Asked, Learning, Training
from wassergraph.models.shared_distances import SharedDistances
from wassergraph.models.shared_training import share_training
from wassergraph.models.target_group import TargetGroup
from wassergraph.parallel.stages import stage
from wassergraph.scores.several import KnownTarget
from wassergraph.tuning.candidates import ChosenMatrix
from wassergraph.tuning.wide import SCREENED_ABOVE

#: Targets are compared on the graphs that have all of them if these are at least this share of the graphs of each.
_COMMON = 0.4


@dataclass(frozen=True, eq=False)
class TargetFit:
    """One target, and what its model learns.

    Attributes
    ----------
    model : GraphModel
        The model.
    known : KnownTarget
        Which graphs have a value, and the values.
    learning : Learning
        What the model learns.
    """

    model: GraphModel
    known: KnownTarget
    learning: Learning

    @property
    def rows(self) -> IntArray:
        """The positions of the graphs that have a value."""
        return self.known.rows

    @property
    def is_large(self) -> bool:
        """Whether ways to compare graphs are tried on a sample of them first."""
        return len(self.rows) > SCREENED_ABOVE

    @property
    def shares(self) -> bool:
        """Whether parameters can be chosen together with those of other targets."""
        return self.model._shares_fits()

    def finish(self, chosen: ChosenMatrix) -> None:
        """Fit the final model."""
        with self.known.named_in_errors():
            self.model._finish(self.learning, chosen)


def fit_targets(
    models: Sequence[GraphModel], training: Training, known: Sequence[KnownTarget], asked: Asked
) -> list[IntArray]:
    """Fit one model for each of several targets.

    Parameters
    ----------
    models : sequence of GraphModel
        A model for each target, which is fitted. Those of one class have the same parameters.
    training : Training
        All graphs.
    known : sequence of KnownTarget
        The targets.
    asked : Asked
        What the user passed besides, of which ``training`` was read.

    Returns
    -------
    list of (n) integers
        The positions of the graphs that each model keeps.
    """
    first, graphs = models[0], training.graphs
    shared = SharedDistances(graphs, asked.distances, n_jobs=first.n_jobs, progress=first.progress)
    fits = _read_all(models, training, known, asked)
    sharing = _sharing(fits, training)
    groups = _make_groups(fits, shared)
    for members, group in groups:
        with _named(members):
            group.embed()
    with stage("distances"):
        shared.compute([request for _, group in groups for request in group.requests()])
    choices = []
    for members, group in groups:
        with _named(members):
            choices.append(group.select())
    with stage("distances"):
        shared.compute(
            [
                (choice.embedded, fit.rows)
                for (members, _), chosen in zip(groups, choices, strict=True)
                for fit, choice in zip(members, chosen, strict=True)
            ]
        )
    for (members, _), chosen in zip(groups, choices, strict=True):
        for fit, choice in zip(members, chosen, strict=True):
            fit.finish(choice.between(shared, fit.rows, fit.learning.training))
            shared.add_time(fit.model.seconds_, len(fits))
    rows = [fit.rows for fit in fits]
    if sharing:
        of_all = sharing[0].model._share_between(
            [fit.model for fit in sharing], [fit.known for fit in sharing], training
        )
        rows = [of_all if fit in sharing else fit.rows for fit in fits]
    share_training(models, graphs, rows)
    return rows


def _named(fits: Sequence[TargetFit]) -> AbstractContextManager[None]:
    """Let errors about a target that is fitted alone name it."""
    return fits[0].known.named_in_errors() if len(fits) == 1 else nullcontext()


def _sharing(fits: Sequence[TargetFit], training: Training) -> list[TargetFit]:
    """Return the targets that are to share information; raise an error if they cannot."""
    sharing = [fit for fit in fits if fit.model._shares_targets()]
    if len(sharing) == 1:
        raise cannot_share()
    if sharing and any(fit.known.sides is not None for fit in sharing):
        problem, option = "{} does not learn from bounds", Option("share_targets", True)
        raise InputError(problem, remedy="remove it, or leave bounds out", options=[option])
    if sharing and training.columns is not None:
        problem, flags = "{} does not use {}", [Option("share_targets", True), Option("columns")]
        raise InputError(problem, remedy="remove one of them", options=flags)
    return sharing


def cannot_share() -> InputError:
    """Return the error about one target that is to share information with others."""
    problem, option = "{} needs two targets of numbers or more", Option("share_targets", True)
    return InputError(problem, remedy="remove it", options=[option])


def _read_all(
    models: Sequence[GraphModel], training: Training, known: Sequence[KnownTarget], asked: Asked
) -> list[TargetFit]:
    """Check all targets, and return what each model learns."""
    common = _held_out_together(models, training, known)
    fits = []
    for model, each in zip(models, known, strict=True):
        model._reset()
        model._remember(each.name, asked.source, None)
        if len(each.rows) < len(training):
            _check_folds(model)
        with each.named_in_errors():
            # Parameters of small targets are not chosen together with those of others.
            source = common if len(each.rows) > SCREENED_ABOVE else training
            own = replace(source.take(each.rows), sides=each.sides)
            fits.append(TargetFit(model, each, model._read(own, each.values)))
    return fits


def _check_folds(model: GraphModel) -> None:
    """Raise an error if folds are given as positions, which those of a target with gaps do not have."""
    cv = getattr(model, "cv", "auto")
    if not isinstance(cv, int | np.integer | str) and not hasattr(cv, "split"):
        problem = "{} names positions among all graphs, but some graphs have no value of a target"
        raise InputError(problem, remedy="pass a number of folds, or a splitter", options=[Option("cv")])


def _held_out_together(models: Sequence[GraphModel], training: Training, known: Sequence[KnownTarget]) -> Training:
    """Let all targets of a large table with gaps set aside the same graphs for intervals."""
    has_gaps = any(len(each.rows) < len(training) for each in known)
    if not has_gaps or len(training) <= SCREENED_ABOVE:
        return training
    several = (model._held_out_of(training) for model in models)
    return replace(training, held_out=next((each for each in several if each is not None), None))


def _groups(fits: Sequence[TargetFit]) -> list[list[TargetFit]]:
    """Return the targets whose parameters are chosen together, in groups, the largest targets first."""
    groups: list[list[TargetFit]] = []
    for fit in sorted(fits, key=lambda each: -len(each.rows)):
        for group in groups:
            if fit.shares and group[0].shares and _fits_in(fit, group):
                group.append(fit)
                break
        else:
            groups.append([fit])
    return groups


def _fits_in(fit: TargetFit, group: Sequence[TargetFit]) -> bool:
    """Return whether a target has the graphs of a group; or, in a large table, enough of them."""
    if all(np.array_equal(fit.rows, other.rows) for other in group):
        return True
    common = _common_rows([*group, fit])
    enough = max(SCREENED_ABOVE, _COMMON * len(group[0].rows))
    return fit.is_large and all(other.is_large for other in group) and len(common) >= enough


def _common_rows(fits: Sequence[TargetFit]) -> IntArray:
    """Return the graphs that have all of some targets."""
    common = fits[0].rows
    for fit in fits[1:]:
        common = np.intersect1d(common, fit.rows)
    return common


def _make_groups(fits: Sequence[TargetFit], shared: SharedDistances) -> list[tuple[Sequence[TargetFit], TargetGroup]]:
    """Return the targets whose parameters are chosen together, and alone those that have other folds."""
    made: list[tuple[Sequence[TargetFit], TargetGroup]] = []
    for members in _groups(fits):
        group = _make_group(members, shared)
        if all(_have_the_same_folds(group.learnings[0], each) for each in group.learnings[1:]):
            made.append((members, group))
        else:  # random ones, without a seed
            made += [([fit], _make_group([fit], shared)) for fit in members]
    return made


def _have_the_same_folds(one: Learning, other: Learning) -> bool:
    ours, theirs = one.scored.folds, other.scored.folds
    same = (np.array_equal(a, b) for pair in zip(ours, theirs, strict=False) for a, b in zip(*pair, strict=True))
    return len(ours) == len(theirs) and all(same)


def _make_group(fits: Sequence[TargetFit], shared: SharedDistances) -> TargetGroup:
    """Return the group of some targets, with what is learned from the graphs that have all of them."""
    rows = _common_rows(fits)
    learnings = [
        fit.learning
        if len(fit.rows) == len(rows)
        else fit.model._read(fit.learning.training.take(np.searchsorted(fit.rows, rows)), fit.known.at(rows))
        for fit in fits
    ]
    return TargetGroup([fit.model for fit in fits], learnings, rows, shared)
