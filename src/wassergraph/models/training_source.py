"""The name of the target of a model, with the column of which predictions are compared."""

from __future__ import annotations

from wassergraph.errors import InputTypeError, Option


def read_target_name(name: object, y: object) -> str | None:
    """Return what is predicted: the name that is given, or else that of a column of pandas; None if there is none."""
    if name is None:
        own = getattr(y, "name", None)
        return own if isinstance(own, str) else None
    if not isinstance(name, str):
        raise InputTypeError(f"{{}} must be text, got {name!r}", options=[Option("target_name")])
    return name
