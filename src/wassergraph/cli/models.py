"""What the commands share that use a model: load it, read new graphs as its training graphs were read, and compare."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from wassergraph.cli.options import load_source, reading_like, show_progress
from wassergraph.errors import InputError, Option

if TYPE_CHECKING:
    from wassergraph.datasets.source import Source
    from wassergraph.datasets.targets import Target
    from wassergraph.models.graph_model import GraphModel
    from wassergraph.models.target_models import TargetModels


def load_trained(options: argparse.Namespace) -> Any:
    """Load the model of a command, to run as its options say."""
    from wassergraph.models.model_files.loading import load_model

    return load_model(options.model).set_params(n_jobs=options.n_jobs, progress=show_progress(options))


def load_trained_for_one(options: argparse.Namespace) -> Any:
    """Load the model of a command that is about one target: of several, the one that the options name."""
    model = load_trained(options)
    several = targets_of(model)
    if several is None:
        return model
    if options.target is None:
        problem = f"the model has the targets {', '.join(map(repr, several.target_names_))}"
        raise InputError(problem, remedy="name one of them with {}", options=[Option("target")], file=options.model)
    return model_of_target(options, several)


def model_of_target(options: argparse.Namespace, several: TargetModels) -> GraphModel:
    """Return the model of the target that the options name, whose column is then read because of the model."""
    model = several[options.target]
    options.target = None
    return model


def targets_of(model: Any) -> TargetModels | None:
    """Return the models of several targets that a model is or has; None if it has one target."""
    from wassergraph.models.target_models import TargetModels

    return model if isinstance(model, TargetModels) else getattr(model, "_several", None)


def predicts_classes(model: GraphModel) -> bool:
    """Return whether a model predicts classes; others predict numbers."""
    from wassergraph.models.classifier import GraphClassifier

    return isinstance(model, GraphClassifier)


def load_new_source(options: argparse.Namespace, model: GraphModel | TargetModels, **how: Any) -> Source:
    """Load new graphs, as those of the training were read unless the options say otherwise."""
    several = targets_of(model)
    target = model.target_name_ if several is None else several.target_names_  # type: ignore[union-attr]
    tasks = {} if several is None else {"tasks": several.tasks_}
    like = {**reading_like(options, model.graphs_, model.source_), "target": target, **tasks}
    return load_source(options, like=like, **how)


def compared_target(options: argparse.Namespace, model: GraphModel, source: Source) -> Target | None:
    """Return what predictions are compared with: the target that the user names, or else that of the training.

    A model without a name for its target is compared with classes without a name, those of TU data sets, only.
    """
    target = source.target
    is_the_same = target is not None and (options.target is not None or target.name == model.target_name_)
    return target if is_the_same else None
