"""Parts of a state that several models share: parameters, scores and the chosen candidate; every part is checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Protocol, get_args

import numpy as np

from wassergraph.embedding.node_embedding import Mass
from wassergraph.graphs.saved_values import Arrays, number_between, present
from wassergraph.learning.grid import Grid, GridScores

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
    return present({f"arrays/{name}": getattr(scores, name, None) for name in _SCORE_ARRAYS})


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
