// Transport on lines, where sorting solves it: one dimension exactly, more dimensions as a mean over random lines.
#pragma once

#include "problem.hpp"

namespace wassergraph {

/// Graphs on a line.
struct Line {
    View<const Index> ptr;           // (graphs + 1)
    View<const Index> total;         // (graphs) the mass of each graph
    View<const double> coordinates;  // (nodes) sorted within each graph
    View<const Index> mass;          // (nodes)
};

}  // namespace wassergraph

#if defined(WG_LEVEL)
namespace wassergraph::WG_LEVEL {

/// Add the distances of pairs (k, 2) of graphs on a line to out (k).
void add_line(View<const Index> pairs, const Line& left, const Line& right, StopFlag stop, View<double> out);

}  // namespace wassergraph::WG_LEVEL
#endif
