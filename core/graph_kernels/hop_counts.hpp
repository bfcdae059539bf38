// How often nodes have each position on shortest paths, for the GraphHopper kernel.
//
// M(v)[a, b] counts how often v is the a-th node of a shortest path of b steps. A path read backwards is a shortest path,
// too, so M(v)[a, b] = M(v)[b - a, b], and the smaller of a and c = b - a is enough: in a row of counts, the one for b and
// c is at floor((b + 1)^2 / 4) + c. Those of short paths come first. Rows are cut into windows, of which one is counted at
// a time, so that the memory is proportional to the nodes, however far they are apart.
#pragma once

#include "breadth_first.hpp"

namespace wassergraph {

/// The counts of one window. Nodes may share a row.
struct HopWindow {
    Index begin;              // the first entry of rows that is counted
    View<const Index> ptr;    // (graphs + 1) graph g has the rows ptr[g] ... ptr[g + 1] - 1
    View<const Index> row;    // (nodes) the row of each node
    View<const Index> width;  // (graphs) how many entries rows of each graph have in the window
    View<const Index> start;  // (graphs + 1) where the counts of each graph begin
    View<double> counts;      // eight entries of all rows of a graph, then the next eight, as `HopTables` has them
};

/// Compute the number of entries of the rows of each graph. Returns false if it was interrupted.
bool hop_lengths(const Adjacency& graphs, View<Index> lengths, Interruption interruption);

/// Add the positions of the nodes of all graphs to the counts of a window. Returns false if it was interrupted.
bool count_hops(const Adjacency& graphs, const HopWindow& window, Interruption interruption);

}  // namespace wassergraph
