// The masses of the labels of many graphs, by graph and by label.
#pragma once

#include "views.hpp"

namespace wassergraph {

/// A `Histogram` of pairwise/layout.py. No two levels share a label.
struct Histogram {
    Index n_graphs = 0;
    View<const Index> ptr;           // (levels * (graphs + 1)) where the labels of a graph at a level begin in `label`
    View<const Index> label;         // ascending for each graph and level
    View<const double> mass;         // of each
    View<const Index> start;         // (labels + 1) where the graphs that have a label begin in `graph`
    View<const std::int32_t> graph;  // ascending for each label
    View<const double> mass_in_graph;  // the mass of the label in each

    struct Range {
        Index first, last;
    };
    WG_INLINE Index n_levels() const { return ptr.size / (n_graphs + 1); }
    WG_INLINE Range labels_of(Index g, Index level) const {
        const Index place = level * (n_graphs + 1) + g;
        return {ptr[place], ptr[place + 1]};
    }
    /// Return the first of the positions first ... last - 1 of a list with at least this graph; `last` if there is none.
    WG_INLINE Index first_from(Index first, Index last, Index least) const {
        while (first < last) {
            const Index middle = first + (last - first) / 2;
            if (graph[middle] < least)
                first = middle + 1;
            else
                last = middle;
        }
        return first;
    }
};

/// The lists of graphs that have a label, cut to the columns of a tile. Arrays may come from a file: what is left of a list is
/// checked when it is first asked for.
struct ColumnLists {
    const Histogram& histogram;
    Index begin, end;              // the columns
    View<Histogram::Range> found;  // (labels) {0, 0} if it was not asked for yet; or empty: nothing is kept

    static constexpr Histogram::Range WRONG{0, -1};

    /// Return where the columns from `first_column` on that have a label are in Histogram::graph; or WRONG.
    WG_INLINE Histogram::Range of(Index label, Index first_column) const {
        if (label < 0 || label >= histogram.start.size - 1) return WRONG;
        Histogram::Range range;
        if (found.size > 0) {
            Histogram::Range& kept = found[label];
            if (kept.last == 0) kept = search(label);
            range = kept;
        } else {
            range = search(label);
        }
        if (first_column > begin) range.first = histogram.first_from(range.first, range.last, first_column);
        return range;
    }

private:
    WG_INLINE Histogram::Range search(Index label) const {
        Index first = histogram.start[label], last = histogram.start[label + 1];
        if (first < 0 || first > last || last > histogram.graph.size) return WRONG;
        if (end < histogram.n_graphs) last = histogram.first_from(first, last, end);
        if (begin > 0) first = histogram.first_from(first, last, begin);
        for (Index position = first; position < last; ++position) {
            const Index least = position > first ? histogram.graph[position - 1] + Index{1} : begin;
            if (histogram.graph[position] < least || histogram.graph[position] >= end) return WRONG;
        }
        return {first, last};
    }
};

}  // namespace wassergraph
