"""Labels of any sort, to the integers that a batch holds.

An integer stays as it is. Text, and tuples of integers and texts, become 64-bit hashes of their content: the same
label gets the same integer in every file, process and machine, so graphs that were read apart can be compared without a
shared dictionary. That two of a million different labels share a hash has odds of one to 37 million; within a graph it
is checked.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

_INTEGERS = (int, np.integer, np.bool_)


def encode_label(label: Hashable) -> int:
    """Give the integer that stands for one label.

    Examples
    --------
    >>> encode_label(6)
    6
    >>> encode_label("C") == encode_label("C"), encode_label("C") == encode_label("Cl")
    (True, False)
    """
    if isinstance(label, _INTEGERS):
        if not -(2**63) <= int(label) < 2**63:
            raise ValueError(f"the label {label} does not fit into 64 bits: use a smaller number, or a text")
        return int(label)
    return int.from_bytes(blake2b(_canonical(label).encode(), digest_size=8).digest(), signed=True)


def encode_labels(labels: Sequence[Hashable]) -> NDArray[np.int64]:
    """Give the integers (n) that stand for n labels."""
    codes = [encode_label(label) for label in labels]
    meaning: dict[int, Hashable] = {}
    for code, label in zip(codes, labels, strict=True):
        if meaning.setdefault(code, label) != label:
            raise ValueError(f"the labels {meaning[code]!r} and {label!r} share the code {code}: rename one of them")
    return np.array(codes, dtype=np.int64)


def tuple_labels(columns: NDArray[np.int64]) -> NDArray[np.int64]:
    """Give one label per distinct row of a table (n, columns); a single column stays as it is."""
    if columns.shape[1] == 1:
        return columns[:, 0]
    distinct, inverse = np.unique(columns, axis=0, return_inverse=True)
    return encode_labels([tuple(row) for row in distinct.tolist()])[inverse.reshape(-1)]


def _canonical(label: Any) -> str:
    """Write a label so that different labels, also of different types, are written differently."""
    if isinstance(label, _INTEGERS):
        return f"i{int(label)};"
    if isinstance(label, str):
        return f"s{len(label)}:{label};"
    if isinstance(label, tuple):
        return f"t{len(label)}:{''.join(_canonical(part) for part in label)};"
    raise TypeError(
        f"a label must be an integer, a text or a tuple of these, got {label!r} ({type(label).__name__}); "
        "real numbers are attributes"
    )
