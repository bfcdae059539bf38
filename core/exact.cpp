#include "exact.hpp"

#include "simplex.hpp"

namespace wassergraph::WG_LEVEL {

namespace {

/// If the largest cost exceeds the result by this factor, the problem is solved again with a smaller tolerance.
constexpr double REACH = 1e3;
/// A depth is solved with the nodes that differ there if they leave at most this share of the costs.
constexpr double MOST_MERGED = 0.75;

/// The masses of a pair, as the solver sees it.
struct Masses {
    const Graphs &one, &two;
    Index g, h;
    bool counted;

    /// Return what the first graph has too little, if masses are counts.
    WG_INLINE Index lack() const { return counted && one.total[g] < two.total[h] ? two.total[h] - one.total[g] : 0; }
};

/// Return the costs of a pair, whose entries are not set yet. With counts, one more source has what the first graph
/// lacks.
Costs new_costs(const Masses& masses, const Memory& memory) {
    const Index n = masses.one.nodes_of(masses.g), m = masses.two.nodes_of(masses.h);
    return {memory.cost, n + (masses.lack() > 0 ? 1 : 0), m, padded(m)};
}

/// Set the perturbed supplies and demands (see simplex.hpp). Returns what flows are divided by: the total before the
/// perturbation or, if masses are counts, 1.
Index set_masses(const Masses& masses, const Costs& costs, const Memory& memory) {
    const Graphs &one = masses.one, &two = masses.two;
    const Index total = one.total[masses.g], other = two.total[masses.h], perturbation = 2 * costs.n + 1;
    const Index unit = masses.counted ? 1 : common_total(total, other);
    const Index factor = masses.counted ? 1 : unit / total, other_factor = masses.counted ? 1 : unit / other;
    const Index n = one.nodes_of(masses.g);
    for (Index i = 0; i < n; ++i) memory.supply[i] = one.mass[one.ptr[masses.g] + i] * factor * perturbation + 1;
    if (costs.n > n) memory.supply[n] = masses.lack() * perturbation + 1;
    for (Index j = 0; j < costs.m; ++j)
        memory.demand[j] = two.mass[two.ptr[masses.h] + j] * other_factor * perturbation;
    memory.demand[costs.m - 1] += costs.n;
    return unit;
}

/// Set the masses of a tree as doubles, from perturbed ones.
void set_shares(const Costs& costs, Index unit, const Memory& memory) {
    const Index perturbation = 2 * costs.n + 1;
    const View<double> share = memory.tree.share;
    const auto share_of = [=](Index perturbed) {
        const Index mass = perturbed / perturbation;  // rounded down
        return static_cast<double>(mass) / static_cast<double>(unit);
    };
    for (Index i = 0; i < costs.n; ++i) share[i] = share_of(memory.supply[i]);
    for (Index j = 0; j < costs.m; ++j) share[costs.n + j] = share_of(memory.demand[j]);
}

/// Return whether potentials of the sources, or of the sinks, prove that the solution costs more than the cutoff. An
/// additional source has the potential 0.
bool hint_exceeds(const Costs& costs, const Cutoff& cutoff, const Memory& memory) {
    const Tree& tree = memory.tree;
    if (cutoff.from_left) {
        for (Index i = 0; i < costs.n; ++i) tree.potential[i] = i < cutoff.hint.size ? cutoff.hint[i] : 0.0;
        return dual_value(costs, tree.share, tree.potential, tree.penalty) > cutoff.value;
    }
    double value = 0.0;
    for (Index j = 0; j < costs.m; ++j) value += tree.share[costs.n + j] * cutoff.hint[j];
    for (Index i = 0; i < costs.n; ++i) {
        double least = INFINITE;
        for (Index j = 0; j < costs.m; ++j) {
            const double reduced = costs.at(i, j) - cutoff.hint[j];
            least = reduced < least ? reduced : least;
        }
        value += tree.share[i] * least;
    }
    return value > cutoff.value;
}

/// Set the masses of a pair, and build a first tree; return what flows are divided by, or a status.
Index first_tree(const Masses& masses, const Costs& costs, const Cutoff& cutoff, const Memory& memory) {
    const Index unit = set_masses(masses, costs, memory);
    if (cutoff.value < INFINITE) {
        set_shares(costs, unit, memory);
        if (cutoff.hint.size > 0 && hint_exceeds(costs, cutoff, memory)) return status::ABANDONED;
    }
    const Index started = start(costs, memory);
    return started == 0 ? unit : started;
}

struct Solution {
    Index pivots;  // or a status
    double cost;
};

/// Pivot from the current tree to an optimal one. Flows are divided by `unit`; one below 0 is the status of a tree that
/// could not be built.
///
/// The tolerance is relative to the largest cost. If that is far above the result, as when both graphs have the same
/// outlier, the problem is solved again with all costs above a bound lowered to it. This can only lower the optimum: if
/// the plan then found moves nothing at a lowered cost, it is optimal without the bound, too. If not, the bound is
/// raised.
Solution improve(Costs costs, const Memory& memory, Index unit, const Rules& rules, double cutoff) {
    if (unit < 0) return {unit, 0.0};
    const Index most = rules.max_iter > 0 ? rules.max_iter : 1000 * (costs.n + costs.m);
    const double top = largest_cost(costs);
    // Potentials are sums of costs, and must stay below what is no arc.
    if (!(top * static_cast<double>(costs.n + costs.m) < 1e-3 * NO_ARC)) return {status::NOT_STARTED, 0.0};
    double reach = REACH;  // the bound is this times the result
    Index pivots = 0;
    costs.bound = top;
    while (true) {
        set_potentials(costs, memory.tree);
        const Index made = optimize(costs, memory, TOLERANCE * costs.bound, most, cutoff, rules.stop);
        const double value = total_cost(costs, memory.tree, unit);
        if (made < 0) return {made, value};
        pivots += made;
        if (costs.bound < top && moves_above(costs, memory.tree, costs.bound)) {
            reach *= REACH;
            costs.bound = costs.bound * REACH < top ? costs.bound * REACH : top;
        } else if (0.0 < reach * value && reach * value < costs.bound) {
            costs.bound = reach * value;
        } else {
            return {pivots, value};
        }
    }
}

/// Return whether the graph on the left is the source: the one with fewer nodes, since fewer and longer rows are faster;
/// with counts, the one with less mass.
template <Ground G>
bool starts_left(const G& ground, Index g, Index h, bool counted) {
    const Graphs &left = ground.of(0), &right = ground.of(1);
    if (counted && left.total[g] != right.total[h]) return left.total[g] < right.total[h];
    const Index n = left.nodes_of(g), m = right.nodes_of(h);
    return n != m ? n < m : ground.comes_first(g, h);
}

/// Return whether a pair has so few different nodes at a depth that it is solved with these alone.
template <Ground G>
bool merges(const G& ground, const Pair& pair, Index depth, const Rules& rules, const Memory& memory) {
    if (memory.in_sets || depth + 1 == rules.n_depths()) return false;
    const int source = pair.from_left ? 0 : 1, sink = 1 - source;
    const Index n = ground.of(source).nodes_of(pair.source), m = ground.of(sink).nodes_of(pair.sink);
    const Index few = ground.differing(source, pair.source, depth), others = ground.differing(sink, pair.sink, depth);
    return static_cast<double>(few * others) <= MOST_MERGED * static_cast<double>(n * m);
}

/// Solve one depth for the nodes that differ there, from a first tree of its own.
template <Ground G>
Solution solve_merged(G& ground, const Pair& pair, Index depth, const Rules& rules, const Memory& memory) {
    G merged = ground.merged(pair, depth);
    const Masses masses{merged.of(0), merged.of(1), 0, 0, rules.counted};
    const Costs costs = new_costs(masses, memory);
    merged.costs_at({0, 0, true}, depth, costs);
    const Index unit = first_tree(masses, costs, Cutoff{}, memory);
    return improve(costs, memory, unit, rules, INFINITE);
}

/// Replace the tree of the depth before by a new first tree if that costs less; return whether it was.
bool starts_anew(const Masses& masses, const Costs& costs, const Memory& memory, Index unit) {
    if (memory.in_sets) return false;
    set_masses(masses, costs, memory);
    return restart(costs, memory, unit);
}

/// Solve a pair whose source is chosen; otherwise as solve_pair.
template <Ground G>
Index solve_depths(
    G& ground, const Pair& pair, const Rules& rules, const Cutoff& cutoff, const Memory& memory, View<double> out) {
    const Graphs &one = ground.of(pair.from_left ? 0 : 1), &two = ground.of(pair.from_left ? 1 : 0);
    const Masses masses{one, two, pair.source, pair.sink, rules.counted};
    const Costs costs = new_costs(masses, memory);
    ground.begin_pair();
    Index pivots = 0, solved = 0, unit = 1;
    bool warm = false;   // whether there is a tree of all nodes, from the depth before
    bool trying = true;  // whether a new first tree may be better than that
    for (Index depth = 0; depth < rules.n_depths(); ++depth) {
        if (!rules.wanted[depth]) continue;
        Solution solution;
        if (!warm && merges(ground, pair, depth, rules, memory)) {
            solution = solve_merged(ground, pair, depth, rules, memory);
        } else {
            ground.costs_at(pair, depth, costs);
            if (!warm)
                unit = first_tree(masses, costs, cutoff, memory);
            else if (trying)
                trying = starts_anew(masses, costs, memory, unit);
            warm = true;
            solution = improve(costs, memory, unit, rules, cutoff.value);
        }
        if (solution.pivots < 0) return solution.pivots;
        out[solved++] = solution.cost;
        pivots += solution.pivots;
    }
    return pivots;
}

}  // namespace

template <Ground G>
Index solve_pair(
    G& ground, Index g, Index h, const Rules& rules, Cutoff& cutoff, const Memory& memory, View<double> out) {
    cutoff.from_left = starts_left(ground, g, h, rules.counted);
    const Pair pair = cutoff.from_left ? Pair{g, h, true} : Pair{h, g, false};
    return solve_depths(ground, pair, rules, cutoff, memory, out);
}

template Index solve_pair(NodeGround&, Index, Index, const Rules&, Cutoff&, const Memory&, View<double>);

void solve_block(
    View<const Index> pairs, const Graphs& left, const Graphs& right, const Rules& rules, const Memory& memory,
    View<double> out, View<Index> statuses) {
    NodeGround ground(left, right, rules, memory);
    const Index n_wanted = statuses.size > 0 ? out.size / statuses.size : 0;
    for (Index t = 0; t < statuses.size; ++t) {
        Cutoff cutoff;
        const View<double> result{out.data + t * n_wanted, n_wanted};
        statuses[t] = solve_pair(ground, pairs[2 * t], pairs[2 * t + 1], rules, cutoff, memory, result);
        if (statuses[t] == status::STOPPED) return;
    }
}

Index solve_given(const Graphs& left, const Graphs& right, const Rules& rules, const Memory& memory) {
    GivenGround ground(left, right);
    double cost = 0.0;
    return solve_depths(ground, {0, 0, true}, rules, Cutoff{}, memory, {&cost, 1});
}

}  // namespace wassergraph::WG_LEVEL
