// Find the graphs nearest to one graph among many, exactly, while almost no pair is solved.
//
// Every graph has a lower bound of its distance, from its vector. Some graphs with the smallest bounds are looked at first;
// from then on a graph is looked at only while its bound does not exceed the k-th smallest distance so far (search.hpp).
#pragma once

#include <vector>

#include "library.hpp"

namespace wassergraph {

/// The candidates for the nearest graphs; no other graph can be among them.
struct Candidates {
    Index status = 0;   // or that of a pair that could not be solved
    Index failed = -1;  // its graph
    std::vector<Index> graphs;
    std::vector<double> values;  // the costs of transport to them
    Index counts[N_SETTLED] = {};
};

/// Find the candidates for the k graphs nearest to one of some queries, within a radius. `bounds` (graphs) are lower bounds
/// of distances without that of Euclidean distances; `apart` (graphs) is a part of distances that is no transport.
Candidates find_nearest(
    const Library& library, const Library& queries, Index position, const Rules& rules, const ImageRules& images,
    View<const double> bounds, View<const double> apart, Index k, double radius);

}  // namespace wassergraph
