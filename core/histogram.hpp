// The masses of the labels of many graphs, by graph and by label.
#pragma once

#include "views.hpp"

namespace wassergraph {

/// A `Histogram` of wassergraph.transport. No two levels share a label.
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
    /// Return where the graphs begin ... end - 1 that have a label are in `graph`; arrays may come from a file, so that
    /// a part that cannot be read is {0, -1}.
    WG_INLINE Range graphs_with(Index label_number, Index begin, Index end) const {
        if (label_number < 0 || label_number >= start.size - 1) return {0, -1};
        Index first = start[label_number], last = start[label_number + 1];
        if (first < 0 || first > last || last > graph.size) return {0, -1};
        if (end < n_graphs) last = first_from(first, last, end);
        if (begin > 0) first = first_from(first, last, begin);
        return {first, last};
    }

private:
    /// Return the first of the positions first ... last - 1 with at least this graph; `last` if there is none.
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

}  // namespace wassergraph
