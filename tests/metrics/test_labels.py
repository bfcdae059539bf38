from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wassergraph.formats import labels
from wassergraph.formats.labels import encode_label, encode_labels, tuple_labels

simple = st.one_of(st.integers(-(2**63), 2**63 - 1), st.text())


@given(st.lists(st.one_of(simple, st.tuples(simple, simple), st.tuples(simple)), unique_by=lambda x: (type(x), x)))
def test_different_labels_get_different_integers(values):
    assert len(set(encode_labels(values).tolist())) == len(set(values))


def test_integers_stay_and_numpy_integers_are_integers():
    assert encode_labels([3, np.int32(3), -1, True, np.bool_(0)]).tolist() == [3, 3, -1, 1, 0]
    with pytest.raises(ValueError, match="does not fit into 64 bits"):
        encode_labels([2**70])
    for mixed in ([1, 1.0], [(1, 2), (1, 2.0)]):
        with pytest.raises(TypeError, match="read real numbers as attributes"):
            encode_labels(mixed)


def test_codes_are_the_same_in_every_process():
    code = "from wassergraph.formats.labels import encode_label; print(encode_label('C'), encode_label((1, 'C')))"
    runs = {
        subprocess.run(
            [sys.executable, "-c", code], check=True, capture_output=True, env={**os.environ, "PYTHONHASHSEED": seed}
        ).stdout
        for seed in ("1", "2")
    }
    assert runs == {f"{encode_label('C')} {encode_label((1, 'C'))}\n".encode()}


def test_labels_of_tuples_do_not_depend_on_the_table():
    one = tuple_labels(np.array([[0, 1], [1, 0], [0, 1]]))
    other = tuple_labels(np.array([[5, 5], [1, 0]]))
    assert one[0] == one[2] != one[1]
    assert one[1] == other[1]
    assert tuple_labels(np.array([[4], [2]])).tolist() == [4, 2]


def test_a_collision_is_an_error(monkeypatch):
    monkeypatch.setattr(labels, "encode_label", lambda _: 7)
    with pytest.raises(ValueError, match="'a' and 'b' have the same hash 7"):
        encode_labels(["a", "b"])


@pytest.mark.parametrize("label", [0.5, None, b"C", (1, 2.0)])
def test_other_types_raise(label):
    with pytest.raises(TypeError, match="a label must be an integer, a string or a tuple"):
        encode_label(label)
