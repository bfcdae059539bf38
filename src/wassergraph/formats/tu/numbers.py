"""Tables of numbers in text, to arrays: millions of rows without a Python loop, and a word on the first bad line.

    text ──▶ words ─┬─▶ all with as many decimals (0.25, -1.50) ──▶ arithmetic on whole columns of digits
                    ├─▶ otherwise (7, 1e-5, 17 digits, nan)     ──▶ numpy's conversion, number by number
                    └─▶ not a table of numbers                  ──▶ an error that names the line

Both ways give the double that is nearest to the decimal number, so nobody can tell which one was taken.
"""

from __future__ import annotations

import re
import warnings
from typing import Any, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

_COMMA, _NEWLINE, _SPACE, _ZERO, _POINT, _PLUS, _MINUS = b",\n 0.+-"
_NUMBER = re.compile(rb"[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|nan|inf(?:inity)?)", re.IGNORECASE)
_INTEGER = re.compile(rb"[+-]?\d+")
_INT64 = np.iinfo(np.int64)
_LONGEST = 15  # integers of so many digits are exact in float64
_CHUNK = 1 << 16  # words at a time, so that what is in between stays in the cache


def parse_floats(data: bytes, file: str) -> NDArray[np.float64]:
    """Read a table of real numbers (rows, columns); ``file`` is what errors call it."""
    return parse_numbers(data, file).astype(np.float64, copy=False)


def parse_integers(data: bytes, file: str) -> NDArray[np.int64]:
    """Read a table of integers (rows, columns); ``1.0`` is one, ``0.5`` is an error."""
    values = parse_numbers(data, file)
    # Beyond 2**53 a real number no longer tells one integer from the next.
    if values.dtype != np.int64 and not (good := (values == np.floor(values)) & (np.abs(values) < 2**53)).all():
        row, column = np.argwhere(~good)[0]
        raise ValueError(f"{file}, line {row + 1}: {values[row, column]} is not an integer of at most 64 bits")
    return values.astype(np.int64, copy=False)


def parse_numbers(data: bytes, file: str) -> NDArray[np.int64] | NDArray[np.float64]:
    """Read a table (rows, columns) of integers if it holds nothing else, of real numbers otherwise."""
    text = _tidy(data, file)
    columns = text[: text.index(b"\n")].count(b",") + 1
    words = _find_words(text, columns)
    if words is None:
        raise _explain(text, columns, file)
    for convert in (_fixed_point, _integers, _reals):
        values = convert(words)
        if values is not None:
            return values.reshape(-1, columns)
    raise _explain(text, columns, file)


def _tidy(data: bytes, file: str) -> bytes:
    """Bring a table into one form: commas between the fields, a newline after each row."""
    text = data.removeprefix(b"\xef\xbb\xbf")
    if b"\r" in text:
        text = text.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    text = text.rstrip() + b"\n"
    if text == b"\n":
        raise ValueError(f"{file} is empty: every row is missing")
    first = text[: text.index(b"\n")]
    if b"," not in first and len(first.split()) > 1:
        text = re.sub(rb"[ \t]+", b",", re.sub(rb"[ \t]*\n[ \t]*", b"\n", text.lstrip(b" \t")))
    return text


class _Words(NamedTuple):
    """Where the words of a text begin, and where they end (exclusive)."""

    text: bytes
    characters: NDArray[np.uint8]
    begins: NDArray[np.int64]
    ends: NDArray[np.int64]

    def word(self, number: int) -> bytes:
        """Give one word."""
        return self.text[self.begins[number] : self.ends[number]]


