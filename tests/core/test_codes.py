"""Numbers for codes, and how often they occur, against NumPy and SciPy."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import coo_array, csr_array
from wassergraph._core.testing import first_slot

from wassergraph._core import count_numbers, number_codes


@given(st.lists(st.sampled_from([0, 1, 2, 2**63, 2**64 - 1, 2**32, 2**33]) | st.integers(0, 2**64 - 1), max_size=60))
def test_equal_codes_have_the_same_number(codes):
    codes = np.array(codes, dtype=np.uint64)
    distinct, numbers = number_codes(codes)
    _, first = np.unique(codes, return_index=True)
    np.testing.assert_array_equal(distinct, codes[np.sort(first)])  # in the order of appearance
    np.testing.assert_array_equal(distinct[numbers], codes)


@pytest.mark.parametrize("step", [1, 2**20, 2**32, 2**40, 65537, 0x9E3779B97F4A7C15])
def test_tables_grow(step):
    with np.errstate(over="ignore"):
        codes = np.arange(5000, dtype=np.uint64) * np.uint64(step)
    distinct, numbers = number_codes(np.tile(codes, 2))
    np.testing.assert_array_equal(distinct, codes)
    np.testing.assert_array_equal(numbers, np.tile(np.arange(5000), 2))


@pytest.mark.parametrize("shift", [8, 16, 32, 48])
def test_two_labels_in_one_code_have_places_of_their_own(shift):
    """Linear probing is slow if many codes begin at the same place, as they would if halves were added up."""
    labels = np.arange(100, dtype=np.uint64)
    codes = ((labels[:, None] << np.uint64(shift)) | labels).ravel()
    places = {first_slot(int(code), 2**15) for code in codes}
    assert places <= set(range(2**15))
    assert len(places) > 0.6 * len(codes)


@given(st.lists(st.lists(st.tuples(st.integers(0, 5), st.integers(1, 9)), max_size=8), max_size=6))
def test_counts_are_those_of_a_sparse_matrix(graphs):
    ptr = np.cumsum([0, *map(len, graphs)])
    items = np.array([item for graph in graphs for item in graph], dtype=np.int64).reshape(-1, 2)
    numbers, weights = np.ascontiguousarray(items[:, 0]), np.ascontiguousarray(items[:, 1])
    indptr, indices, sums = count_numbers(ptr, numbers, weights, 6)
    table = csr_array((sums, indices, indptr), shape=(len(graphs), 6))
    rows = np.repeat(np.arange(len(graphs)), np.diff(ptr))
    expected = coo_array((weights, (rows, numbers)), shape=(len(graphs), 6))
    np.testing.assert_array_equal(table.toarray(), expected.toarray())
    assert all(len(set(indices[a:b])) == b - a for a, b in pairwise(indptr))


def test_numbers_appear_in_their_order_in_each_graph():
    numbers, weights = np.array([5, 2, 5, 0, 2, 2]), np.array([1, 2, 3, 4, 5, 6])
    indptr, indices, sums = count_numbers(np.array([0, 3, 3, 6]), numbers, weights, 6)
    assert indptr.tolist() == [0, 2, 2, 4]
    assert indices.tolist() == [5, 2, 0, 2]
    assert sums.tolist() == [4.0, 2.0, 4.0, 11.0]
