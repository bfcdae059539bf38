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
        degrees=bool(header.get("degrees", False)),
    )


def _features(name: str) -> Features:
    if name not in list(Features):
        raise ValueError(f"features is {name!r}, not one of {tuple(str(f) for f in Features)}")
    return Features(name)
