// The solvers of optimal transport, as Python calls them.
#include "transport.hpp"

#include <algorithm>
#include <vector>

#include "../dispatch.hpp"
#include "arrays.hpp"
#include "module.hpp"

namespace wassergraph {

namespace {

constexpr Index LANES = 8;
/// The last bits of a double hold the number of a column (with_numbers in simd.hpp).
constexpr Index MOST_NODES = Index{1} << 20;

Index padded(Index length) { return (length + LANES - 1) / LANES * LANES; }

/// Throw an error if the solvers would read beyond the arrays of a graph.
void check_graph(const Graphs& graphs, const Rules& rules, Index g) {
    require(0 <= g && g + 1 < graphs.ptr.size, "pairs must be numbers of graphs");
    const Index first = graphs.ptr[g], last = graphs.ptr[g + 1], width = rules.width;
    require(0 <= first && first < last && last <= graphs.n_nodes(), "ptr must ascend from 0 to the number of nodes");
    require(last - first < MOST_NODES, "a graph must have fewer than 1,048,576 nodes");
    require((last + ROWS_AT_ONCE - 1) * width <= graphs.rows.size, "rows must have three more points than nodes");
    const Index column = (first + (LANES - 1) * g) * width;
    require(column + padded(last - first) * width <= graphs.columns.size, "columns must have all padded graphs");
}

/// Throw an error if the solvers would read beyond arrays that all graphs share.
void check_side(const Graphs& graphs, const Rules& rules) {
    const Index n_codes = rules.coded ? rules.n_depths() * graphs.n_nodes() : 0;
    require(graphs.total.size + 1 >= graphs.ptr.size, "total must have an entry for every graph");
    require(graphs.codes.size >= n_codes, "codes must have an entry for every depth and node");
    require(graphs.level.size == 0 || graphs.level.size >= graphs.n_nodes(), "level must have an entry for every node");
}

void check_block(View<const Index> pairs, const Graphs& left, const Graphs& right, const Rules& rules) {
    check_side(left, rules);
    check_side(right, rules);
    for (Index t = 0; t < pairs.size; t += 2) {
        check_graph(left, rules, pairs[t]);
        check_graph(right, rules, pairs[t + 1]);
        require(left.total[pairs[t]] > 0 && right.total[pairs[t + 1]] > 0, "graphs must have a positive mass");
    }
}

/// Return the nodes of the largest graphs of both sides.
std::pair<Index, Index> largest_sizes(View<const Index> pairs, const Graphs& left, const Graphs& right) {
    Index n = 1, m = 1;
    for (Index t = 0; t < pairs.size; t += 2) {
        n = std::max(n, left.nodes_of(pairs[t]));
        m = std::max(m, right.nodes_of(pairs[t + 1]));
    }
    return {n, m};
}

/// Pairs of up to 128 nodes and larger ones are solved in different memory; positions of one sort.
std::vector<Index> positions_of(View<const Index> pairs, const Graphs& left, const Graphs& right, bool counted, bool small) {
    std::vector<Index> found;
    for (Index t = 0; t < pairs.size / 2; ++t) {
        const Index nodes = left.nodes_of(pairs[2 * t]) + right.nodes_of(pairs[2 * t + 1]) + (counted ? 1 : 0);
        if ((nodes <= MOST_IN_SETS) == small) found.push_back(t);
    }
    return found;
}

void solve_part(
    const std::vector<Index>& positions, View<const Index> pairs, const Graphs& left, const Graphs& right,
    const Rules& rules, bool small, View<double> out, View<Index> statuses) {
    const Index k = static_cast<Index>(positions.size()), n_wanted = out.size / std::max<Index>(statuses.size, 1);
    std::vector<Index> chosen(static_cast<std::size_t>(2 * k)), part_status(static_cast<std::size_t>(k), 0);
    std::vector<double> part(static_cast<std::size_t>(k * n_wanted));
    for (Index t = 0; t < k; ++t) {
        chosen[static_cast<std::size_t>(2 * t)] = pairs[2 * positions[static_cast<std::size_t>(t)]];
        chosen[static_cast<std::size_t>(2 * t + 1)] = pairs[2 * positions[static_cast<std::size_t>(t)] + 1];
    }
    const View<const Index> own{chosen.data(), 2 * k};
    const auto [n, m] = largest_sizes(own, left, right);
    const Workspace workspace(n, m, rules, small);
    core().solve_block(
        own, left, right, rules, workspace.memory, {part.data(), k * n_wanted}, {part_status.data(), k});
    for (Index t = 0; t < k; ++t) {
        const Index place = positions[static_cast<std::size_t>(t)];
        statuses[place] = part_status[static_cast<std::size_t>(t)];
        for (Index d = 0; d < n_wanted; ++d)
            out[place * n_wanted + d] = part[static_cast<std::size_t>(t * n_wanted + d)];
    }
}

void solve_block(
    const Matrix<const Index>& pair_array, nb::object left_side, nb::object right_side, nb::object rule_tuple,
    const Matrix<double>& out_array, const Array<Index>& status_array) {
    const Graphs left = graphs_of(left_side), right = graphs_of(right_side);
    const Rules rules = rules_of(rule_tuple);
    const View<const Index> pairs = view(pair_array);
    const View<double> out = view(out_array);
    const View<Index> statuses = view(status_array);
    require(pair_array.shape(1) == 2 && pair_array.shape(0) == status_array.size(), "pairs must have shape (k, 2)");
    require(out_array.shape(0) == status_array.size(), "out must have a row for every pair");
    require(static_cast<Index>(out_array.shape(1)) == n_wanted_of(rules), "out must have a column for every depth wanted");
    check_block(pairs, left, right, rules);
    const nb::gil_scoped_release released;
    for (const bool small : {true, false}) {
        const std::vector<Index> positions = positions_of(pairs, left, right, rules.counted, small);
        if (!positions.empty()) solve_part(positions, pairs, left, right, rules, small, out, statuses);
    }
}

}  // namespace

Graphs graphs_of(nb::handle side) {
    return {
        field<const Index>(side, "ptr"),
        field<const Index>(side, "mass"),
        field<const Index>(side, "total"),
        field<const double>(side, "rows"),
        field<const double>(side, "columns"),
        field<const std::uint64_t>(side, "codes"),
        field<const Index>(side, "level"),
    };
}

Rules rules_of(nb::handle rules) {
    Rules result;
    result.width = number<Index>(rules, "width");
    result.dim = number<Index>(rules, "dim");
    result.coded = number<bool>(rules, "coded");
    result.wanted = field<const bool>(rules, "wanted");
    result.label_weight = number<double>(rules, "label_weight");
    result.label_cost = number<double>(rules, "label_cost");
    result.counted = number<bool>(rules, "counted");
    result.prices = field<const double>(rules, "prices");
    result.max_iter = number<Index>(rules, "max_iter");
    const View<const bool> stop = field<const bool>(rules, "stop");
    require(stop.size == 1, "stop must be one flag");
    result.stop = stop.data;
    require(result.dim >= 0 && result.width >= result.dim * result.n_depths(), "points must have all depths");
    require(!result.counted || result.prices.size == result.n_depths(), "prices must have an entry for every depth");
    return result;
}

Index n_wanted_of(const Rules& rules) {
    return std::count(rules.wanted.data, rules.wanted.data + rules.wanted.size, true);
}

void bind_transport(nb::module_& module) {
    module.def(
        "solve_block", solve_block, nb::arg("pairs").noconvert(), nb::arg("left"), nb::arg("right"), nb::arg("rules"),
        nb::arg("out").noconvert(), nb::arg("status").noconvert());
}

}  // namespace wassergraph
