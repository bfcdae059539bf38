// Pivots in trees of any size. All nodes are in one list, in which the subtree of a node follows it. A pivot moves parts
// of the list, and shifts the potentials of the smaller part of the tree. Every source has a short list of its most
// promising sinks, and pivots use these arcs only, until none of them lowers the cost. Then all rows are searched, and
// the short lists filled again; if there is nothing to gain in any row, the tree is optimal.
#include "simplex.hpp"

namespace wassergraph::WG_LEVEL {

namespace {

/// How many short lists are searched before an entering arc is chosen among them.
constexpr Index SHORT_ROWS = 8;

/// Enter eight numbered columns of a row; what is no column becomes the last one.
void set_short_list(const Costs& costs, Index row, Lanes values, Index place, const Lists& lists) {
    store(lists.costs, place, values);
    for (Index k = place; k < place + LANES; ++k) {
        const Index number = number_of(lists.costs[k]), column = number < costs.m ? number : costs.m - 1;
        lists.sinks[k] = static_cast<std::int32_t>(column);
        lists.costs[k] = costs.bounded(row, column);
    }
}

struct ShortArc {
    Index source, place;  // the source is -1 if no arc enters; the place is that in the short lists
};

/// Search short lists from `row` on, a few at a time, for the arc with the most negative reduced cost.
WG_INLINE ShortArc entering_arc(
    Index n, const Lists& lists, View<const double> potential, Index& row, double tolerance) {
    for (Index seen = 0; seen < n; seen += SHORT_ROWS) {
        Lanes best = repeat(-tolerance);
        const Index first = row;
        for (Index turn = 0; turn < SHORT_ROWS; ++turn) {
            const Lanes shift = repeat(potential[row]);
            const Index begin = row * SHORT, number = turn * SHORT;
            for (Index j = 0; j < SHORT; j += LANES) {
                const Lanes of_sinks = gather(potential, n, lists.sinks, begin + j);
                const Lanes reduced = (load(lists.costs, begin + j) + of_sinks) - shift;
                best = smaller(with_numbers(reduced, number + j), best);
            }
            if (++row == n) row = 0;
        }
        const double value = smallest(best);
        if (value < -tolerance) {
            const Index number = number_of(value), source = (first + number / SHORT) % n;
            return {source, source * SHORT + number % SHORT};
        }
    }
    return {-1, 0};
}

/// Look at the arc above a node of the cycle, and go up. Only the arcs of every other node lose flow.
WG_INLINE void climb(const Tree& tree, Node& node, bool& loses, bool sink_side, Leaving& leaving) {
    if (loses && tree.flow[node] < leaving.amount) {
        leaving.amount = tree.flow[node];
        leaving.node = node;
        leaving.sink_side = sink_side;
    }
    node = tree.parent[node];
    loses = !loses;
}

/// Find the arc whose flow reaches zero first. Of two nodes on different sides of the cycle, the one with the smaller
/// subtree is below its top.
WG_INLINE Leaving leaving_arc(const Tree& tree, View<const Node> size, Node source, Node sink) {
    Leaving leaving{HUGE_FLOW, source, false, source};
    Node k = source, other = sink;
    bool k_loses = true, other_loses = true;
    while (k != other) {
        if (size[k] < size[other])
            climb(tree, k, k_loses, false, leaving);
        else
            climb(tree, other, other_loses, true, leaving);
    }
    leaving.top = k;
    return leaving;
}

/// What is left to do after a path was reversed.
struct Reversed {
    Node tail;     // the last node of the subtree in the list
    Node above;    // its former parent
    Index change;  // by how much the flow of the arc of that parent changes
};

/// Make `first` the root of the subtree below the leaving arc, by reversing the path between them, and hang it below
/// `other`. In the list, the subtree of the new root comes first, then that of its former parent without it, and so on.
/// What begins with `old_` belongs to k as it was before the links of its parent change.
WG_INLINE Reversed reverse_path(const Tree& tree, const Lists& lists, Node first, const Leaving& leaving, Node other) {
    const Node moved = lists.size[leaving.node];
    Node k = first, tail = lists.last[k], old_last = tail, old_next = lists.following[tail];
    Node old_before = lists.preceding[k], next_above = tree.parent[k], old_size = lists.size[k];
    Index change = -leaving.amount, carried = tree.flow[k] + change;
    tree.parent[k] = other;
    tree.flow[k] = leaving.amount;
    lists.size[k] = moved;
    while (k != leaving.node) {
        change = -change;
        const Node above = next_above, above_last = lists.last[above], above_before = lists.preceding[above];
        const Node above_next = above_last == old_last ? old_next : lists.following[above_last];
        lists.following[tail] = above;
        lists.preceding[above] = tail;
        tail = old_before;
        if (above_last != old_last) {
            lists.following[tail] = old_next;
            lists.preceding[old_next] = tail;
            tail = above_last;
        }
        next_above = tree.parent[above];
        const Index next_carried = tree.flow[above] + change;
        const Node next_size = lists.size[above];
        tree.parent[above] = k;
        tree.flow[above] = carried;
        lists.size[above] = moved - old_size;
        k = above;
        carried = next_carried;
        old_size = next_size;
        old_last = above_last;
        old_next = above_next;
        old_before = above_before;
    }
    for (; k != other; k = tree.parent[k]) lists.last[k] = tail;
    return {tail, next_above, -change};
}

/// Change flows, by turns up and down, and sizes from a node to the top of the cycle, and last nodes as far as needed.
WG_INLINE void send_up(
    const Tree& tree, const Lists& lists, Node node, Node top, Index change, Node more, Node old_last, Node new_last) {
    Node k = node;
    for (; k != top; k = tree.parent[k]) {
        tree.flow[k] += change;
        change = -change;
        lists.size[k] += more;  // modulo 2^32: it may be less
        if (lists.last[k] == old_last) lists.last[k] = new_last;
    }
    for (; k != NOBODY && lists.last[k] == old_last; k = tree.parent[k]) lists.last[k] = new_last;
}

/// Shift the potentials of a part of the list; or, which is the same, all others the other way. The list is followed
/// from both ends, since the processor waits for every step.
WG_INLINE void shift_potentials(
    View<double> potential, const Lists& lists, Index nodes, Node first, Node tail, Index moved, double shift) {
    Node k = first, end = tail;
    Index number = moved;
    if (2 * moved > nodes) {
        k = lists.following[tail];
        end = lists.preceding[first];
        number = nodes - moved;
        shift = -shift;
    }
    for (Index step = 0; step < number / 2; ++step) {
        const Node one = k, two = end;
        k = lists.following[k];
        end = lists.preceding[end];
        potential[one] += shift;
        potential[two] += shift;
    }
    if (number % 2 > 0) potential[k] += shift;
}

/// Exchange the arc from a source to a sink for the one whose flow reaches zero first. Not inlined: the search for
/// entering arcs then keeps its values in registers.
WG_NOINLINE void exchange(const Tree& tree, const Lists& lists, Index nodes, Node source, Node sink, double reduced) {
    const Leaving leaving = leaving_arc(tree, lists.size, source, sink);
    const Node first = leaving.sink_side ? sink : source, other = leaving.sink_side ? source : sink;
    const Node end = lists.last[leaving.node], before = lists.preceding[leaving.node];
    const Node moved = lists.size[leaving.node], next = lists.following[end];
    // Take the subtree below the leaving arc out of the list, turn it around, and put it behind `other`.
    lists.following[before] = next;
    lists.preceding[next] = before;
    const Reversed reversed = reverse_path(tree, lists, first, leaving, other);
    send_up(tree, lists, reversed.above, leaving.top, reversed.change, Node{0} - moved, end, before);
    const Node after = lists.following[other];
    lists.following[other] = first;
    lists.preceding[first] = other;
    lists.following[reversed.tail] = after;
    lists.preceding[after] = reversed.tail;
    send_up(tree, lists, other, leaving.top, -leaving.amount, moved, other, reversed.tail);
    const double shift = leaving.sink_side ? -reduced : reduced;
    shift_potentials(tree.potential, lists, nodes, first, reversed.tail, moved, shift);
}

}  // namespace

void link_list(Index nodes, const Tree& tree, const Lists& lists) {
    for (Index k = 0; k < nodes; ++k) {
        lists.size[k] = 1;
        lists.last[k] = static_cast<Node>(k);
        lists.following[k] = NOBODY;
    }
    for (Index step = 0; step < nodes - 1; ++step) {
        const Node child = tree.order[step], above = tree.parent[child];
        lists.size[above] += lists.size[child];
        lists.following[lists.last[child]] = lists.following[above];
        lists.following[above] = child;
        if (lists.last[above] == above) lists.last[above] = lists.last[child];
    }
    const Node root = tree.order[nodes - 1];
    lists.following[lists.last[root]] = root;
    Node k = root;
    for (Index step = 0; step < nodes; ++step) {
        lists.preceding[lists.following[k]] = k;
        k = lists.following[k];
    }
}

/// In every row, the two best arcs of each of eight classes of columns are kept.
bool fill_short_lists(const Costs& costs, View<const double> potential, double tolerance, const Lists& lists) {
    const Lanes bound = repeat(costs.bound);
    Lanes least = repeat(-tolerance);
    for (Index i = 0; i < costs.n; ++i) {
        const Lanes shift = repeat(potential[i]);
        Lanes first = repeat(NO_ARC), second = repeat(NO_ARC);
        for (Index j = 0; j < costs.stride; j += LANES) {
            const Lanes cost = smaller(load(costs.entries, i * costs.stride + j), bound);
            const Lanes value = with_numbers((cost + load(potential, costs.n + j)) - shift, j);
            second = smaller(second, larger(first, value));
            first = smaller(first, value);
        }
        least = smaller(first, least);
        set_short_list(costs, i, first, i * SHORT, lists);
        set_short_list(costs, i, second, i * SHORT + LANES, lists);
    }
    return smallest(least) < -tolerance;
}

Progress pivot_in_list(
    const Costs& costs, const Tree& tree, const Lists& lists, Index row, double tolerance, Index most, StopFlag stop) {
    for (Index pivots = 0; pivots < most; ++pivots) {
        const ShortArc arc = entering_arc(costs.n, lists, tree.potential, row, tolerance);
        if (arc.source < 0 || *stop) return {pivots, row};
        const Index sink = costs.n + lists.sinks[arc.place];
        const double reduced = lists.costs[arc.place] + tree.potential[sink] - tree.potential[arc.source];
        exchange(tree, lists, costs.n + costs.m, static_cast<Node>(arc.source), static_cast<Node>(sink), reduced);
    }
    return {most, row};
}

}  // namespace wassergraph::WG_LEVEL
