"""Depths: one number of Weisfeiler–Lehman iterations, or several."""

from __future__ import annotations

import operator
from collections.abc import Sequence

import numpy as np

from wassergraph.errors import InputError, InputTypeError, Option


def check_depths(depth: object) -> list[int]:
    """Return one depth, or several, as a list; raise an error unless they are whole numbers of at least 0."""
    problem = f"{{}} must be a whole number of at least 0, or a sequence of such numbers, got {depth!r}"
    try:
        depths = [operator.index(h) for h in depth] if np.ndim(depth) else [operator.index(depth)]  # type: ignore[arg-type,attr-defined]
    except TypeError:
        raise InputTypeError(problem, options=[Option("depth")]) from None
    if not depths or min(depths) < 0:
        raise InputError(problem, options=[Option("depth")])
    return depths


def single_depth(depth: int | Sequence[int]) -> int:
    """Return the only depth; raise an error if there are several."""
    depths = check_depths(depth)
    if np.ndim(depth):
        raise InputTypeError(f"{{}} must be one whole number here, got {depth!r}", options=[Option("depth")])
    return depths[0]


def deepest(depth: int | Sequence[int]) -> int:
    """Return the largest of several depths."""
    return max(check_depths(depth))
