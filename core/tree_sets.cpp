// Pivots in trees of up to 128 nodes: every node has the set of the nodes below it, in two words. Sets change by a few
// logical operations, and potentials are shifted eight at a time. Rows of costs are searched as a whole.
#include "simplex.hpp"

namespace wassergraph::WG_LEVEL {

namespace {

/// How many rows of the cost matrix are searched before an entering arc is chosen among them.
constexpr Index ROWS = 4;
/// Of the number of an entry, so many bits are those of the column; there are at most 128 columns.
constexpr int COLUMN_BITS = 7;

struct NodeSet {
    std::uint64_t low, high;

    static WG_INLINE NodeSet of(Index node) {
        const std::uint64_t bit = std::uint64_t{1} << (node & 63);
        return node < 64 ? NodeSet{bit, 0} : NodeSet{0, bit};
    }
    WG_INLINE bool meets(NodeSet other) const { return ((low & other.low) | (high & other.high)) != 0; }
};

WG_INLINE NodeSet below(const Tree& tree, Node node) { return {tree.low[node], tree.high[node]}; }

struct EnteringArc {
    Index source, column;  // the source is -1 if no arc enters
};

/// Search rows from `row` on, a few at a time, for the arc with the most negative reduced cost. Numbers replace the
/// last 20 bits, so that either of two arcs may be found whose reduced costs agree in all others.
WG_INLINE EnteringArc entering_arc(const Costs& costs, View<const double> potential, Index& row, double tolerance) {
    const Lanes bound = repeat(costs.bound);
    for (Index seen = 0; seen < costs.n; seen += ROWS) {
        Lanes best = repeat(-tolerance);
        const Index first = row;
        for (Index turn = 0; turn < ROWS; ++turn) {
            const Lanes shift = repeat(potential[row]);
            const Index begin = row * costs.stride, number = turn << COLUMN_BITS;
            for (Index j = 0; j < costs.stride; j += LANES) {
                const Lanes cost = smaller(load(costs.entries, begin + j), bound);
                const Lanes reduced = (cost + load(potential, costs.n + j)) - shift;
                best = smaller(with_numbers(reduced, number + j), best);
            }
            if (++row == costs.n) row = 0;
        }
        const double value = smallest(best);
        if (value < -tolerance) {
            const Index number = number_of(value);
            Index source = first + (number >> COLUMN_BITS);
            while (source >= costs.n) source -= costs.n;  // a division takes longer
            return {source, number & ((1 << COLUMN_BITS) - 1)};
        }
    }
    return {-1, 0};
}

/// Find the arc whose flow reaches zero first when flow is sent along the cycle. Sources and sinks alternate on the way
/// up: from the source, the arcs above sources lose flow, and those above sinks gain it; from the sink, it is the other
/// way round.
WG_INLINE Leaving leaving_arc(const Tree& tree, Node source, Node sink) {
    const NodeSet of_sink = NodeSet::of(sink);
    Leaving leaving{HUGE_FLOW, source, false, source};
    Node k = source;
    while (!below(tree, k).meets(of_sink)) {
        if (tree.flow[k] < leaving.amount) {
            leaving.amount = tree.flow[k];
            leaving.node = k;
        }
        k = tree.parent[k];
        if (below(tree, k).meets(of_sink)) break;
        k = tree.parent[k];
    }
    leaving.top = k;
    for (k = sink; k != leaving.top;) {
        if (tree.flow[k] < leaving.amount) {
            leaving.amount = tree.flow[k];
            leaving.node = k;
            leaving.sink_side = true;
        }
        k = tree.parent[k];
        if (k != leaving.top) k = tree.parent[k];
    }
    return leaving;
}

/// Make `first` the root of the subtree below the leaving arc, by reversing the path between them, and hang it below
/// `other`. The arc between two nodes of the path was stored at the lower one, and is then stored at the other one:
/// `carried` is its flow. Returns the former parent of the subtree; `change` becomes that of the flow of its arc.
WG_INLINE Node reverse_path(const Tree& tree, Node first, const Leaving& leaving, Node other, Index& change) {
    const NodeSet moved = below(tree, leaving.node);
    NodeSet previous{0, 0};
    Node k = first, above = other;
    Index carried = leaving.amount;
    change = -leaving.amount;
    while (true) {
        const Node next_above = tree.parent[k];
        const Index next_carried = tree.flow[k] + change;
        const NodeSet old = below(tree, k);
        tree.low[k] = moved.low & ~previous.low;
        tree.high[k] = moved.high & ~previous.high;
        previous = old;
        tree.parent[k] = above;
        tree.flow[k] = carried;
        change = -change;
        if (k == leaving.node) return next_above;
        above = k;
        carried = next_carried;
        k = next_above;
    }
}

/// Exchange the arc from a source to a sink for the one whose flow reaches zero first. Not inlined: the search for
/// entering arcs then keeps its values in registers.
WG_NOINLINE void exchange(const Tree& tree, Index nodes, Node source, Node sink, double reduced) {
    const Leaving leaving = leaving_arc(tree, source, sink);
    const Node first = leaving.sink_side ? sink : source, other = leaving.sink_side ? source : sink;
    const NodeSet moved = below(tree, leaving.node);
    Index change;
    for (Node k = reverse_path(tree, first, leaving, other, change); k != leaving.top; k = tree.parent[k]) {
        tree.flow[k] += change;
        change = -change;
        tree.low[k] &= ~moved.low;
        tree.high[k] &= ~moved.high;
    }
    change = -leaving.amount;
    for (Node k = other; k != leaving.top; k = tree.parent[k]) {
        tree.flow[k] += change;
        change = -change;
        tree.low[k] |= moved.low;
        tree.high[k] |= moved.high;
    }
    const Lanes shift = repeat(leaving.sink_side ? -reduced : reduced);
    for (Index begin = 0; begin < nodes && begin < 64; begin += LANES)
        store(tree.potential, begin, load(tree.potential, begin) + keep(moved.low >> begin, shift));
    for (Index begin = 64; begin < nodes; begin += LANES)
        store(tree.potential, begin, load(tree.potential, begin) + keep(moved.high >> (begin - 64), shift));
}

}  // namespace

void collect_sets(Index nodes, const Tree& tree) {
    for (Index k = 0; k < nodes; ++k) {
        const NodeSet itself = NodeSet::of(k);
        tree.low[k] = itself.low;
        tree.high[k] = itself.high;
    }
    for (Index step = 0; step < nodes - 1; ++step) {
        const Node child = tree.order[step], above = tree.parent[child];
        tree.low[above] |= tree.low[child];
        tree.high[above] |= tree.high[child];
    }
}

Progress pivot_in_sets(const Costs& costs, const Tree& tree, Index row, double tolerance, Index most, StopFlag stop) {
    for (Index pivots = 0; pivots < most; ++pivots) {
        const EnteringArc arc = entering_arc(costs, tree.potential, row, tolerance);
        if (arc.source < 0 || *stop) return {pivots, row};
        const Index sink = costs.n + arc.column;
        const double cost = costs.bounded(arc.source, arc.column);
        const double reduced = cost + tree.potential[sink] - tree.potential[arc.source];
        exchange(tree, costs.n + costs.m, static_cast<Node>(arc.source), static_cast<Node>(sink), reduced);
    }
    return {most, row};
}

}  // namespace wassergraph::WG_LEVEL
