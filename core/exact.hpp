// Exact distances of pairs of graphs: ground costs and a network simplex per pair, all depths with warm starts.
#pragma once

#include "ground.hpp"
#include "problem.hpp"

namespace wassergraph::WG_LEVEL {

/// Solve one pair of graphs for the depths that are wanted. Returns the number of pivots, or a status: ABANDONED if the
/// distance at a depth exceeds the cutoff, which is tried with the hint first, if there is one.
template <Ground G>
Index solve_pair(
    G& ground, Index g, Index h, const Rules& rules, Cutoff& cutoff, const Memory& memory, View<double> out);
extern template Index solve_pair(NodeGround&, Index, Index, const Rules&, Cutoff&, const Memory&, View<double>);

/// Solve pairs (k, 2) of graphs: out (k, depths wanted), status (k), which is a number of pivots or a status.
void solve_block(
    View<const Index> pairs, const Graphs& left, const Graphs& right, const Rules& rules, const Memory& memory,
    View<double> out, View<Index> statuses);

/// Solve one problem whose costs, supplies and demands are in the memory; the result is the tree there.
Index solve_given(const Graphs& left, const Graphs& right, const Rules& rules, const Memory& memory);

}  // namespace wassergraph::WG_LEVEL
