"""Parts of a state that several models share: parameters, the scheme, graphs and scores; every part is checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any, Protocol, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from wassergraph.arrays import FloatArray
from wassergraph.embedding.attributes import Isolated
from wassergraph.embedding.node_embedding import EmbeddingKind, Features, Mass
from wassergraph.embedding.scheme import Scheme
from wassergraph.graphs.batch import GraphBatch
from wassergraph.learning.grid import Grid, GridScores

Arrays: TypeAlias = dict[str, NDArray[Any]]

_GRAPH_ARRAYS = ("node_ptr", "indptr", "indices", "node_labels", "node_attributes", "edge_weights", "edge_labels")
_SCHEME_ARRAYS = ("alphabet", "mean", "scale")
_SCORE_ARRAYS = ("score", "seconds", "steps")
#: Parameters that a file keeps as they are; a splitter or a random generator becomes the default.
_PLAIN = (int, float, str, bool, type(None))
#: Parameters of the computer on which the model runs, which are not part of the model.
_LOCAL = ("n_jobs", "progress")
#: The largest depth that a file may have: a larger one would only exhaust the memory.
_MAX_DEPTH = 10_000


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


# Scheme


def scheme_to_json(scheme: Scheme) -> dict[str, Any]:
    """Return the fields of a scheme that are not arrays."""
    return {field.name: getattr(scheme, field.name) for field in fields(Scheme) if field.name not in _SCHEME_ARRAYS}


def scheme_arrays(scheme: Scheme) -> Arrays:
    """Return the arrays of a scheme."""
    return _present({f"arrays/{name}": getattr(scheme, name) for name in _SCHEME_ARRAYS})


def read_scheme(header: Mapping[str, Any], arrays: Arrays) -> Scheme:
    """Return the scheme of a file."""
    for name, choices in [("kind", get_args(EmbeddingKind)), ("isolated", get_args(Isolated))]:
        if header[name] not in choices:
            raise ValueError(f"{name} is {header[name]!r}, not one of {choices}")
    if header["edge_weights"] not in (True, False, None):
        raise ValueError(f"edge_weights is {header['edge_weights']!r}, neither true nor false")
    if header.get("mass", "share") not in get_args(Mass):
        raise ValueError(f"mass is {header['mass']!r}, not one of {get_args(Mass)}")
    dim = int(header["n_attributes"])
    alphabet = arrays.get("arrays/alphabet")
    if alphabet is not None and (alphabet.dtype != np.int64 or alphabet.shape != (dim,)):
        raise ValueError(f"the alphabet should be {dim} labels, but is {alphabet.dtype} {alphabet.shape}")
    return Scheme(
        kind=header["kind"],
        features=_features(header["features"]),
        n_attributes=dim,
        alphabet=alphabet,
        mean=finite_floats(arrays, "mean", (dim,)) if "arrays/mean" in arrays else None,
        scale=finite_floats(arrays, "scale", (dim,)) if "arrays/scale" in arrays else None,
        isolated=header["isolated"],
        label_weight=number_between("label_weight", header["label_weight"], 0, 1),
        salt=int(header["salt"]),
        edge_weights=header["edge_weights"],
        # Files of earlier versions do not have these.
        mass=header.get("mass", "share"),
        unmatched=number_between("unmatched", header.get("unmatched", 0.5), 0, float(np.finfo(float).max)),
        size_weight=number_between("size_weight", header.get("size_weight", 0.0), 0, float(np.finfo(float).max)),
    )


def _features(name: str) -> Features:
    if name not in list(Features):
        raise ValueError(f"features is {name!r}, not one of {tuple(str(f) for f in Features)}")
    return Features(name)


# Graphs


def graph_arrays(graphs: GraphBatch) -> Arrays:
    """Return the arrays of graphs."""
    return _present({f"graphs/{name}": getattr(graphs, name) for name in _GRAPH_ARRAYS})


def read_graphs(arrays: Arrays, *, molecules: bool) -> GraphBatch:
    """Return the graphs of a file, validated as all graphs are."""
    present: dict[str, Any] = {name: arrays[f"graphs/{name}"] for name in _GRAPH_ARRAYS if f"graphs/{name}" in arrays}
    return GraphBatch(**present, molecules=molecules)


# Scores


def grid_to_json(scores: GridScores | None) -> dict[str, Any] | None:
    """Return the candidates of a selection."""
    if scores is None:
        return None
    grid = scores.grid
    return {
        "depths": sorted({matrix["depth"] for matrix in grid.matrices}),
        "gammas": grid.gammas,
        "C_values": grid.C_values,
        "masses": list(dict.fromkeys(matrix["mass"] for matrix in grid.matrices if "mass" in matrix)),
        "penalty": grid.penalty,
    }


def score_arrays(scores: GridScores | None) -> Arrays:
    """Return the arrays of the scores of a selection."""
    return _present({f"arrays/{name}": getattr(scores, name, None) for name in _SCORE_ARRAYS})


def read_scores(header: Mapping[str, Any] | None, arrays: Arrays) -> GridScores | None:
    """Return the scores of a selection; None if there was none."""
    if header is None:
        return None
    # Files of earlier versions have neither masses nor penalties.
    parts = header["depths"], header["gammas"], header["C_values"], header.get("masses", [])
    grid = replace(Grid.of_depths(*(tuple(part) for part in parts)), penalty=bool(header.get("penalty", False)))
    score, seconds, steps = (arrays[f"arrays/{name}"] for name in _SCORE_ARRAYS)
    if any(array.ndim != 4 or array.shape[:3] != grid.shape for array in (score, seconds, steps)):
        raise ValueError("the scores do not fit the candidates")
    return GridScores(grid, score, seconds, steps)


# Numbers


def read_candidate(header: Mapping[str, Any]) -> dict[str, Any]:
    """Return the chosen depth and gamma, and the mass, C or alpha if they were chosen."""
    depth, largest = header["depth"], float(np.finfo(float).max)
    if not isinstance(depth, int) or not 0 <= depth <= _MAX_DEPTH:
        raise ValueError(f"the depth is {depth!r}")
    if header.get("mass", "share") not in get_args(Mass):
        raise ValueError(f"mass is {header['mass']!r}, not one of {get_args(Mass)}")
    chosen = {"mass": header["mass"]} if "mass" in header else {}
    names = ("gamma", *(name for name in ("alpha", "C") if name in header))
    numbers = {name: number_between(name, header[name], 0, largest) for name in names}
    return {**chosen, "depth": depth, **numbers}


def number_between(name: str, value: Any, least: float, most: float) -> float:
    """Return a number from a header; raise an error unless it lies between two limits."""
    if not least <= float(value) <= most:
        raise ValueError(f"{name} is {value!r}, which does not lie between {least} and {most:g}")
    return float(value)


def finite_floats(arrays: Arrays, name: str, shape: tuple[int, ...]) -> FloatArray:
    """Return an array of a file; raise an error unless it has this shape and holds finite floats."""
    array = arrays[f"arrays/{name}"]
    if array.dtype != np.float64 or array.shape != shape or not np.isfinite(array).all():
        raise ValueError(f"{name} should be {shape} finite numbers, but is {array.dtype} {array.shape}")
    return np.ascontiguousarray(array)


def _present(arrays: Mapping[str, NDArray[Any] | None]) -> Arrays:
    return {name: array for name, array in arrays.items() if array is not None}
