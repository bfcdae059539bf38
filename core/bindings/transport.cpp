// The solvers of optimal transport, as Python calls them.
#include "transport.hpp"

#include <algorithm>
#include <vector>

#include "../dispatch.hpp"
#include "../memory.hpp"
#include "arrays.hpp"
#include "module.hpp"

namespace wassergraph {

namespace {

/// Throw an error if the solvers would read beyond the arrays of a graph.
void check_graph(const Graphs& graphs, const Rules& rules, Index g) {
    require(0 <= g && g < graphs.ptr.size - 1, "pairs must be numbers of graphs");
    const Index first = graphs.ptr[g], last = graphs.ptr[g + 1];
    require(0 <= first && first < last && last <= graphs.n_nodes(), "ptr must ascend from 0 to the number of nodes");
    require(last - first < MOST_NODES, "a graph must have fewer than 1,048,576 nodes");
    if (graphs.level.size > 0) require(graphs.level[first] <= 0, "the first node of a graph differs at all depths");
    // Divided, not multiplied: a wrong width could overflow.
    const Index n_rows = last + ROWS_AT_ONCE - 1, n_columns = first + (LANES - 1) * g + padded(last - first);
    require(rules.width <= graphs.rows.size / n_rows, "rows must have three more points than nodes");
    require(rules.width <= graphs.columns.size / n_columns, "columns must have all padded graphs");
}

/// Throw an error if the solvers would read beyond arrays that all graphs share.
void check_side(const Graphs& graphs, const Rules& rules) {
    const Index n_codes = rules.coded ? rules.n_depths() * graphs.n_nodes() : 0;
    require(graphs.total.size + 1 >= graphs.ptr.size, "total must have an entry for every graph");
    require(graphs.codes.size >= n_codes, "codes must have an entry for every depth and node");
    require(graphs.level.size == 0 || graphs.level.size >= graphs.n_nodes(), "level must have an entry for every node");
}

/// Throw an error if the perturbed masses of a pair (simplex.hpp) would not be below 2^62.
void check_masses(const Graphs& left, const Graphs& right, bool counted, Index g, Index h) {
    const Index total = left.total[g], other = right.total[h];
    require(total > 0 && other > 0, "graphs must have a positive mass");
    const bool fits = masses_fit(total, other, counted, std::max(left.nodes_of(g), right.nodes_of(h)));
    require(fits, "the masses of graphs are too large");
    const bool one = sum_to({left.mass.data + left.ptr[g], left.ptr[g + 1] - left.ptr[g]}, total);
    const bool two = sum_to({right.mass.data + right.ptr[h], right.ptr[h + 1] - right.ptr[h]}, other);
    require(one && two, "total must be the sum of the masses of each graph, which are not negative");
}

/// Pairs of up to 128 nodes and larger ones are solved in different memory; positions of one sort.
std::vector<Index> positions_of(
    View<const Index> pairs, const Graphs& left, const Graphs& right, bool counted, bool small) {
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
    core().solve_block(own, left, right, rules, workspace.memory, {part.data(), k * n_wanted}, {part_status.data(), k});
    for (Index t = 0; t < k; ++t) {
        const Index place = positions[static_cast<std::size_t>(t)];
        statuses[place] = part_status[static_cast<std::size_t>(t)];
        for (Index d = 0; d < n_wanted; ++d)
            out[place * n_wanted + d] = part[static_cast<std::size_t>(t * n_wanted + d)];
    }
}

void solve_block(
    const Matrix<const Index>& pair_array, nb::handle left_side, nb::handle right_side, nb::handle rule_tuple,
    const Matrix<double>& out_array, const Array<Index>& status_array) {
    const Graphs left = graphs_of(left_side), right = graphs_of(right_side);
    const Rules rules = rules_of(rule_tuple);
    const View<const Index> pairs = view(pair_array);
    const View<double> out = view(out_array);
    const View<Index> statuses = view(status_array);
    check_block(pair_array, left, right, rules, out_array, status_array);
    const nb::gil_scoped_release released;
    for (const bool small : {true, false}) {
        const std::vector<Index> positions = positions_of(pairs, left, right, rules.counted, small);
        if (!positions.empty()) solve_part(positions, pairs, left, right, rules, small, out, statuses);
    }
}

/// Return the sum of masses; throw an error if one is negative, or the sum too large.
Index sum_of(View<const Index> masses) {
    Index sum = 0;
    for (Index i = 0; i < masses.size; ++i) {
        require(0 <= masses[i] && masses[i] <= MOST_MASS - sum, "masses must not be negative, nor too large");
        sum += masses[i];
    }
    return sum;
}

/// Solve one problem with given costs (n, m): the tree, its flows and potentials are written unless a status is returned.
Index solve_plan(
    const Matrix<const double>& cost, const Array<const Index>& supply_array, const Array<const Index>& demand_array,
    Index max_iter, const Array<const bool>& stop, const Array<Node>& parent, const Array<Index>& flow,
    const Array<double>& potential) {
    const View<const Index> supply = view(supply_array), demand = view(demand_array);
    const Index n = supply.size, m = demand.size;
    require(n > 0 && m > 0 && n < MOST_NODES && m < MOST_NODES, "both sides must have 1 to 1,048,575 nodes");
    require(static_cast<Index>(cost.shape(0)) == n && static_cast<Index>(cost.shape(1)) == m, "cost must be (n, m)");
    require(stop.size() == 1, "stop must be one flag");
    for (const std::size_t size : {parent.size(), flow.size(), potential.size()})
        require(static_cast<Index>(size) == n + m, "results must have an entry for every node");
    const Index total = sum_of(supply);
    if (total != sum_of(demand) || total == 0) return status::NOT_STARTED;
    const bool wanted = true;
    const Index ptr[2] = {0, n}, other_ptr[2] = {0, m};
    Graphs left, right;
    left.ptr = {ptr, 2}, left.mass = supply, left.total = {&total, 1};
    right.ptr = {other_ptr, 2}, right.mass = demand, right.total = {&total, 1};
    check_masses(left, right, false, 0, 0);
    Rules rules;
    rules.wanted = {&wanted, 1};
    rules.max_iter = max_iter;
    rules.stop = stop.data();
    const nb::gil_scoped_release released;
    const Workspace workspace(n, m, rules, n + m <= MOST_IN_SETS);
    const Memory& memory = workspace.memory;
    for (Index i = 0; i < n; ++i) {
        double* row = memory.cost.data + i * padded(m);
        std::copy_n(cost.data() + i * m, m, row);
        std::fill(row + m, row + padded(m), 0.0);
    }
    const Index result = core().solve_given(left, right, rules, memory);
    if (result < 0) return result;
    std::copy_n(memory.tree.parent.data, n + m, parent.data());
    std::copy_n(memory.tree.flow.data, n + m, flow.data());
    std::copy_n(memory.tree.potential.data, n + m, potential.data());
    return result;
}

/// Write the Euclidean distances (n, m) between points (n, width) and others (m, width).
void ground_costs(
    const Matrix<const double>& points, const Matrix<const double>& others, const Matrix<double>& result) {
    const Index n = static_cast<Index>(points.shape(0)), width = static_cast<Index>(points.shape(1));
    const Index m = static_cast<Index>(others.shape(0)), stride = padded(m);
    require(static_cast<Index>(others.shape(1)) == width, "all points must have as many coordinates");
    require(
        static_cast<Index>(result.shape(0)) == n && static_cast<Index>(result.shape(1)) == m,
        "the result must have shape (n, m)");
    const nb::gil_scoped_release released;
    const Index n_rows = n + ROWS_AT_ONCE - 1;
    std::vector<double> memory(static_cast<std::size_t>(n_rows * width + stride * width + n_rows * stride));
    const View<double> rows{memory.data(), n_rows * width}, columns{rows.data + rows.size, stride * width};
    const View<double> squares{columns.data + columns.size, n_rows * stride};
    std::copy_n(points.data(), n * width, rows.data);
    for (Index j = 0; j < m; ++j)
        for (Index c = 0; c < width; ++c) columns[c * stride + j] = others.data()[j * width + c];
    core().add_squares(n, stride, rows, columns, width, 0, width, squares);
    core().square_roots(n * stride, squares, 1.0, squares);
    for (Index i = 0; i < n; ++i) std::copy_n(squares.data + i * stride, m, result.data() + i * m);
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
    require(result.width >= 0 && result.dim >= 0, "the numbers of coordinates must not be negative");
    require(result.dim == 0 || result.n_depths() <= result.width / result.dim, "points must have all depths");
    require(!result.counted || result.prices.size == result.n_depths(), "prices must have an entry for every depth");
    return result;
}

Index n_wanted_of(const Rules& rules) {
    return std::count(rules.wanted.data, rules.wanted.data + rules.wanted.size, true);
}

void check_block(
    const Matrix<const Index>& pair_array, const Graphs& left, const Graphs& right, const Rules& rules,
    const Matrix<double>& out, const Array<Index>& statuses) {
    require(pair_array.shape(1) == 2 && pair_array.shape(0) == statuses.size(), "pairs must have shape (k, 2)");
    require_apart(view(pair_array), view(statuses));
    require_apart(view(pair_array), view(out));
    require(out.shape(0) == statuses.size(), "out must have a row for every pair");
    require(static_cast<Index>(out.shape(1)) == n_wanted_of(rules), "out must have a column for every depth wanted");
    const View<const Index> pairs = view(pair_array);
    check_side(left, rules);
    check_side(right, rules);
    for (Index t = 0; t < pairs.size; t += 2) {
        check_graph(left, rules, pairs[t]);
        check_graph(right, rules, pairs[t + 1]);
        check_masses(left, right, rules.counted, pairs[t], pairs[t + 1]);
    }
}

std::pair<Index, Index> largest_sizes(View<const Index> pairs, const Graphs& left, const Graphs& right) {
    Index n = 1, m = 1;
    for (Index t = 0; t < pairs.size; t += 2) {
        n = std::max(n, left.nodes_of(pairs[t]));
        m = std::max(m, right.nodes_of(pairs[t + 1]));
    }
    return {n, m};
}

void bind_transport(nb::module_& module) {
    module.def(
        "solve_block", solve_block, nb::arg("pairs").noconvert(), nb::arg("left"), nb::arg("right"), nb::arg("rules"),
        nb::arg("out").noconvert(), nb::arg("status").noconvert());
    module.def(
        "solve_plan", solve_plan, nb::arg("cost").noconvert(), nb::arg("supply").noconvert(),
        nb::arg("demand").noconvert(), nb::arg("max_iter"), nb::arg("stop").noconvert(), nb::arg("parent").noconvert(),
        nb::arg("flow").noconvert(), nb::arg("potential").noconvert());
    module.def(
        "ground_costs", ground_costs, nb::arg("points").noconvert(), nb::arg("others").noconvert(),
        nb::arg("result").noconvert());
}

}  // namespace wassergraph
