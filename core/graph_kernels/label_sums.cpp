#include "label_sums.hpp"

namespace wassergraph::WG_LEVEL {

namespace {

/// Return the first of the positions first ... last - 1 with at least this graph; `last` if there is none.
Index first_from(View<const std::int32_t> graphs, Index first, Index last, Index least) {
    while (first < last) {
        const Index middle = first + (last - first) / 2;
        if (graphs[middle] < least)
            first = middle + 1;
        else
            last = middle;
    }
    return first;
}

/// Add what one label of a graph, found `count` times, contributes to the graphs begin ... end - 1, whose row of results
/// begins with that of the graph `begin`.
template <bool SMALLER>
WG_INLINE bool add_label(const LabelCounts& right, Index label, double count, Index begin, Index end, View<double> row) {
    if (label < 0 || label + 1 >= right.start.size) return false;
    Index first = right.start[label], last = right.start[label + 1];
    if (first < 0 || first > last || last > right.graph.size) return false;
    last = first_from(right.graph, first, last, end);
    first = first_from(right.graph, first, last, begin);
    bool ascending = true;
    for (Index position = first; position < last; ++position) {
        const Index place = right.graph[position] - begin;
        if (place < 0 || place >= end - begin) {
            ascending = false;
            continue;
        }
        const double other = right.count_in_graph[position];
        row[place] += SMALLER ? (count < other ? count : other) : count * other;
    }
    return ascending;
}

/// Add the labels that a graph has at all levels.
template <bool SMALLER>
WG_INLINE bool add_graph(
    const LabelCounts& left, const LabelCounts& right, Index g, Index begin, Index end, View<double> row) {
    bool valid = true;
    for (Index level = 0; level < left.n_levels(); ++level) {
        const Index place = level * (left.n_graphs + 1) + g;
        for (Index k = left.ptr[place]; k < left.ptr[place + 1]; ++k)
            valid &= add_label<SMALLER>(right, left.label[k], left.count[k], begin, end, row);
    }
    return valid;
}

}  // namespace

bool label_tile(
    const Tile& tile, bool smaller_counts, const LabelCounts& left, const LabelCounts& right, StopFlag stop,
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
