// What the comparison kernels get that are computed tile by tile.
#pragma once

#include "../histogram.hpp"
#include "../tile.hpp"

namespace wassergraph {

/// The points of the nodes of many graphs; rows and columns are stored as those of `Graphs` in problem.hpp.
struct PointSets {
    View<const Index> ptr;       // (graphs + 1) graph g has the nodes ptr[g] ... ptr[g + 1] - 1
    View<const double> rows;     // ((nodes + 3) * width) node by node; the last three are none
    View<const double> columns;  // graph by graph and feature by feature, in rows of padded length
    Index width = 0;             // the number of features

    WG_INLINE Index nodes_of(Index g) const { return ptr[g + 1] - ptr[g]; }
    /// Return where the columns of a graph begin: all graphs have room for as many nodes as a row might be padded with.
    WG_INLINE Index first_column(Index g) const { return (ptr[g] + (LANES - 1) * g) * width; }
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

}  // namespace wassergraph
