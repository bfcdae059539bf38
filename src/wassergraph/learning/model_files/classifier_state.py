"""What a fitted classifier knows, as plain numbers and arrays; and back again, with every piece checked."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from wassergraph.embedding.attributes import Isolated
from wassergraph.embedding.scheme import Scheme
from wassergraph.graphs.batch import GraphBatch
from wassergraph.learning.selection import Grid, GridScores

_GRAPH_ARRAYS = ("node_ptr", "indptr", "indices", "node_labels", "node_attributes", "edge_weights")
_SCHEME_ARRAYS = ("alphabet", "mean", "scale")
_SCORE_ARRAYS = ("accuracy", "seconds", "steps")
_FEATURES = ("node labels", "node attributes", "one-hot labels", "degrees", "node labels and node attributes")
#: Parameters that a file keeps as they are; a splitter or a generator of random numbers becomes the default.
_PLAIN = (int, float, str, bool, type(None))
#: Parameters that belong to the machine the model runs on, not to the model.
_LOCAL = ("n_jobs", "progress")
#: Parameters by the names that they had in earlier files.
_FORMER_NAMES = {"standardise": "standardize"}
#: The largest depth that a file may ask for: more would be no model but an attack on the memory.
_DEEPEST = 10_000


def state_of(model: Any) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Take a fitted classifier apart: what fits into JSON, and arrays by name."""
    if model.classes_.dtype.kind not in "iubUf":
        raise TypeError(f"classes of the type {model.classes_.dtype} cannot be saved: use numbers or texts")
    header = {
        "parameters": _parameters(model),
        "best_params": model.best_params_,
        "best_score": model.best_score_,
        "majority_score": model.majority_score_,
        "n_negative": model.n_negative_,
        "negative_mass": model.negative_mass_,
        "n_train": model.n_train_,
        "seconds": model.seconds_,
        "scheme": {f.name: getattr(model.scheme_, f.name) for f in fields(Scheme) if f.name not in _SCHEME_ARRAYS},
        "grid": None if model.grid_scores_ is None else _candidates(model.grid_scores_.grid),
    }
    return header, _arrays(model)


def _parameters(model: Any) -> dict[str, Any]:
    kept = {}
    for name, value in model.get_params(deep=False).items():
        plain = np.asarray(value).tolist() if _is_numbers(value) else value
        if name not in _LOCAL and (isinstance(plain, _PLAIN) or plain is not value):
            kept[name] = plain
    return kept


def _is_numbers(value: Any) -> bool:
    """Whether it is a number of numpy's, or a row of numbers."""
    if not isinstance(value, range | list | tuple | np.ndarray | np.generic):
        return False
    return all(
        isinstance(item, int | float | np.number | np.bool_) for item in np.atleast_1d(np.asarray(value, object))
    )


def _arrays(model: Any) -> dict[str, NDArray[Any]]:
    arrays: dict[str, Any] = {
        "arrays/classes": model.classes_,
        "arrays/dual_coef": model.dual_coef_,
        "arrays/intercept": model.intercept_,
        "arrays/sigmoids": model.sigmoids_,
        **{f"arrays/{name}": getattr(model.scheme_, name) for name in _SCHEME_ARRAYS},
        **{f"arrays/{name}": getattr(model.grid_scores_, name, None) for name in _SCORE_ARRAYS},
        **{f"graphs/{name}": getattr(model.graphs_, name) for name in _GRAPH_ARRAYS},
    }
    return {name: array for name, array in arrays.items() if array is not None}


