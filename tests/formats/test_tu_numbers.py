from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wassergraph.formats.tu import numbers
from wassergraph.formats.tu.numbers import parse_floats, parse_integers, parse_numbers

decimals = st.builds(
    "{}{}.{}".format,
    st.sampled_from(["", "-", "+"]),
    st.integers(0, 10**6).map(str),
    st.text("0123456789", min_size=3, max_size=3),
)
reals = st.floats(allow_nan=False, allow_infinity=False).map(repr)
integers = st.integers(-(2**62), 2**62).map(str)
separators = st.sampled_from([",", ", ", " ,  ", "\t,", " "])


def table(words: list[str], columns: int, separator: str) -> bytes:
    rows = [words[i : i + columns] for i in range(0, len(words) - columns + 1, columns)]
    return "\n".join(separator.join(row) for row in rows).encode()


@given(st.lists(st.one_of(decimals, reals, integers), min_size=4), st.integers(1, 3), separators)
def test_mixed_words_equal_pythons_own_conversion(words, columns, separator):
    words = words[: len(words) // columns * columns]
    expected = np.array([float(word) for word in words]).reshape(-1, columns)
    np.testing.assert_array_equal(parse_floats(table(words, columns, separator), "file"), expected)


@given(st.lists(decimals, min_size=4), st.integers(1, 4), separators)
def test_fixed_point_words_equal_pythons_own_conversion_to_the_last_bit(words, columns, separator):
    words = words[: len(words) // columns * columns]
    text = table(words, columns, separator)
    expected = np.array([float(word) for word in words]).reshape(-1, columns)
    parsed = parse_floats(text, "file")
    np.testing.assert_array_equal(parsed, expected)
    np.testing.assert_array_equal(np.signbit(parsed), np.signbit(expected))


def test_fixed_point_words_take_the_fast_way_across_chunks(monkeypatch):
    rng = np.random.default_rng(0)
    values = np.round(rng.normal(scale=1e4, size=(1000, 3)), 5)
    text = "\n".join(",".join(f"{value:.5f}" for value in row) for row in values).encode()
    monkeypatch.setattr(numbers, "_CHUNK", 7)
    monkeypatch.setattr(numbers, "_convert", lambda *_: pytest.fail("the slow way was taken"))
    np.testing.assert_array_equal(parse_floats(text, "file"), values)


@given(st.lists(integers, min_size=2), separators)
def test_integers_are_exact(words, separator):
    words = words[: len(words) // 2 * 2]
    parsed = parse_integers(table(words, 2, separator), "file")
    assert parsed.dtype == np.int64
    assert parsed.ravel().tolist() == [int(word) for word in words]


@pytest.mark.parametrize(
    "text",
    [b"+1\n-1", b"1\r\n-1\r\n", b"1\r-1\r", b"\xef\xbb\xbf1\n-1\n\n\n", b"  1 \n-1\t\n", b"1.0\n-1.0", b"1e0\n-1"],
)
def test_notations_of_integers(text):
    assert parse_integers(text, "file").tolist() == [[1], [-1]]


def test_numbers_are_integers_if_all_are():
    assert parse_numbers(b"1\n2", "file").dtype == np.int64
    assert parse_numbers(b"1\n2.5", "file").dtype == np.float64
    assert parse_numbers(b"1.0\n2.0", "file").dtype == np.float64


def test_values_that_are_not_finite_are_read_as_such():
    assert np.isnan(parse_floats(b"1\nnan", "file")[1, 0])
    assert parse_floats(b"-inf\n1", "file")[0, 0] == -np.inf


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "file: the file is empty"),
        (b" \n \n", "file: the file is empty"),
        (b"1,2\n3\n", r"file, line 2: 1 value instead of the 2 of the first line"),
        (b"1\n2,3\n", r"file, line 2: 2 values instead of the 1 of the first line"),
        (b"1,2\n3,4,5\n6\n", r"file, line 2: 3 values instead of the 2 of the first line"),
        (b"1\n\n3\n", "file, line 2: the line is blank; every row"),
        (b"1\nfish\n", "file, line 2: 'fish' is not a number"),
        (b"1\n2x\n", "file, line 2: '2x' is not a number"),
        (b"1,\n2,3", "file, line 1: '' is not a number"),
        (b"1,2\n3 4,5\n,6", "file, line 2: '3 4' is not a number"),
        (b"1 2\n3", r"file, line 2: 1 value instead of the 2 of the first line"),
        (b"0x10\n1", "file, line 1: '0x10' is not a number"),
        (b"1_0\n1", "file, line 1: '1_0' is not a number"),
        (b"1.5\n1.5.5", "file, line 2: '1.5.5' is not a number"),
        (b"1.5\n.", r"file, line 2: '\.' is not a number"),
        (b"1.5\n-", "file, line 2: '-' is not a number"),
        (b"1.50\n+-.50", r"file, line 2: '\+-\.50' is not a number"),
        (b"1\n\x00", "file, line 2: .* is not a number"),
        (b"1\n-", "file, line 2: '-' is not a number"),
        (b"1,2\n3,+", r"file, line 2: '\+' is not a number"),
        (b"1\n2\n1abc", "file, line 3: '1abc' is not a number"),
        (b"1\nnan()", r"file, line 2: 'nan\(\)' is not a number"),
        ("1\n\u0663".encode(), "file, line 2: '\u0663' is not a number"),
    ],
)
def test_the_first_wrong_line_is_named(text, message):
    for parse in (parse_floats, parse_integers):
        with pytest.raises(ValueError, match=message):
            parse(text, "file")


def test_the_largest_integers_and_the_first_that_reals_confuse():
    extremes = [2**63 - 1, -(2**63), 2**53 + 1]
    assert parse_integers("\n".join(map(str, extremes)).encode(), "file").ravel().tolist() == extremes
    with pytest.raises(ValueError, match="line 1"):
        parse_integers(b"9007199254740993\n1.0", "file")


@pytest.mark.parametrize("text", [b"1\n2\n2.5", b"1\n1e5", b"0.1\n0.25"])
def test_the_last_word_is_read_whole(text):
    assert parse_floats(text, "file")[-1, 0] == float(text.split()[-1])


@pytest.mark.parametrize("word", ["0.5", "nan", "inf", str(2**63), str(-(2**63) - 1), "1e300"])
def test_values_that_are_not_integers_raise(word):
    with pytest.raises(ValueError, match=r"file, line 2: .* is not an integer of at most 64 bits"):
        parse_integers(f"1\n{word}".encode(), "file")
