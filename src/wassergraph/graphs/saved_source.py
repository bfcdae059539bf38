"""How graphs were read, which models and indexes keep, so that new graphs are read in the same way."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wassergraph.errors import InputTypeError, Option


def read_source(source: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return how graphs were read, as JSON holds it; raise an error if it cannot.

    Parameters
    ----------
    source : mapping or None
        Texts, numbers, booleans, None, lists of texts or of numbers, or further mappings of these, by name.

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
    return {name: _plain(name, value) for name, value in (source or {}).items()}


def _plain(name: object, value: object) -> Any:
    if not isinstance(name, str):
        raise InputTypeError(f"the names of {{}} must be text, got {name!r}", options=[Option("source")])
    if isinstance(value, Mapping):
        return read_source(value)
    if isinstance(value, list | tuple) and all(isinstance(each, str | int | float) for each in value):
        return list(value)
    if value is None or isinstance(value, str | bool | int | float):
        return value
    problem = f"{{}} may have texts, numbers and lists of these, but {name!r} is {value!r}"
    raise InputTypeError(problem, options=[Option("source")])
