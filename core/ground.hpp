// Ground costs: what it costs to move one node onto another.
//
// The solvers (exact.hpp, sinkhorn.hpp) ask a *ground* for them, and know nothing else of what is compared. A further
// ground cost is one more type with the functions of the concept below, and one more entry beside `solve_block`.
#pragma once

#include <concepts>

#include "problem.hpp"
#include "simd.hpp"

namespace wassergraph::WG_LEVEL {

/// Two graphs, of which one has the sources.
struct Pair {
    Index source, sink;     // the graphs
    bool from_left = true;  // whether the first is on the left
};

template <class T>
concept Ground =
    requires(T ground, const T& fixed, int side, const Pair& pair, Index g, Index depth, const Costs& costs) {
        // The graphs on the left (side 0) or on the right (side 1): their nodes and masses.
        { fixed.of(side) } -> std::same_as<const Graphs&>;
        // An order of graphs of equal size, so that a distance does not depend, to the last bit, on which graph is on the left.
        { fixed.comes_first(g, g) } -> std::same_as<bool>;
        // The costs at a depth; the depths of a pair come in ascending order, after begin_pair.
        ground.begin_pair();
        ground.costs_at(pair, depth, costs);
        // How many nodes differ at a depth, and the same pair with these alone; at the last depth all nodes differ.
        { fixed.differing(side, g, depth) } -> std::same_as<Index>;
        { ground.merged(pair, depth) } -> std::same_as<T>;
    };

/// Add the squared differences of the features first ... last - 1 to squares (n * stride), four rows at a time. Points
/// are stored twice: by node, in rows of `width` features, for the rows, and by feature, in rows of `stride` nodes, for
/// the columns. Differences are squared, not |x|^2 + |y|^2 - 2xy: that would lose half of the digits, and the distance of
/// a graph to itself would not be zero.
void add_squares(
    Index n, Index stride, View<const double> rows, View<const double> columns, Index width, Index first, Index last,
    View<double> squares);
/// Compute distances from squares, times a scale; the length is a multiple of eight.
void square_roots(Index length, View<const double> squares, double scale, View<double> distances);

/// Nodes with points, codes or both. The costs are the Euclidean distance of points, the share of depths at which codes
/// differ, or a weighted sum of these. Squares and mismatches are summed up depth by depth.
class NodeGround {
public:
    NodeGround(const Graphs& left, const Graphs& right, const Rules& rules, const Memory& memory)
        : left_(left), right_(right), rules_(rules), memory_(memory) {}

    WG_INLINE const Graphs& of(int side) const { return side == 0 ? left_ : right_; }
    bool comes_first(Index g, Index h) const;
    void costs_at(const Pair& pair, Index depth, const Costs& costs);
    Index differing(int side, Index g, Index depth) const;
    NodeGround merged(const Pair& pair, Index depth);
    /// Forget the sums of the pair before.
    void begin_pair() { added_ = 0; }

private:
    void clear(Index n, Index stride);
    void add_depths(const Pair& pair, Index end, Index n, Index m, Index stride);
    void combine(Index n, Index stride, Index depth, const Costs& costs);

    Graphs left_, right_;
    const Rules& rules_;
    const Memory& memory_;
    Index added_ = 0;  // how many depths were added to the sums
};

/// Costs that are given as a matrix, of one pair at one depth; they are in the memory of the solver, the graph on the left
/// in its rows.
class GivenGround {
public:
    GivenGround(const Graphs& left, const Graphs& right) : left_(left), right_(right) {}

    WG_INLINE const Graphs& of(int side) const { return side == 0 ? left_ : right_; }
    static WG_INLINE bool comes_first(Index, Index) { return true; }
    WG_INLINE void begin_pair() {}
    WG_INLINE void costs_at(const Pair&, Index, const Costs&) {}
    WG_INLINE Index differing(int side, Index g, Index) const { return of(side).nodes_of(g); }
    WG_INLINE GivenGround merged(const Pair&, Index) { return *this; }

private:
    Graphs left_, right_;
};

static_assert(Ground<NodeGround> && Ground<GivenGround>);

}  // namespace wassergraph::WG_LEVEL
