#include "label_sums.hpp"

namespace wassergraph::WG_LEVEL {

namespace {

/// Add what one label of a graph, found `count` times, contributes to the graphs begin ... end - 1, whose row of results
/// begins with that of the graph `begin`.
template <bool SMALLER>
WG_INLINE bool add_label(const Histogram& right, Index label, double count, Index begin, Index end, View<double> row) {
    const auto [first, last] = right.graphs_with(label, begin, end);
    bool ascending = first <= last;
    for (Index position = first; position < last; ++position) {
        const Index place = right.graph[position] - begin;
        if (place < 0 || place >= end - begin) {
            ascending = false;
            continue;
        }
        const double other = right.mass_in_graph[position];
        if constexpr (SMALLER) {
            row[place] += count < other ? count : other;
        } else {
            row[place] += count * other;
        }
    }
    return ascending;
}

/// Add the labels that a graph has at all levels.
template <bool SMALLER>
WG_INLINE bool add_graph(
    const Histogram& left, const Histogram& right, Index g, Index begin, Index end, View<double> row) {
    bool valid = true;
    for (Index level = 0; level < left.n_levels(); ++level) {
        const auto [first, last] = left.labels_of(g, level);
        for (Index k = first; k < last; ++k)
            valid &= add_label<SMALLER>(right, left.label[k], left.mass[k], begin, end, row);
    }
    return valid;
}

}  // namespace

bool count_tile(
    const Tile& tile, bool smaller_counts, const Histogram& left, const Histogram& right, StopFlag stop,
    View<double> out) {
    bool valid = true;
    for (Index g = tile.row_begin; g < tile.row_end && !*stop; ++g) {
        const Index begin = tile.first_column(g), end = tile.column_end;
        if (begin >= end) continue;
        const View<double> row = out.from(tile.place(g, begin));
        valid &= smaller_counts ? add_graph<true>(left, right, g, begin, end, row)
                                : add_graph<false>(left, right, g, begin, end, row);
    }
    return valid;
}

}  // namespace wassergraph::WG_LEVEL
