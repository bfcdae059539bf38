"""What a model was trained on: the name of its target, and how its graphs were read.

A model keeps both, so that new graphs are read in the same way, and predictions are compared with the right column.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wassergraph.errors import InputTypeError, Option


def read_target_name(name: object, y: object) -> str | None:
    """Return what is predicted: the name that is given, or else that of a column of pandas; None if there is none."""
    if name is None:
        own = getattr(y, "name", None)
        return own if isinstance(own, str) else None
    if not isinstance(name, str):
        raise InputTypeError(f"{{}} must be text, got {name!r}", options=[Option("target_name")])
    return name


def read_source(source: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return how graphs were read, as JSON holds it; raise an error if it cannot.

    Parameters
    ----------
    source : mapping or None
        Texts, numbers, booleans, None or lists of texts, by name.

    Returns
    -------
    dict
        The same with lists as lists; empty for None.

    Examples
    --------
    >>> read_source({"smiles_column": "smiles", "node_attributes": ("x", "y")})
    {'smiles_column': 'smiles', 'node_attributes': ['x', 'y']}
    """
    if not isinstance(source, Mapping | None):
        raise InputTypeError(f"{{}} must be a dictionary, got {source!r}", options=[Option("source")])
    return {_text(name): _plain(name, value) for name, value in (source or {}).items()}


def _text(name: object) -> str:
    if not isinstance(name, str):
        raise InputTypeError(f"the names of {{}} must be text, got {name!r}", options=[Option("source")])
    return name


def _plain(name: str, value: object) -> Any:
    if isinstance(value, list | tuple) and all(isinstance(each, str) for each in value):
        return list(value)
    if value is None or isinstance(value, str | bool | int | float):
        return value
    problem = f"{{}} may have texts, numbers and lists of texts, but {name!r} is {value!r}"
    raise InputTypeError(problem, options=[Option("source")])
