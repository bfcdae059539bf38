// What the comparison kernels get that are computed tile by tile.
#pragma once

#include "../views.hpp"

namespace wassergraph {

/// A rectangle of a kernel matrix.
struct Tile {
    Index row_begin, row_end, column_begin, column_end;
    bool from_diagonal;  // whether only entries with row <= column are wanted

    WG_INLINE Index first_column(Index row) const {
        return from_diagonal && row > column_begin ? row : column_begin;
    }
    WG_INLINE Index place(Index row, Index column) const {
        return (row - row_begin) * (column_end - column_begin) + column - column_begin;
    }
};

/// The points of the nodes of many graphs; rows and columns are stored as those of `Graphs` in problem.hpp.
struct PointSets {
    View<const Index> ptr;       // (graphs + 1) graph g has the nodes ptr[g] ... ptr[g + 1] - 1
    View<const double> rows;     // ((nodes + 3) * width) node by node; the last three are none
    View<const double> columns;  // graph by graph and feature by feature, in rows of padded length
    Index width = 0;             // the number of features

    WG_INLINE Index nodes_of(Index g) const { return ptr[g + 1] - ptr[g]; }
    /// Return where the columns of a graph begin: all graphs have room for as many nodes as a row might be padded with.
    WG_INLINE Index first_column(Index g) const { return (ptr[g] + 7 * g) * width; }
};

/// How often nodes have each position on shortest paths, as hop_counts.hpp counts it, and what the nodes are compared by.
struct HopTables {
    PointSets points;           // of every row; those of labels have no features
    View<const Index> labels;   // (rows) ascending in each graph, or none
    View<const Index> widths;   // (graphs) how many positions the rows of a graph have
    View<const Index> starts;   // (graphs + 1) where the counts of each graph begin
    View<const double> counts;  // eight positions of all rows of a graph, then the next eight; padded with zeros
};

/// So many rows of the first graph are compared at a time, so that the counts of the second one are read once for them.
inline constexpr Index HOP_ROWS = 16;

enum class NodeKernel { GAUSSIAN, LINEAR, DIRAC };

/// How positions of nodes are compared.
struct HopRules {
    NodeKernel kernel;
    double gamma;                // that of the Gaussian kernel
    View<const double> weights;  // (positions) how often each counts; padded to a multiple of eight
    StopFlag stop;
};

/// The counts of the labels of many graphs, by graph and by label; a `Histogram` of wassergraph.transport.
struct LabelCounts {
    View<const Index> ptr;              // (levels * (graphs + 1)) the labels of each graph at each level
    Index n_graphs = 0;
    View<const Index> label;
    View<const double> count;           // of each of these labels
    View<const Index> start;            // label c occurs in the graphs graph[start[c]] ... graph[start[c + 1] - 1]
    View<const std::int32_t> graph;     // ascending for each label
    View<const double> count_in_graph;  // of the label in each of these graphs

    WG_INLINE Index n_levels() const { return ptr.size / (n_graphs + 1); }
};

}  // namespace wassergraph
