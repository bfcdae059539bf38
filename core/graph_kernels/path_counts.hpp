// Shortest paths: how far nodes of which labels are from each other.
#pragma once

#include <optional>
#include <vector>

#include "breadth_first.hpp"

namespace wassergraph {

/// How the pairs of nodes of graphs are numbered: the key of a pair is (tail * n_steps + steps + 1) * n_labels + head,
/// with the labels of both nodes, and -1 steps if they are not connected.
struct PairKeys {
    View<const Index> labels;  // (nodes) from 0 to n_labels - 1
    Index n_labels, n_steps;
    bool all_pairs;  // whether a node with itself, and pairs that are not connected, count, too
};

/// Different keys, graph by graph, and how often each occurs.
struct PairCounts {
    std::vector<Index> ptr;  // (graphs + 1) where the keys of each graph begin
    std::vector<Index> keys, counts;
};

/// Count the ordered pairs of nodes of all graphs by their keys. Pairs are counted source by source, and never listed:
/// only the different keys, in the order in which they are found, are held. Returns nothing if it was interrupted.
std::optional<PairCounts> count_pairs(const Adjacency& graphs, const PairKeys& pairs, Interruption interruption);

}  // namespace wassergraph
