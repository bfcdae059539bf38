"""Depths: one number of Weisfeiler–Lehman iterations, or several."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Literal, TypeAlias

import numpy as np

from wassergraph.errors import InputError, InputTypeError, Option

#: One depth, several, or what is best for the purpose: 3 for distances, while models choose from 0 to 7.
Depth: TypeAlias = int | Sequence[int] | Literal["auto"]
#: The depth of distances, if no other is given.
DEFAULT = 3


def check_depths(depth: object) -> list[int]:
    """Return depths as a list, 3 for "auto"; raise an error unless they are whole numbers of at least 0."""
    if isinstance(depth, str) and depth == "auto":
        return [DEFAULT]
    problem = f"{{}} must be a whole number of at least 0, or a sequence of such numbers, got {depth!r}"
    try:
        depths = [operator.index(h) for h in depth] if np.ndim(depth) else [operator.index(depth)]  # type: ignore[arg-type,attr-defined]
    except TypeError:
        raise InputTypeError(problem, options=[Option("depth")]) from None
    if not depths or min(depths) < 0:
        raise InputError(problem, options=[Option("depth")])
    return depths


def single_depth(depth: Depth) -> int:
    """Return the only depth; raise an error if there are several."""
    depths = check_depths(depth)
    if np.ndim(depth):
        raise InputTypeError(f"{{}} must be one whole number here, got {depth!r}", options=[Option("depth")])
    return depths[0]


def deepest(depth: Depth) -> int:
    """Return the largest of several depths."""
    return max(check_depths(depth))
