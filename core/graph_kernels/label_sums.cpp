#include "label_sums.hpp"

namespace wassergraph::WG_LEVEL {

namespace {

/// Add what one label of a graph, found `count` times, contributes to the columns from `begin` on, whose sums are given.
template <bool SMALLER>
WG_INLINE bool add_label(const ColumnLists& lists, Index label, double count, Index begin, View<double> row) {
    const auto [first, last] = lists.of(label, begin);
    const std::int32_t* graphs = lists.histogram.graph.data;
    const double* masses = lists.histogram.mass_in_graph.data;
    double* sums = row.data;
    for (Index position = first; position < last; ++position) {
        const double other = masses[position];
        double& sum = sums[graphs[position] - begin];
        if constexpr (SMALLER) {
            sum += count < other ? count : other;
        } else {
            sum += count * other;
        }
    }
    return first <= last;
}

/// Add the labels that a graph has at all levels.
template <bool SMALLER>
WG_INLINE bool add_graph(const Histogram& left, const ColumnLists& lists, Index g, Index begin, View<double> row) {
    bool valid = true;
    for (Index level = 0; level < left.n_levels(); ++level) {
        const auto [first, last] = left.labels_of(g, level);
        for (Index k = first; k < last; ++k)
            valid &= add_label<SMALLER>(lists, left.label[k], left.mass[k], begin, row);
    }
    return valid;
}

}  // namespace

bool count_tile(
    const Tile& tile, bool smaller_counts, const Histogram& left, const ColumnLists& lists, StopFlag stop,
    View<double> out) {
    bool valid = true;
    for (Index g = tile.row_begin; g < tile.row_end && !*stop; ++g) {
        const Index begin = tile.first_column(g);
        if (begin >= tile.column_end) continue;
        const View<double> row = out.from(tile.place(g, begin));
        valid &=
            smaller_counts ? add_graph<true>(left, lists, g, begin, row) : add_graph<false>(left, lists, g, begin, row);
    }
    return valid;
}

}  // namespace wassergraph::WG_LEVEL