def _find_words(text: bytes, columns: int) -> _Words | None:
    """Find the words of a table; None unless each line has ``columns`` fields and each field exactly one word."""
    characters = np.frombuffer(text, dtype=np.uint8)
    comma = characters == _COMMA
    stops = np.flatnonzero(comma | (characters == _NEWLINE))
    if len(stops) % columns or not (comma[stops].reshape(-1, columns) == (np.arange(columns) < columns - 1)).all():
        return None
    word = (characters > _SPACE) & ~comma
    borders = np.flatnonzero(np.diff(word)) + 1  # a text ends with a newline, which is no word
    if word[0]:
        borders = np.concatenate([[0], borders])
    begins, ends = borders[::2], borders[1::2]
    if len(begins) != len(stops) or not ((ends <= stops).all() and (begins[1:] > stops[:-1]).all()):
        return None
    return _Words(text, characters, begins, ends)


def _fixed_point(words: _Words) -> NDArray[np.float64] | None:
    """Convert words that all have as many decimals as the first one, and few enough digits; None if some have not."""
    lengths = words.ends - words.begins
    width = int(lengths.max())
    first = words.characters[words.begins[0] : words.ends[0]].tobytes()
    if width > _LONGEST or b"." not in first:
        return None
    decimals = len(first) - first.index(b".") - 1
    # Each word as a row of `width` characters that ends where the word ends.
    rows = sliding_window_view(np.concatenate([np.zeros(width, np.uint8), words.characters]), width)
    leading = words.characters[words.begins]
    negative = leading == _MINUS
    signed = negative | (leading == _PLUS)
    values = np.empty(len(lengths))
    for start in range(0, len(lengths), _CHUNK):
        part = slice(start, start + _CHUNK)
        mantissas = _mantissas(rows[words.ends[part]], lengths[part] - signed[part], decimals)
        if mantissas is None:
            return None
        values[part] = mantissas
    values /= 10.0**decimals  # one rounding of two exact numbers: the nearest double
    return np.negative(values, out=values, where=negative)


def _mantissas(characters: NDArray[np.uint8], lengths: NDArray[np.int64], decimals: int) -> NDArray[np.float64] | None:
    """Give the integers 325 for rows that end in ``3.25``; None if a row is anything else."""
    width = characters.shape[1]
    point = width - 1 - decimals
    if (characters[:, point] != _POINT).any() or (lengths <= max(decimals, 1)).any():
        return None
    digits = characters - np.uint8(_ZERO)
    digits[:, point] = 0
    # What stands before a word, or is its sign, counts nothing.
    digits *= np.arange(width, dtype=np.uint8) >= (width - lengths).astype(np.uint8)[:, None]
    if digits.max() > 9:
        return None
    powers = np.concatenate([np.arange(width - 2, decimals - 1, -1), [0], np.arange(decimals - 1, -1, -1)])
    return np.asarray(digits.astype(np.float64) @ 10.0**powers)


def _integers(words: _Words) -> NDArray[np.int64] | None:
    values = _convert(words, np.int64, _INTEGER)
    if values is None:
        return None
    # Of an integer that is too large numpy makes the largest or smallest there is.
    extreme = np.flatnonzero((values == _INT64.max) | (values == _INT64.min))
    return values if all(int(words.word(i)) == values[i] for i in extreme.tolist()) else None


def _reals(words: _Words) -> NDArray[np.float64] | None:
    values = _convert(words, np.float64, _NUMBER)
    if values is None:
        return None
    # numpy takes nan(), too.
    return (
        values if all(_NUMBER.fullmatch(words.word(i)) for i in np.flatnonzero(~np.isfinite(values)).tolist()) else None
    )


def _convert(words: _Words, dtype: type[np.generic], pattern: re.Pattern[bytes]) -> NDArray[Any] | None:
    """Convert words one by one; None if one of them is not a number of this type."""
    if not pattern.fullmatch(words.word(-1)):  # of the last word numpy may convert a part, and say nothing of the rest
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("error", DeprecationWarning)  # what an older numpy has for an error
        try:
            values = np.fromstring(words.text.replace(b",", b" "), dtype=dtype, sep=" ")
        except (ValueError, DeprecationWarning):
            return None
    return values if len(values) == len(words.begins) else None


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
