"""Parts of a state that several models share: parameters, scores and the chosen candidate; every part is checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol, get_args

import numpy as np

from wassergraph.graphs.saved_values import Arrays, number_between, present
from wassergraph.metrics.node_embedding import EmbeddingKind, Mass
from wassergraph.metrics.solvers import read_solver
from wassergraph.metrics.wwl import WWL
from wassergraph.tuning.grid import Grid, GridScores

_SCORE_ARRAYS = ("score", "seconds", "steps")
#: Parameters that a file keeps as they are; a splitter or a random generator becomes the default.
_PLAIN = (int, float, str, bool, type(None))
#: The parameters of the metric in files of models, and the names of two of them in earlier versions.
_OF_METRIC = (
    *("depth", "kind", "standardize", "isolated_nodes", "label_weight", "edge_labels", "mass", "unmatched_cost"),
    *("size_weight", "stereo"),
)
_RENAMED = {"isolated": "isolated_nodes", "unmatched": "unmatched_cost"}
#: Parameters of the computer on which the model runs, which are not part of the model.
_LOCAL = ("n_jobs", "progress")
#: The largest depth that a file may have: a larger one would only exhaust the memory.
_MAX_DEPTH = 10_000
_LARGEST = float(np.finfo(float).max)
_SMALLEST = float(np.nextafter(0, 1))
#: Parameters of a matrix that have a few values.
_CHOICES: dict[str, tuple[Any, ...]] = {
    "kind": get_args(EmbeddingKind),
    "mass": get_args(Mass),
    **dict.fromkeys(("edge_labels", "stereo", "degrees"), (False, True)),
}


class HasParameters(Protocol):
    """An estimator of scikit-learn."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name."""
        ...


# Parameters


def parameters_to_json(model: HasParameters) -> dict[str, Any]:
    """Return the parameters of a model that JSON can hold."""
    parameters = {}
    for name, value in model.get_params(deep=False).items():
        plain = np.asarray(value).tolist() if _is_values(value) else value
        if name not in _LOCAL and (isinstance(plain, _PLAIN) or plain is not value):
            parameters[name] = plain
    return parameters


def metrics_to_json(metric: WWL | Sequence[WWL] | None) -> Any:
    """Return the parameters of a metric, or of several, with the name of its class; None if none is given."""
    if metric is None:
        return None
    if not isinstance(metric, WWL):
        return [metrics_to_json(each) for each in metric]
    parameters = parameters_to_json(metric)
    return {"metric": type(metric).__name__, **parameters, "solver": read_solver(metric.solver).name}


def metrics_from_json(parameters: Mapping[str, Any]) -> WWL | list[WWL] | None:
    """Return the metric, or the metrics, of a model from its parameters in a file; None if none was given.

    Models of earlier versions have the parameters of the metric among their own, under earlier names, and perhaps
    several masses.
    """
    if "metric" in parameters:
        saved = parameters["metric"]
        if saved is None:
            return None
        return [_read_metric(each) for each in saved] if isinstance(saved, list) else _read_metric(saved)
    flat = {_RENAMED.get(name, name): value for name, value in parameters.items()}
    given = {name: flat[name] for name in _OF_METRIC if name in flat}
    masses = given.pop("mass", "share")
    if isinstance(masses, str):
        return WWL(**given, mass=masses)  # type: ignore[arg-type]
    return [WWL(**given, mass=mass) for mass in masses]


def _read_metric(saved: Mapping[str, Any]) -> WWL:
    if saved["metric"] != WWL.__name__:
        raise ValueError(f"the metric {saved['metric']!r} is not known")
    return WWL(**{name: value for name, value in saved.items() if name in (*_OF_METRIC, "degrees")})


def _is_values(value: object) -> bool:
    """Return whether a value is a number of numpy, or a sequence of numbers or of texts."""
    if not isinstance(value, range | list | tuple | np.ndarray | np.generic):
        return False
    return all(
        isinstance(item, int | float | str | np.number | np.bool_) for item in np.atleast_1d(np.asarray(value, object))
    )


