"""Labels of any kind → the integers of a batch.

An integer stays as it is. Strings, and tuples of integers and strings, become 64-bit hashes of their content: the same
label gets the same integer in every file, process and computer, so graphs that were read separately can be compared
without a shared dictionary. The probability that two of a million different labels share a hash is 1 in 37 million;
within a batch it is checked. The vocabulary of the batch keeps what the labels were.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from hashlib import blake2b
from typing import Any, NamedTuple, Self

import numpy as np

from wassergraph.arrays import IntArray
from wassergraph.errors import InputError, InputTypeError

_INTEGERS = (int, np.integer, np.bool_)


class Labels(NamedTuple):
    """Labels as integers, and the names of those that were texts."""

    codes: IntArray
    names: dict[int, str]

    @classmethod
    def of(cls, values: Sequence[Any]) -> Self:
        """Return labels of any kind."""
        return cls(encode_labels(values), names_of_labels(values))


class LabelTypeError(InputTypeError):
    """A label is of a type that cannot be a label; ``label`` is the original label."""

    label: object = None


def encode_label(label: Hashable) -> int:
    """Return the integer that stands for a label.

    Parameters
    ----------
    label : int, str, or tuple of these
        The label.

    Returns
    -------
    int
        The label itself if it is an integer, otherwise a hash.

    Examples
    --------
    >>> encode_label(6)
    6
    >>> encode_label("C") == encode_label("C"), encode_label("C") == encode_label("Cl")
    (True, False)
    """
    if isinstance(label, _INTEGERS):
        if not -(2**63) <= int(label) < 2**63:
            raise InputError(f"the label {label} does not fit into 64 bits", remedy="use a smaller number or a string")
        return int(label)
    try:
        return int.from_bytes(blake2b(_canonical(label).encode(), digest_size=8).digest(), signed=True)
    except LabelTypeError as error:
        error.label = label
        raise


def encode_labels(labels: Sequence[Hashable]) -> IntArray:
    """Return the integers (n) that stand for n labels."""
    codes = [encode_label(label) for label in labels]
    label_of_code: dict[int, Hashable] = {}
    for code, label in zip(codes, labels, strict=True):
        if label_of_code.setdefault(code, label) != label:
            problem = f"the labels {label_of_code[code]!r} and {label!r} have the same hash {code}"
            raise InputError(problem, remedy="rename one of them")
    return np.array(codes, dtype=np.int64)


def names_of_labels(labels: Iterable[Hashable]) -> dict[int, str]:
    """Return the names of labels that are not integers, by the integers that stand for them.

    Examples
    --------
    >>> names_of_labels([6, "C"]) == {encode_label("C"): "C"}
    True
    >>> list(names_of_labels([("C", 3)]).values())
    ['(C, 3)']
    """
    distinct = {label for label in labels if not isinstance(label, _INTEGERS)}
    return {encode_label(label): label if isinstance(label, str) else _tuple_name(label) for label in distinct}


def _tuple_name(label: Hashable) -> str:
    return f"({', '.join(map(_tuple_name, label))})" if isinstance(label, tuple) else str(label)


def tuple_labels(columns: IntArray) -> IntArray:
    """Return one label per distinct row of a table (n, columns); a single column stays as it is."""
    if columns.shape[1] == 1:
        return columns[:, 0]
    distinct, inverse = np.unique(columns, axis=0, return_inverse=True)
    return encode_labels([tuple(row) for row in distinct.tolist()])[inverse.reshape(-1)]


def _canonical(label: object) -> str:
    """Return a string that differs for different labels, also of different types."""
    if isinstance(label, _INTEGERS):
        return f"i{int(label)};"
    if isinstance(label, str):
        return f"s{len(label)}:{label};"
    if isinstance(label, tuple):
        return f"t{len(label)}:{''.join(_canonical(part) for part in label)};"
    raise LabelTypeError(
        f"a label must be an integer, a string or a tuple of these, got {label!r} of the type {type(label).__name__}",
        remedy="read real numbers as attributes",
    )