def restore(model: Any, header: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> GraphBatch:
    """Give an unfitted classifier what another one knew, but for the support graphs, which are returned."""
    known = model.get_params(deep=False)
    given = {_FORMER_NAMES.get(name, name): value for name, value in header["parameters"].items()}
    model.set_params(**{name: value for name, value in given.items() if name in known and name not in _LOCAL})
    model.classes_ = arrays["arrays/classes"]
    if model.classes_.ndim != 1 or len(np.unique(model.classes_)) != len(model.classes_) or len(model.classes_) < 2:
        raise ValueError("the classes are not two or more different values")
    best = header["best_params"]
    model.best_params_ = {
        "depth": _depth(best["depth"]),
        "gamma": _between("gamma", best["gamma"], 0, np.finfo(float).max),
        "C": _between("C", best["C"], 0, np.finfo(float).max),
    }
    for name in ("majority_score", "negative_mass"):
        setattr(model, f"{name}_", float(header[name]))
    for name in ("n_negative", "n_train"):
        setattr(model, f"{name}_", int(header[name]))
    model.best_score_ = None if header["best_score"] is None else float(header["best_score"])
    model.seconds_ = {str(step): float(seconds) for step, seconds in header["seconds"].items()}
    model.refit_time_ = model.seconds_["training"]
    model.scheme_ = _scheme(header["scheme"], arrays)
    _restore_scores(model, header["grid"], arrays)
    graphs = GraphBatch(**{name: arrays[f"graphs/{name}"] for name in _GRAPH_ARRAYS if f"graphs/{name}" in arrays})
    n_pairs = len(model.classes_) * (len(model.classes_) - 1) // 2
    model.dual_coef_ = _floats(arrays, "dual_coef", (n_pairs, len(graphs)))
    model.intercept_ = _floats(arrays, "intercept", (n_pairs,))
    model.sigmoids_ = _floats(arrays, "sigmoids", (n_pairs, 2))
    return graphs


def _depth(depth: Any) -> int:
    if not isinstance(depth, int) or not 0 <= depth <= _DEEPEST:
        raise ValueError(f"the depth is {depth!r}")
    return depth


def _between(name: str, value: Any, least: float, most: float) -> float:
    if not least <= float(value) <= most:
        raise ValueError(f"{name} is {value!r}, which does not lie between {least} and {most:g}")
    return float(value)


def _floats(arrays: dict[str, NDArray[Any]], name: str, shape: tuple[int, ...]) -> NDArray[np.float64]:
    array = arrays[f"arrays/{name}"]
    if array.dtype != np.float64 or array.shape != shape or not np.isfinite(array).all():
        raise ValueError(f"{name} should be {shape} finite numbers, but is {array.dtype} {array.shape}")
    return np.ascontiguousarray(array)


def _scheme(given: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Scheme:
    kinds = ("categorical", "continuous", "joint")
    for name, choices in [("kind", kinds), ("isolated", get_args(Isolated)), ("features", _FEATURES)]:
        if given[name] not in choices:
            raise ValueError(f"{name} is {given[name]!r}, which is none of {choices}")
    if given["edge_weights"] not in (True, False, None):
        raise ValueError(f"edge_weights is {given['edge_weights']!r}, which is neither true nor false")
    dim = int(given["n_attributes"])
    alphabet = arrays.get("arrays/alphabet")
    if alphabet is not None and (alphabet.dtype != np.int64 or alphabet.shape != (dim,)):
        raise ValueError(f"the alphabet should be {dim} labels, but is {alphabet.dtype} {alphabet.shape}")
    return Scheme(
        kind=given["kind"],
        features=given["features"],
        n_attributes=dim,
        alphabet=alphabet,
        mean=_floats(arrays, "mean", (dim,)) if "arrays/mean" in arrays else None,
        scale=_floats(arrays, "scale", (dim,)) if "arrays/scale" in arrays else None,
        isolated=given["isolated"],
        label_weight=_between("label_weight", given["label_weight"], 0, 1),
        salt=int(given["salt"]),
        edge_weights=given["edge_weights"],
    )


def _candidates(grid: Grid) -> dict[str, Any]:
    return {"depths": [matrix["depth"] for matrix in grid.matrices], "gammas": grid.gammas, "costs": grid.costs}


def _restore_scores(model: Any, given: dict[str, Any] | None, arrays: dict[str, NDArray[Any]]) -> None:
    model.grid_scores_, model.cv_results_ = None, {}
    if given is None:
        return
    grid = Grid.of_depths(*(tuple(given[name]) for name in ("depths", "gammas", "costs")))
    scores = [arrays[f"arrays/{name}"] for name in _SCORE_ARRAYS]
    if any(array.ndim != 4 or array.shape[:3] != grid.shape for array in scores):
        raise ValueError("the scores do not fit the candidates")
    model.grid_scores_ = GridScores(grid, *scores)
    model.cv_results_ = model.grid_scores_.table()