def known_parameters(model: HasParameters, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters from a file that this version of a model has."""
    known = set(model.get_params(deep=False)) - set(_LOCAL)
    return {name: value for name, value in parameters.items() if name in known}


# Scores


def grid_to_json(scores: GridScores | None) -> dict[str, Any] | None:
    """Return the candidates of a selection."""
    if scores is None:
        return None
    grid = scores.grid
    return {
        "matrices": grid.matrices,
        "gammas": grid.gammas,
        "C_values": grid.C_values,
        "scales": grid.scales,
        "n_simple": grid.n_simple,
        "penalty": grid.penalty,
    }


def score_arrays(scores: GridScores | None) -> Arrays:
    """Return the arrays of the scores of a selection."""
    return present({f"arrays/{name}": getattr(scores, name, None) for name in _SCORE_ARRAYS})


def read_scores(header: Mapping[str, Any] | None, arrays: Arrays) -> GridScores | None:
    """Return the scores of a selection; None if there was none."""
    if header is None:
        return None
    grid = _read_grid(header)
    score, seconds, steps = (arrays[f"arrays/{name}"] for name in _SCORE_ARRAYS)
    if any(array.ndim != 4 or array.shape[:3] != grid.shape for array in (score, seconds, steps)):
        raise ValueError("the scores do not fit the candidates")
    return GridScores(grid, score, seconds, steps)


def _read_grid(header: Mapping[str, Any]) -> Grid:
    # Files of earlier versions have depths, perhaps masses, and no penalties.
    gammas, C_values, penalty = tuple(header["gammas"]), tuple(header["C_values"]), bool(header.get("penalty", False))
    if "matrices" not in header:
        masses = tuple(header.get("masses", []))
        return replace(Grid.of_depths(tuple(header["depths"]), gammas, C_values, masses), penalty=penalty)
    matrices = tuple(_read_matrix(matrix) for matrix in _as_list("matrices", header["matrices"]))
    scales, n_simple = header["scales"], header["n_simple"]
    if scales is not None and len(_as_list("scales", scales)) != len(matrices):
        raise ValueError(f"there are {len(scales)} scales of gamma for {len(matrices)} matrices")
    if type(n_simple) is not int or not 0 <= n_simple <= len(matrices):
        raise ValueError(f"n_simple is {n_simple!r}, not a number of the {len(matrices)} matrices")
    return Grid(
        matrices,
        tuple(_positive("gamma", gamma) for gamma in gammas),
        tuple(_positive("C", value) for value in C_values),
        scales=None if scales is None else tuple(_positive("scale", scale) for scale in scales),
        n_simple=n_simple,
        penalty=penalty,
    )


def _as_list(name: str, value: Any) -> list[Any]:
    if not isinstance(value, list | tuple):
        raise ValueError(f"{name} is {value!r}, not a list")
    return list(value)


# Numbers


def read_candidate(header: Mapping[str, Any]) -> dict[str, Any]:
    """Return the chosen parameters: those of the matrix, gamma, and C or alpha if they were chosen."""
    names = ("gamma", *(name for name in ("alpha", "C") if name in header))
    return {**_read_matrix(header), **{name: _positive(name, header[name]) for name in names}}


def _read_matrix(header: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of a matrix, in the order of the file: its depth, and others if they were chosen."""
    depth = header["depth"]
    if type(depth) is not int or not 0 <= depth <= _MAX_DEPTH:
        raise ValueError(f"the depth is {depth!r}")
    for name, choices in _CHOICES.items():
        if name in header and (header[name] not in choices or type(header[name]) is not type(choices[0])):
            raise ValueError(f"{name} is {header[name]!r}, not one of {choices}")
    chosen = {name: value for name, value in header.items() if name in (*_CHOICES, "depth", "metric")}
    for name, largest in (("size_weight", _LARGEST), ("column_weight", _LARGEST), ("label_weight", 1.0)):
        if name in header:
            chosen[name] = number_between(name, header[name], 0, largest)
    if "power" in header:
        chosen["power"] = _positive("power", header["power"])
    return {name: chosen[name] for name in header if name in chosen}


def _positive(name: str, value: Any) -> float:
    """Return a number from a file; raise an error unless it is positive."""
    return number_between(name, value, _SMALLEST, _LARGEST)
