// Categorical distances in closed form: D = 1/(H+1) sum_h 1/2 |p_h - q_h|_1 = 1/(H+1) sum_h (1 - sum_c min(p_hc, q_hc)).
//
// Only labels that two graphs share contribute to the inner sum. For every graph, therefore, the lists of graphs that
// have its labels are added up. Histograms are kept as integers and multiplied crosswise by the totals of the graphs;
// these are exact in doubles, so that equal graphs have a distance of exactly 0, and the order of sums does not matter.
//
// With counts n_h in place of shares, a node without a partner costs 1/2: D = 1/(H+1) sum_h 1/2 |n_h - m_h|_1 = 1/(H+1)
// sum_h ((n + m)/2 - sum_c min(n_hc, m_hc)). Then all totals are 1, and `extra` is (n - 1)/2.
#pragma once

#include "histogram.hpp"
#include "tile.hpp"

namespace wassergraph {

/// What the masses of each graph are divided by, and what is added, see above; both (graphs).
struct Sizes {
    View<const double> total, extra;
};

/// Graphs that are compared.
struct LabelSide {
    Histogram histogram;
    Sizes sizes;
};

/// The depths that are wanted, and a flag that ends the computation early.
struct LabelRules {
    View<const bool> wanted;
    StopFlag stop;
};

}  // namespace wassergraph

#if defined(WG_LEVEL)
namespace wassergraph::WG_LEVEL {

/// Fill out (depths wanted, rows, columns); `memory` has two entries for every column. Returns false if a label
/// of the left has no list of graphs on the right, or one that does not ascend.
bool label_tile(
    const Tile& tile, const LabelSide& left, const ColumnLists& lists, const Sizes& sizes, const LabelRules& rules,
    View<double> memory, View<double> out);

/// Compute the distances of pairs (k, 2) of graphs: out (depths wanted, k).
void label_pairs(
    View<const Index> pairs, const LabelSide& left, const LabelSide& right, const LabelRules& rules, View<double> out);

}  // namespace wassergraph::WG_LEVEL
#endif
