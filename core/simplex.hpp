// Exact optimal transport by the network simplex.
//
// The problem: move integer supplies (n) to integer demands (m) at costs (n, m). A basis is a spanning tree of the
// n + m nodes, kept in arrays by node (Tree in problem.hpp) and, so that subtrees can be moved, as sets of nodes
// (tree_sets.cpp) or as a list of all nodes (tree_lists.cpp). The flow of an arc is stored at its lower node. With
// the potentials of a Tree, the reduced cost of the arc from source i to sink j is cost_ij + potential_j - potential_i.
//
// Supplies are perturbed: with K = 2n + 1, every supply is multiplied by K and increased by 1, and the last demand
// increases by n. No flow of a basis is then zero, so every pivot lowers the total cost: neither cycling nor stalling
// can happen (Charnes' method, equivalent to strongly feasible trees). Dividing by K and rounding gives the flows of the
// given problem, exactly.
#pragma once

#include "problem.hpp"
#include "simd.hpp"

namespace wassergraph::WG_LEVEL {

/// Reduced costs above minus this share of the largest cost count as zero; too small to affect the distance.
inline constexpr double TOLERANCE = 1e-13;
/// More than any flow.
inline constexpr Index HUGE_FLOW = Index{1} << 62;

/// The node below the arc that leaves the tree, and the cycle that the entering arc closes.
struct Leaving {
    Index amount;    // the flow that is sent along the cycle
    Node node;       // below the leaving arc
    bool sink_side;  // whether it is on the way from the sink of the entering arc to the top
    Node top;        // the node of the cycle that is nearest to the root
};

/// What a series of pivots did.
struct Progress {
    Index pivots;  // less than the allowed number if no arc enters
    Index row;     // the source with which the search for the next entering arc begins
};

// simplex.cpp: trees, their potentials and costs

/// Build a first tree; supplies and demands are reduced to zero. Returns 0, or NOT_STARTED.
Index start(const Costs& costs, const Memory& memory);
/// Build a new first tree, and keep it if it costs less than the present one, which was optimal for other costs; return
/// whether it was kept.
bool restart(const Costs& costs, const Memory& memory, Index unit);
/// Compute the potentials of a tree from the costs.
void set_potentials(const Costs& costs, const Tree& tree);
/// Sum the costs of the flows of the tree, divided by a unit.
double total_cost(const Costs& costs, const Tree& tree, Index unit);
/// Return whether mass moves along an arc that costs more than a bound.
bool moves_above(const Costs& costs, const Tree& tree, double bound);
/// Return the largest cost.
double largest_cost(const Costs& costs);
/// Return the value of the dual problem for potentials of the sources, completed by the best ones of the sinks.
double dual_value(const Costs& costs, View<const double> shares, View<const double> potential, View<double> least);
/// Pivot until no arc has a negative reduced cost; return the number of pivots or a status.
Index optimize(
    const Costs& costs, const Memory& memory, double tolerance, Index max_iter, double cutoff, StopFlag stop);

/// Return the flow of the given problem for one of the perturbed problem.
WG_INLINE Index true_flow(Index flow, Index perturbation) { return (flow + perturbation / 2) / perturbation; }

// tree_sets.cpp: up to 128 nodes

/// Collect the subtrees of the first tree.
void collect_sets(Index nodes, const Tree& tree);
/// Make at most so many pivots.
Progress pivot_in_sets(const Costs& costs, const Tree& tree, Index row, double tolerance, Index most, StopFlag stop);

// tree_lists.cpp: any number of nodes

/// Link the nodes of the first tree to a list.
void link_list(Index nodes, const Tree& tree, const Lists& lists);
/// Find arcs with small reduced costs in every row; return whether one of them is negative.
bool fill_short_lists(const Costs& costs, View<const double> potential, double tolerance, const Lists& lists);
/// Make at most so many pivots along arcs of the short lists.
Progress pivot_in_list(
    const Costs& costs, const Tree& tree, const Lists& lists, Index row, double tolerance, Index most, StopFlag stop);

}  // namespace wassergraph::WG_LEVEL
