// Categorical distances in closed form: D = 1/(H+1) sum_h 1/2 |p_h - q_h|_1 = 1/(H+1) sum_h (1 - sum_c min(p_hc, q_hc)).
//
// Only labels that two graphs share contribute to the inner sum. For every graph, therefore, the lists of graphs that
// have its labels are added up. Histograms are kept as integers and multiplied crosswise by the totals of the graphs;
// these are exact in doubles, so that equal graphs have a distance of exactly 0, and the order of sums does not matter.
//
// With counts n_h in place of shares, a node without a partner costs 1/2: D = 1/(H+1) sum_h 1/2 |n_h - m_h|_1 = 1/(H+1)
// sum_h ((n + m)/2 - sum_c min(n_hc, m_hc)). Then all totals are 1, and `extra` is (n - 1)/2.
#pragma once

#include <cstdint>

#include "views.hpp"

namespace wassergraph {

/// The masses of the labels of many graphs at all levels, by graph and by label; no two levels share a label.
struct Histogram {
    Index n_graphs = 0;
    View<const Index> ptr;             // (levels * (graphs + 1)) where the labels of a graph at a level begin in `label`
    View<const Index> label;           // sorted within each graph and level
    View<const double> mass;           // of each
    View<const Index> start;           // (labels + 1) where the graphs that have a label begin in `graph`
    View<const std::int32_t> graph;    // sorted within each label
    View<const double> mass_in_graph;  // the mass of the label in each
    View<const double> total, extra;   // (graphs) what masses are divided by; what is added, see above

    struct Range {
        Index first, last;
    };
    WG_INLINE Range labels_of(Index g, Index level) const {
        const Index place = level * (n_graphs + 1) + g;
        return {ptr[place], ptr[place + 1]};
    }
    /// Return whether a part of `label` can be read; arrays may come from a file.
    WG_INLINE bool has_labels(Range range) const {
        return 0 <= range.first && range.first <= range.last && range.last <= label.size;
    }
};

/// A rectangle of a matrix of distances.
struct Rectangle {
    Index first_row, last_row, first_column, last_column;
    bool above_diagonal;  // whether only entries with row < column are computed

    WG_INLINE Index n_rows() const { return last_row - first_row; }
    WG_INLINE Index n_columns() const { return last_column - first_column; }
};

/// The depths that are wanted, and a flag that ends the computation early.
struct LabelRules {
    View<const bool> wanted;
    StopFlag stop;
};

}  // namespace wassergraph

#if defined(WG_LEVEL)
namespace wassergraph::WG_LEVEL {

/// Fill out (depths wanted, rows, columns); `memory` has two entries for every column. Returns false if a position in
/// the histograms is none.
bool label_tile(
    const Rectangle& tile, const Histogram& left, const Histogram& right, const LabelRules& rules, View<double> memory,
    View<double> out);

/// Compute the distances of pairs (k, 2) of graphs: out (depths wanted, k). Returns false as label_tile does.
bool label_pairs(
    View<const Index> pairs, const Histogram& left, const Histogram& right, const LabelRules& rules, View<double> out);

}  // namespace wassergraph::WG_LEVEL
#endif
