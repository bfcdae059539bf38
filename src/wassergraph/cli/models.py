"""What the commands share that use a model: load it, read new graphs as its training graphs were read, and compare."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from wassergraph.cli.options import load_source, reading_like, show_progress

if TYPE_CHECKING:
    from wassergraph.datasets.source import Source
    from wassergraph.datasets.targets import Target
    from wassergraph.models.graph_model import GraphModel


def load_trained(options: argparse.Namespace) -> Any:
    """Load the model of a command, to run as its options say."""
    from wassergraph.models.model_files.loading import load_model

    return load_model(options.model).set_params(n_jobs=options.n_jobs, progress=show_progress(options))


def predicts_classes(model: GraphModel) -> bool:
    """Return whether a model predicts classes; others predict numbers."""
    from wassergraph.models.classifier import GraphClassifier

    return isinstance(model, GraphClassifier)


def load_new_source(options: argparse.Namespace, model: GraphModel, **how: Any) -> Source:
    """Load new graphs, as those of the training were read unless the options say otherwise."""
    like = {**reading_like(options, model.graphs_, model.source_), "target": model.target_name_}
    return load_source(options, like=like, **how)


def compared_target(options: argparse.Namespace, model: GraphModel, source: Source) -> Target | None:
    """Return what predictions are compared with: the target that the user names, or else that of the training.

    A model without a name for its target is compared with classes without a name, those of TU data sets, only.
    """
    target = source.target
    is_the_same = target is not None and (options.target is not None or target.name == model.target_name_)
    return target if is_the_same else None
