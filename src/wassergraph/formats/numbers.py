"""Tables of numbers in text, to arrays: millions of rows without a Python loop, and a word on the first bad line."""

from __future__ import annotations

import re
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

_COMMA, _NEWLINE, _SPACE = b",\n "
_NUMBER = re.compile(rb"[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|nan|inf(?:inity)?)", re.IGNORECASE)
_INT64 = np.iinfo(np.int64)


def parse_floats(data: bytes, file: str) -> NDArray[np.float64]:
    """Read a table of real numbers (rows, columns); ``file`` is what errors call it."""
    text, columns = _regular_text(data, file)
    return _parse(text, columns, file, np.float64)


def parse_numbers(data: bytes, file: str) -> NDArray[np.int64] | NDArray[np.float64]:
    """Read a table (rows, columns) of integers if it holds nothing else, of real numbers otherwise."""
    text, columns = _regular_text(data, file)
    values = _convert(text, np.int64)
    # A number too large for 64 bits comes out as the largest or smallest that fits.
    if values.size == columns * text.count(b"\n") and values.max() < _INT64.max and values.min() > _INT64.min:
        return values.reshape(-1, columns)
    return _parse(text, columns, file, np.float64)


def parse_integers(data: bytes, file: str) -> NDArray[np.int64]:
    """Read a table (rows, columns) of integers; ``1.0`` is one, ``0.5`` is an error."""
    values = parse_numbers(data, file)
    if values.dtype == np.int64:
        return values.astype(np.int64, copy=False)
    # Beyond 2**53 a real number no longer tells one integer from the next.
    wrong = np.argwhere(~((values == np.floor(values)) & (np.abs(values) <= 2**53)))
    if wrong.size:
        row, column = wrong[0]
        raise ValueError(f"{file}, line {row + 1}: {values[row, column]} is not an integer of at most 64 bits")
    return values.astype(np.int64)


def _regular_text(data: bytes, file: str) -> tuple[bytes, int]:
    """Bring a table into one form, commas between fields and a newline after each row of equally many fields."""
    text = data.removeprefix(b"\xef\xbb\xbf")
    if b"\r" in text:
        text = text.replace(b"\r\n", b"\n")
    text = text.rstrip() + b"\n"
    if text == b"\n":
        raise ValueError(f"{file} is empty: every row is missing")
    first = text[: text.index(b"\n")]
    if b"," not in first and len(first.split()) > 1:
        text = re.sub(rb"[ \t]+", b",", re.sub(rb"[ \t]*\n[ \t]*", b"\n", text.lstrip(b" \t")))
        first = text[: text.index(b"\n")]
    columns = first.count(b",") + 1
    if not _is_regular(text, columns):
        raise _explain(text, columns, file)
    return text, columns


def _is_regular(text: bytes, columns: int) -> bool:
    """Whether each line has ``columns`` fields and each field exactly one word."""
    characters = np.frombuffer(text, dtype=np.uint8)
    comma = characters == _COMMA
    ends = np.flatnonzero(comma | (characters == _NEWLINE))
    if len(ends) % columns or not (comma[ends].reshape(-1, columns) == (np.arange(columns) < columns - 1)).all():
        return False
    word = (characters > _SPACE) & ~comma
    begins = np.flatnonzero(word & ~np.concatenate([[False], word[:-1]]))
    return len(begins) == len(ends) and bool((begins < ends).all() and (begins[1:] > ends[:-1]).all())


def _parse(text: bytes, columns: int, file: str, dtype: type[np.generic]) -> NDArray[Any]:
    values = _convert(text, dtype)
    if values.size != columns * text.count(b"\n"):
        raise _explain(text, columns, file)
    return values.reshape(-1, columns)


def _convert(text: bytes, dtype: type[np.generic]) -> NDArray[Any]:
    """Convert up to the first word that is no number; who calls compares how many came out."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # numpy warns of the bad word that we report ourselves
        return np.fromstring(text.replace(b",", b" "), dtype=dtype, sep=" ")


def _explain(text: bytes, columns: int, file: str) -> ValueError:
    """Find the first line that is not right, and say why."""
    for number, line in enumerate(text.splitlines(), start=1):
        words = line.split(b",")
        if not line.strip():
            return ValueError(f"{file}, line {number}: the line is blank; every row must have its {columns} value(s)")
        if len(words) != columns:
            return ValueError(f"{file}, line {number}: {len(words)} value(s) where the first line has {columns}")
        bad = next((word for word in words if not _NUMBER.fullmatch(word.strip())), None)
        if bad is not None:
            return ValueError(f"{file}, line {number}: {bad.decode(errors='replace').strip()!r} is not a number")
    return ValueError(f"{file} is not a table of numbers")
