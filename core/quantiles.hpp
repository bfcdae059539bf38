// The quantile means of graphs: short vectors, whose differences are lower bounds of transport (bounds.hpp).
//
// Sorting is compiled once for all levels.
#pragma once

#include "views.hpp"

namespace wassergraph {

/// Sort the nodes of every graph by each coordinate, and average them over parts of equal mass: out (graphs, width,
/// parts). The points (nodes, width) are given node by node.
void average_quantiles(
    View<const Index> ptr, View<const Index> mass, View<const float> points, Index width, Index n_parts,
    View<float> out);

}  // namespace wassergraph
