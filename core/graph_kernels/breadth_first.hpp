// Breadth-first search: the steps from one node to all others.
//
// What is counted along shortest paths (path_counts, hop_counts) is whole numbers, one at a time. It is compiled once for
// all processors, and therefore may allocate memory.
#pragma once

#include <cstdint>
#include <vector>

#include "../views.hpp"

namespace wassergraph {

/// Many graphs, as a GraphBatch has them: the neighbors of node v are indices[indptr[v]] ... indices[indptr[v + 1] - 1].
struct Adjacency {
    View<const Index> node_ptr;  // (graphs + 1) graph g has the nodes node_ptr[g] ... node_ptr[g + 1] - 1
    View<const Index> indptr, indices;

    Index n_graphs() const { return node_ptr.size - 1; }
    Index nodes_of(Index g) const { return node_ptr[g + 1] - node_ptr[g]; }
};

/// Asks now and then whether the user wants to stop, which takes too long to be done for every node.
class Interruption {
public:
    explicit Interruption(bool (*asked)()) : asked_(asked) {}

    /// Return whether to stop, after a piece of work: about so many nodes were looked at.
    bool after(Index work) {
        work_ += work;
        if (work_ < Index{1} << 20) return false;
        work_ = 0;
        return asked_();
    }

private:
    bool (*asked_)();
    Index work_ = 0;
};

/// Searches one graph from any of its nodes. Nodes are numbered from 0 in every graph.
class BreadthFirst {
public:
    using Node = std::int32_t;

    /// Take the next graph.
    void use(const Adjacency& graphs, Index g) {
        const Index first = graphs.node_ptr[g], n = graphs.nodes_of(g), arcs = graphs.indptr[first];
        first_neighbor_.resize(static_cast<std::size_t>(n + 1));
        for (Index v = 0; v <= n; ++v) first_neighbor_[static_cast<std::size_t>(v)] = graphs.indptr[first + v] - arcs;
        neighbors_.resize(static_cast<std::size_t>(graphs.indptr[first + n] - arcs));
        for (std::size_t k = 0; k < neighbors_.size(); ++k)
            neighbors_[k] = static_cast<Node>(graphs.indices[arcs + static_cast<Index>(k)] - first);
        steps_.resize(static_cast<std::size_t>(n));
        order_.resize(static_cast<std::size_t>(n));
    }

    /// Search from a node; returns how many nodes it reaches, itself included.
    Index search(Node source) {
        const View<Node> found = view(steps_), queue = view(order_);
        for (Index v = 0; v < found.size; ++v) found[v] = -1;
        found[source] = 0;
        queue[0] = source;
        Index n_reached = 1;
        for (Index position = 0; position < n_reached; ++position) {
            const Node u = queue[position];
            for (const Node w : neighbors(u))
                if (found[w] < 0) {
                    found[w] = found[u] + 1;
                    queue[n_reached++] = w;
                }
        }
        return n_reached;
    }

    /// Return the nodes that were reached, in the order of the search.
    View<const Node> order() const { return {order_.data(), static_cast<Index>(order_.size())}; }
    /// Return the steps to every node; -1 for those that were not reached.
    View<const Node> steps() const { return {steps_.data(), static_cast<Index>(steps_.size())}; }
    Index n_nodes() const { return static_cast<Index>(steps_.size()); }
    Index n_arcs() const { return static_cast<Index>(neighbors_.size()); }

    struct Neighbors {
        const Node *first, *last;
        const Node* begin() const { return first; }
        const Node* end() const { return last; }
    };
    Neighbors neighbors(Node v) const {
        const auto k = static_cast<std::size_t>(v);
        return {neighbors_.data() + first_neighbor_[k], neighbors_.data() + first_neighbor_[k + 1]};
    }

private:
    static View<Node> view(std::vector<Node>& nodes) { return {nodes.data(), static_cast<Index>(nodes.size())}; }

    std::vector<Index> first_neighbor_;
    std::vector<Node> neighbors_, steps_, order_;
};

}  // namespace wassergraph
