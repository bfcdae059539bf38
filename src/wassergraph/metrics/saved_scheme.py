"""A scheme in a file: numbers and names in the header, arrays beside it; every part is checked when it is read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, get_args

import numpy as np

from wassergraph.graphs.saved_values import Arrays, finite_floats, number_between, present
from wassergraph.metrics.attributes import Isolated
from wassergraph.metrics.node_embedding import EmbeddingKind, Features, Mass
from wassergraph.metrics.scheme import Scheme

_SCHEME_ARRAYS = ("alphabet", "mean", "scale")
_LARGEST = float(np.finfo(float).max)
#: The largest values of some numbers.
_NUMBERS = {"label_weight": 1.0, "unmatched": _LARGEST, "size_weight": _LARGEST}


def scheme_to_json(scheme: Scheme) -> dict[str, Any]:
    """Return the fields of a scheme that are not arrays."""
    return {field.name: getattr(scheme, field.name) for field in fields(Scheme) if field.name not in _SCHEME_ARRAYS}


def scheme_arrays(scheme: Scheme) -> Arrays:
    """Return the arrays of a scheme."""
    return present({f"arrays/{name}": getattr(scheme, name) for name in _SCHEME_ARRAYS})


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
    # Files of earlier versions do not have all fields.
    names = [field.name for field in fields(Scheme) if field.name not in _SCHEME_ARRAYS]
    saved: dict[str, Any] = {"label_weight": header["label_weight"]} | {
        name: header[name] for name in names if name in header
    }
    saved |= {
        name: number_between(name, saved[name], 0, largest) for name, largest in _NUMBERS.items() if name in saved
    }
    saved |= {"features": _features(header["features"]), "n_attributes": dim, "salt": int(header["salt"])}
    saved["degrees"] = bool(header.get("degrees", False))
    saved |= {name: finite_floats(arrays, name, (dim,)) for name in ("mean", "scale") if f"arrays/{name}" in arrays}
    return Scheme(**saved, alphabet=alphabet)


def _features(name: str) -> Features:
    if name not in list(Features):
        raise ValueError(f"features is {name!r}, not one of {tuple(str(f) for f in Features)}")
    return Features(name)
