// What the solvers of optimal transport get, and the memory that they work in.
#pragma once

#include <cstdint>
#include <limits>

#include "views.hpp"

namespace wassergraph {

using Node = std::uint32_t;

/// A graph has fewer nodes: the last bits of a double hold the number of a column (with_numbers in simd.hpp).
inline constexpr Index MOST_NODES = Index{1} << 20;
/// The parent of the root of a tree.
inline constexpr Node NOBODY = 0xFFFFFFFF;
/// The cost of what is no arc; larger than any cost, which Python ensures by scaling.
inline constexpr double NO_ARC = 1e300;
inline constexpr double INFINITE = std::numeric_limits<double>::infinity();
/// How many rows of costs are computed at a time, so that every point of the second graph is read once for all of them.
inline constexpr Index ROWS_AT_ONCE = 4;
/// Up to so many nodes of both graphs, subtrees are sets of two words (tree_sets); beyond, they are in a list
/// (tree_lists).
inline constexpr Index MOST_IN_SETS = 128;
/// The number of sinks in a short list (tree_lists).
inline constexpr Index SHORT = 16;

/// What a solver returns instead of its number of steps if it did not reach the solution.
namespace status {
inline constexpr Index NOT_CONVERGED = -1;  // not within the allowed number of steps
inline constexpr Index STOPPED = -2;        // from outside
inline constexpr Index NOT_STARTED = -3;    // costs are not numbers, or supplies and demands do not match
inline constexpr Index ABANDONED = -4;      // the solution is proved to cost more than what is allowed
}  // namespace status

/// Return whether masses are not negative, and sum to a total.
WG_INLINE bool sum_to(View<const Index> masses, Index total) {
    for (Index i = 0; i < masses.size; ++i) {
        if (masses[i] < 0 || masses[i] > total) return false;
        total -= masses[i];
    }
    return total == 0;
}

/// Return the greatest common divisor of two positive numbers.
WG_INLINE Index common_divisor(Index a, Index b) {
    while (b != 0) {
        const Index rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/// Return the least common multiple of the total masses of two graphs.
WG_INLINE Index common_total(Index a, Index b) { return a / common_divisor(a, b) * b; }

/// Return whether positive totals have a common multiple up to `most`.
WG_INLINE bool have_common_total(Index a, Index b, Index most) { return a / common_divisor(a, b) <= most / b; }

/// No mass is larger when it is perturbed (simplex.hpp).
inline constexpr Index MOST_MASS = Index{1} << 62;

/// Return whether the perturbed masses of graphs with so much mass, and at most so many nodes, are at most MOST_MASS.
WG_INLINE bool masses_fit(Index total, Index other, bool counted, Index nodes) {
    const Index most = MOST_MASS / (2 * nodes + 3);
    if (counted) return total <= most && other <= most;
    return have_common_total(total, other, most);
}

/// Many embedded graphs. Nodes that are equal at all depths are one node.
struct Graphs {
    View<const Index> ptr;            // (graphs + 1) graph g has the nodes ptr[g] ... ptr[g + 1] - 1
    View<const Index> mass;           // (nodes)
    View<const Index> total;          // (graphs) the mass of each graph
    View<const double> rows;          // ((nodes + 3) * width) the points, node by node; the last three are none
    View<const double> columns;       // the points, graph by graph and feature by feature, in rows of padded length
    View<const std::uint64_t> codes;  // (depths * nodes)
    View<const Index> level;          // (nodes) a node equals the one before it at the depths below its level

    WG_INLINE Index n_nodes() const { return mass.size; }
    WG_INLINE Index nodes_of(Index g) const { return ptr[g + 1] - ptr[g]; }
};

/// How the distance of a pair is computed.
struct Rules {
    Index width = 0;          // the number of coordinates of a point
    Index dim = 0;            // that of one depth
    bool coded = false;       // whether nodes have codes
    View<const bool> wanted;  // (depths) whether a distance is wanted
    double label_weight = 0.0;
    double label_cost = 0.0;    // of labels that differ at all depths, in the unit of the points
    bool counted = false;       // whether masses are counts
    View<const double> prices;  // (depths) what a node without a partner costs, then
    Index max_iter = 0;         // 0: as many as the size of the graphs suggests
    StopFlag stop = nullptr;

    WG_INLINE Index n_depths() const { return wanted.size; }
};

/// A matrix of costs: n rows of `stride` entries, a multiple of eight. The first m of each row are costs; the others
/// are finite and have no meaning. Costs above the bound are lowered to it.
struct Costs {
    View<double> entries;
    Index n, m, stride;
    double bound = INFINITE;

    WG_INLINE double at(Index row, Index column) const { return entries[row * stride + column]; }
    WG_INLINE double bounded(Index row, Index column) const {
        const double cost = at(row, column);
        return cost < bound ? cost : bound;
    }
};

/// A spanning tree of n sources, which are the nodes 0 ... n - 1, and m sinks, n ... n + m - 1; see simplex.hpp.
struct Tree {
    View<Node> parent;              // the node above, NOBODY at the root
    View<Index> flow;               // what moves along the arc to the parent, from the source to the sink
    View<double> potential;         // u of a source, -v of a sink; eight entries more, which are NO_ARC
    View<std::uint64_t> low, high;  // (up to 128) the nodes 0 ... 63 and 64 ... 127 of the subtree, as bits
    View<Node> order;               // children before their parents
    View<Index> turn;               // the order of sources in the first tree
    View<bool> known;               // which nodes a walk along the tree has seen
    View<double> penalty;           // (sinks) minus the mean cost, NO_ARC of full ones; later memory of dual_value
    View<double> share;             // the masses as doubles, divided by their unit; needed for a cutoff only
};

/// What trees of more than 128 nodes need: a list of all nodes, and short lists of sinks.
struct Lists {
    View<Node> size;                  // the number of nodes in the subtree
    View<Node> following, preceding;  // the thread of the textbooks, a circle: the subtree of a node follows it
    View<Node> last;                  // the last node of the subtree in the list
    View<std::int32_t> sinks;         // (sources * SHORT)
    View<double> costs;               // of these sinks
    View<Node> old_parent;            // the tree before a new start
    View<Index> old_flow;
};

/// One graph whose arrays can be written.
struct WritableGraph {
    View<Index> ptr, mass, total;
    View<double> rows, columns;
    View<std::uint64_t> codes;

    WG_INLINE Graphs graphs() const { return {ptr, mass, total, rows, columns, codes, {}}; }
};

/// What a pair is solved in; each thread needs its own.
struct Memory {
    Tree tree;
    Lists lists;
    View<double> cost;                     // the ground costs of the pair
    View<double> squares, mismatches;      // what they are computed from: sums over the depths so far
    View<Index> supply, demand;            // what is left of them while the first tree is built
    WritableGraph merged_one, merged_two;  // the nodes that differ at a depth
    bool in_sets = true;                   // whether subtrees are sets; otherwise there are lists and merged graphs
};

/// A bound on the distance of a pair, and potentials of the graph on the left that may prove that it is exceeded.
struct Cutoff {
    double value = INFINITE;
    View<const double> hint;  // (nodes on the left), or none
    bool from_left = false;   // a result: whether the graph on the left was the source
};

/// What Sinkhorn's iterations work in, besides the memory of ground costs; see sinkhorn.hpp.
struct Balance {
    View<double> a, b;    // the marginals of rows and columns
    View<double> f, g;    // their potentials
    View<double> u, v;    // their factors; those behind the columns are 0
    View<double> sums;    // (columns)
    View<double> tops;    // (columns)
    View<double> kernel;  // (rows * stride)
};

/// Which plan Sinkhorn's iterations are to find, and how well.
struct EntropicGoal {
    double reg;  // the regularization, in the unit of the costs
    double tol;  // the error of the marginals
    Index max_iter;
    StopFlag stop;
};

}  // namespace wassergraph
