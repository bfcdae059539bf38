"""Numbers with a sign, such as ">10" and "~5": measurements that are bounds, or approximate.

A value is censored if only a bound of it is known: ">10" is at least 10, and "<0.1" at most 0.1. "≥", ">=", "≤" and
"<=" are read as ">" and "<", since a value that is measured on a continuous scale is hardly ever its bound. "~5" and
"ca. 5" are measured, if not precisely: they are not censored, and are read as the number, and counted apart.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from wassergraph.arrays import IntArray

#: What to do with numbers that have a sign: stop, leave out those that are censored, read all as the numbers, or the
#: same, and learn from those that are censored as what they are.
Censored: TypeAlias = Literal["error", "drop", "value", "likelihood"]
#: What signs are counted as.
_SIGNS = {
    **dict.fromkeys((">", ">=", "=>", ">>", "≥", "⩾"), ">"),
    **dict.fromkeys(("<", "<=", "=<", "<<", "≤", "⩽"), "<"),
    **dict.fromkeys(("~", "≈", "ca.", "ca", "approx."), "~"),
}
_SIGN = re.compile("|".join(re.escape(sign) for sign in sorted(_SIGNS, key=len, reverse=True)), re.IGNORECASE)
#: On which side of the number the value is: below, above, or 0 if the value is the number.
_SIDES = {"<": -1, ">": 1}
_OUTCOMES = {"drop": "left out", "value": "read as the numbers", "likelihood": "learned as bounds"}


@dataclass(frozen=True)
class Censoring:
    """What was done with the values of a column that have a sign.

    Attributes
    ----------
    how : "drop", "value" or "likelihood"
        Whether those that are censored were left out, read as the numbers, or are learned as bounds.
    counts : dict of int
        The number of values that are above a number, ">", below one, "<", and approximate, "~"; without zeros.
    """

    how: str
    counts: dict[str, int]

    @classmethod
    def of(cls, signs: Sequence[str], how: str) -> Censoring | None:
        """Return the counts of signs; None if there are none."""
        counts = {sign: signs.count(sign) for sign in (">", "<", "~") if sign in signs}
        return cls(how, counts) if counts else None

    @property
    def n_censored(self) -> int:
        """The number of values of which only a bound is known."""
        return sum(number for sign, number in self.counts.items() if sign in _SIDES)

    def describe(self, name: str) -> str:
        """Return the counts in words, with the name of the column.

        Examples
        --------
        >>> print(Censoring("drop", {">": 30, "<": 5, "~": 2}).describe("IC50"))
        35 values of 'IC50' are censored (>: 30, <: 5): left out; 2 values are approximate (~): read as the numbers
        """
        listed = ", ".join(f"{sign}: {number:,}" for sign, number in self.counts.items() if sign in _SIDES)
        column, parts = f" of {name!r}", list[str]()
        if listed:
            parts.append(f"{_values_are(self.n_censored, column)} censored ({listed}): {_OUTCOMES[self.how]}")
        if "~" in self.counts:
            column = "" if listed else column
            parts.append(f"{_values_are(self.counts['~'], column)} approximate (~): {_OUTCOMES['value']}")
        return "; ".join(parts)

    def to_dict(self) -> dict[str, Any]:
        """Return the same as a plain dictionary, ready for JSON."""
        return {"how": self.how, "counts": self.counts}


def _values_are(number: int, column: str) -> str:
    return f"{number:,} value{column} is" if number == 1 else f"{number:,} values{column} are"


def split_sign(cell: str) -> tuple[str, str]:
    """Return the sign that a cell begins with, as it is counted, and the rest; without a sign "" and the cell.

    Examples
    --------
    >>> split_sign(">= 10"), split_sign("≤0.1"), split_sign("ca. 5"), split_sign("-5")
    (('>', '10'), ('<', '0.1'), ('~', '5'), ('', '-5'))
    """
    found = _SIGN.match(cell)
    return ("", cell) if found is None else (_SIGNS[found[0].lower()], cell[found.end() :].lstrip())


def sides(signs: Sequence[str]) -> IntArray:
    """Return on which side of its number each value is: -1 below, 1 above, 0 if the value is the number."""
    return np.array([_SIDES.get(sign, 0) for sign in signs], dtype=np.int64)
