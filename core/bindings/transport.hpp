// Named tuples of Python as what the solvers get; wrong arrays are errors.
#pragma once

#include <utility>

#include "arrays.hpp"

namespace wassergraph {

/// Read a `Side` of pairwise/layout.py.
Graphs graphs_of(nanobind::handle side);
/// Read `Rules` of pairwise/layout.py.
Rules rules_of(nanobind::handle rules);
/// Return the number of depths that are wanted.
Index n_wanted_of(const Rules& rules);

/// Throw an error unless a solver can be given pairs (k, 2), out (k, depths wanted) and statuses (k).
void check_block(
    const Matrix<const Index>& pair_array, const Graphs& left, const Graphs& right, const Rules& rules,
    const Matrix<double>& out, const Array<Index>& statuses);
/// Return the nodes of the largest graphs of both sides.
std::pair<Index, Index> largest_sizes(View<const Index> pairs, const Graphs& left, const Graphs& right);

}  // namespace wassergraph
