"""The parameters of models as options, which ``train`` and ``evaluate`` share; defaults are those of the models."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from wassergraph.cli.metric_options import metric_of
from wassergraph.cli.options import OptionTable, folds_option, numbers_option, show_progress
from wassergraph.errors import InputError, Option

if TYPE_CHECKING:
    from wassergraph.datasets.targets import Target
    from wassergraph.models.classifier import GraphClassifier
    from wassergraph.models.gaussian_process import GraphGaussianProcess
    from wassergraph.models.regressor import GraphRegressor

    Model: TypeAlias = GraphClassifier | GraphRegressor | GraphGaussianProcess

#: The parameters of each model, besides those that all have; an evaluation has no --power, for example.
_OWN = {
    "svm": ("gamma", "C", "search", "power", "gamma_scale", "cv", "class_weight", "scoring"),
    "ridge": ("gamma", "alpha", "search", "calibration", "cv"),
    "svr": ("gamma", "C", "search", "epsilon", "calibration", "cv"),
    "gp": ("search", "share_targets"),
}


def read_class_weight(text: str) -> Any:
    """Read "auto", "balanced", "none" or weights by class; the latter are checked when the classes are known."""
    if "=" not in text:
        return text.strip().lower()
    parts = [part.rpartition("=") for part in text.split(",")]
    if not all(name.strip() and weight.strip() for name, _, weight in parts):
        raise argparse.ArgumentTypeError(f"{text!r} is not a list of weights such as active=5,inactive=1")
    return {name.strip(): weight.strip() for name, _, weight in parts}


#: What is fitted, and what is chosen from; those that are not given are None.
MODEL: OptionTable = {
    "--model": (
        ("svm", "ridge", "svr", "gp"),
        "svm for classes; ridge regression, support vector regression, svr, or a Gaussian process, gp, for "
        "numbers (default: svm or ridge)",
    ),
    "--search": (
        ("auto", "metric", "wide"),
        "what is chosen: metric for its depth, gamma and the regularization; wide also for what graphs are "
        "compared by and how their sizes count. With more than 800 graphs, all ways are compared on 500 of them, and "
        "the best on all (default: auto, which is wide for molecules and for classes of up to 5,000 other graphs, "
        "unless one of the parameters, such as --depth, is given, and metric otherwise)",
    ),
    "--gamma": (
        {"type": numbers_option, "metavar": "G"},
        "kernel parameter in exp(-G D), or several to choose from: 1 or 0.1,1,10 (default: 1e-4 to 1e1 for "
        "classes, 1e-3 to 1e1 for numbers; for a wide search 0.1 to 3, divided by the median distance)",
    ),
    "-C --C": (
        {"dest": "C", "type": numbers_option, "metavar": "C"},
        "the regularization parameter of support vector machines, or several to choose from: 1 or 1,10,100 "
        "(default: for classes 1e-4 to 1e5 with labels and 1e-3 to 1e3 otherwise, for numbers 1e-1 to 1e3)",
    ),
    "--alpha": (
        {"type": numbers_option, "metavar": "A"},
        "for numbers, the penalty of ridge regression, or several to choose from (default: 1e-6 to 10)",
    ),
    "--class-weight": (
        {"type": read_class_weight, "metavar": "W"},
        "for classes, factors of C: balanced lets all classes count the same, none is 1 for all, and "
        "active=5,inactive=1 names them (default: auto, balanced if the largest class has at least three times as many "
        "graphs as the smallest, otherwise none)",
    ),
    "--scoring": (
        "S",
        "for classes, what parameters are chosen by: accuracy, balanced-accuracy, roc-auc, average-precision, "
        "rare-pr-auc, mcc, f1, f1-macro, precision, recall, enrichment-5 (the enrichment factor of the highest 5 "
        "percent) and others (default: auto, accuracy; if the largest class has at least three times as many graphs as "
        "the smallest, rare-pr-auc, the average precision of the smaller of two classes, or balanced-accuracy of more)",
    ),
}
#: What only a model that is trained has, and an evaluation has not.
KERNEL: OptionTable = {
    "--power": (
        {"type": numbers_option, "metavar": "P"},
        "for classes, the power of the distance in the kernel exp(-G D^P), or several to choose from: 2 or 1,2 "
        "(default: 1)",
    ),
    "--gamma-scale": (
        ("auto", "none", "median"),
        "for classes, median divides the values of --gamma by the median distance (default: auto, median for the "
        "wide search and none otherwise)",
    ),
    "--epsilon": (
        {"type": float, "metavar": "E"},
        "for --model svr, up to how many standard deviations of the numbers an error costs nothing (default: 0.1)",
    ),
    "--calibration": (
        {"type": float, "metavar": "SHARE"},
        "for ridge and svr, the share of graphs that intervals are calibrated with (default: 0.2)",
    ),
    "--share-targets": (
        {"action": "store_true", "default": None},
        "for --model gp with several targets, let them share information, and say whether that helps (default: no)",
    ),
    "--cv": (
        {"type": folds_option, "metavar": "N"},
        "number of folds, used to choose parameters (default: auto, 5, or fewer if no class has as many graphs)",
    ),
}


def models_of(options: argparse.Namespace, targets: Sequence[Target]) -> list[Model]:
    """Return a model for each of several targets: of classes and of numbers, each with the parameters that it has."""
    numbers = [target.task == "regression" for target in targets]
    if len(set(numbers)) == 1:
        return [model_of(options, numbers=each) for each in numbers]
    of_classes, of_numbers = vars(options).copy(), vars(options).copy()
    learns_numbers = options.model is not None and options.model != "svm"
    of_classes["model"], of_numbers["model"] = "svm", options.model if learns_numbers else "ridge"
    for kind, other in ((of_classes, of_numbers), (of_numbers, of_classes)):  # what neither has stays, and is an error
        kind.update(dict.fromkeys(set(_OWN[other["model"]]) - set(_OWN[kind["model"]])))
    return [model_of(argparse.Namespace(**(of_numbers if each else of_classes)), numbers=each) for each in numbers]


def model_of(options: argparse.Namespace, *, numbers: bool, also: Collection[str] = ()) -> Model:
    """Return the model that options describe; raise an error if it does not learn such targets, or lacks a parameter.

    ``also`` are parameters that other models of an evaluation have, and take from this one.
    """
    from wassergraph.models.classifier import GraphClassifier
    from wassergraph.models.gaussian_process import GraphGaussianProcess
    from wassergraph.models.regressor import GraphRegressor

    name = options.model or ("ridge" if numbers else "svm")
    if numbers != (name != "svm"):
        learned, known = ("classes", "numbers") if numbers else ("numbers", "classes")
        problem = f"{{}} learns {learned}, but the target is {known}"
        raise InputError(problem, remedy="remove it, or choose another", options=[Option("model", name)])
    own = (*_OWN[name], *also)
    every = dict.fromkeys(each for names in _OWN.values() for each in names)
    given = {each: getattr(options, each) for each in every if getattr(options, each, None) is not None}
    for parameter in given:
        if parameter not in own:
            problem = f"{{}} is not a parameter of the model {name}"
            raise InputError(problem, remedy="remove it", options=[Option(parameter)])
    models: dict[str, Callable[..., Model]] = {
        "svm": GraphClassifier,
        "ridge": GraphRegressor,
        "svr": partial(GraphRegressor, regressor="svr"),
        "gp": GraphGaussianProcess,
    }
    if given.get("class_weight") == "none":
        given["class_weight"] = None
    return models[name](
        metric=metric_of(options),
        n_jobs=options.n_jobs,
        random_state=options.random_state,
        progress=show_progress(options),
        **given,
    )
