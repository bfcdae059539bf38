"""Text → tables of numbers: millions of rows without a Python loop, and errors that name the first wrong line.

    text ──▶ words ─┬─▶ all with the same number of decimals (0.25, -1.50) ──▶ arithmetic on whole columns of digits
                    ├─▶ otherwise (7, 1e-5, 17 digits, nan)                ──▶ numpy's conversion, number by number
                    └─▶ not a table of numbers                             ──▶ an error that names the line

Both ways return the double that is nearest to the decimal number, so the results do not differ.
"""

from __future__ import annotations

import re
import warnings
from typing import Any, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from wassergraph.arrays import FloatArray, IntArray
from wassergraph.errors import InputError
from wassergraph.graphs.invariants import count

_COMMA, _NEWLINE, _SPACE, _ZERO, _POINT, _PLUS, _MINUS = b",\n 0.+-"
_NUMBER = re.compile(rb"[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|nan|inf(?:inity)?)", re.IGNORECASE)
_INTEGER = re.compile(rb"[+-]?\d+")
_INT64 = np.iinfo(np.int64)
_LONGEST = 15  # integers of up to this many digits are exact in float64
_CHUNK = 1 << 16  # words at a time, so that intermediate results stay in the cache


def parse_floats(data: bytes, file: str) -> FloatArray:
    """Read a table of real numbers (rows, columns); ``file`` is its name in errors."""
    return parse_numbers(data, file).astype(np.float64, copy=False)


def parse_integers(data: bytes, file: str) -> IntArray:
    """Read a table of integers (rows, columns); ``1.0`` is an integer, ``0.5`` is an error."""
    values = parse_numbers(data, file)
    # Beyond 2**53 neighboring integers are the same real number.
    if values.dtype != np.int64 and not (good := (values == np.floor(values)) & (np.abs(values) < 2**53)).all():
        row, column = np.argwhere(~good)[0]
        problem = f"{values[row, column]} is not an integer of at most 64 bits"
        raise InputError(problem, file=file, line=row + 1)
    return values.astype(np.int64, copy=False)


def parse_numbers(data: bytes, file: str) -> IntArray | FloatArray:
    """Read a table (rows, columns) of integers if all numbers are integers, of real numbers otherwise."""
    text = _normalize(data, file)
    columns = text[: text.index(b"\n")].count(b",") + 1
    words = _find_words(text, columns)
    if words is None:
        raise _first_error(text, columns, file)
    for convert in (_fixed_point, _integers, _reals):
        values = convert(words)
        if values is not None:
            return values.reshape(-1, columns)
    raise _first_error(text, columns, file)


def _normalize(data: bytes, file: str) -> bytes:
    """Return a table with commas between the fields and a newline after each row."""
    text = data.removeprefix(b"\xef\xbb\xbf")
    if b"\r" in text:
        text = text.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    text = text.rstrip() + b"\n"
    if text == b"\n":
        raise InputError("the file is empty", file=file)
    first = text[: text.index(b"\n")]
    if b"," not in first and len(first.split()) > 1:
        text = re.sub(rb"[ \t]+", b",", re.sub(rb"[ \t]*\n[ \t]*", b"\n", text.lstrip(b" \t")))
    return text


class _Words(NamedTuple):
    """The positions at which the words of a text begin and end (exclusive)."""

    text: bytes
    characters: NDArray[np.uint8]
    begins: IntArray
    ends: IntArray

    def word(self, number: int) -> bytes:
        """Return one word."""
        return self.text[self.begins[number] : self.ends[number]]


def _find_words(text: bytes, columns: int) -> _Words | None:
    """Return the words of a table; None unless each line has ``columns`` fields and each field exactly one word."""
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


def _fixed_point(words: _Words) -> FloatArray | None:
    """Convert words with the same number of decimals and few enough digits; None if there are other words."""
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


def _mantissas(characters: NDArray[np.uint8], lengths: IntArray, decimals: int) -> FloatArray | None:
    """Return the integers 325 for rows that end in ``3.25``; None if a row is anything else."""
    width = characters.shape[1]
    point = width - 1 - decimals
    if (characters[:, point] != _POINT).any() or (lengths <= max(decimals, 1)).any():
        return None
    digits = characters - np.uint8(_ZERO)
    digits[:, point] = 0
    # Characters before a word, and its sign, do not count.
    digits *= np.arange(width, dtype=np.uint8) >= (width - lengths).astype(np.uint8)[:, None]
    if digits.max() > 9:
        return None
    powers = np.concatenate([np.arange(width - 2, decimals - 1, -1), [0], np.arange(decimals - 1, -1, -1)])
    return np.asarray(digits.astype(np.float64) @ 10.0**powers)


def _integers(words: _Words) -> IntArray | None:
    values = _convert(words, np.int64, _INTEGER)
    if values is None:
        return None
    # numpy replaces an integer that is too large by the largest or smallest that fits.
    extreme = np.flatnonzero((values == _INT64.max) | (values == _INT64.min))
    return values if all(int(words.word(i)) == values[i] for i in extreme.tolist()) else None


def _reals(words: _Words) -> FloatArray | None:
    values = _convert(words, np.float64, _NUMBER)
    if values is None:
        return None
    unusual = np.flatnonzero(~np.isfinite(values)).tolist()  # numpy also accepts nan()
    return values if all(_NUMBER.fullmatch(words.word(i)) for i in unusual) else None


def _convert(words: _Words, dtype: type[np.generic], pattern: re.Pattern[bytes]) -> NDArray[Any] | None:
    """Convert words one by one; None if one of them is not a number of this type."""
    if not pattern.fullmatch(words.word(-1)):  # numpy may convert a part of the last word and ignore the rest
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("error", DeprecationWarning)  # which older versions of numpy raise instead of an error
        try:
            values = np.fromstring(words.text.replace(b",", b" "), dtype=dtype, sep=" ")
        except (ValueError, DeprecationWarning):
            return None
    return values if len(values) == len(words.begins) else None


def _first_error(text: bytes, columns: int, file: str) -> InputError:
    """Return an error about the first line that is wrong."""
    for number, line in enumerate(text.splitlines(), start=1):
        words = line.split(b",")
        wrong = next((word for word in words if not _NUMBER.fullmatch(word.strip())), None)
        if not line.strip():
            return InputError("the line is blank", remedy="every row must have its values", file=file, line=number)
        if len(words) != columns:
            problem = f"{count(len(words), 'value')} instead of the {columns} of the first line"
            return InputError(problem, file=file, line=number)
        if wrong is not None:
            problem = f"{wrong.decode(errors='replace').strip()!r} is not a number"
            return InputError(problem, remedy="every value must be a number", file=file, line=number)
    return InputError("the file is not a table of numbers", file=file)
