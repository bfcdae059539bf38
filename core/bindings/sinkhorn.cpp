// Entropic transport, as Python calls it.
#include "../dispatch.hpp"
#include "../memory.hpp"
#include "arrays.hpp"
#include "module.hpp"
#include "transport.hpp"

namespace wassergraph {

namespace {

void sinkhorn_block(
    const Matrix<const Index>& pairs, nb::handle left_side, nb::handle right_side, nb::handle rule_tuple, double reg,
    double tol, const Matrix<double>& out, const Array<Index>& statuses) {
    const Graphs left = graphs_of(left_side), right = graphs_of(right_side);
    const Rules rules = rules_of(rule_tuple);
    check_block(pairs, left, right, rules, out, statuses);
    const auto [n, m] = largest_sizes(view(pairs), left, right);
    const nb::gil_scoped_release released;
    const Workspace workspace(n, m, rules, true);
    const BalanceWorkspace balance_workspace(n, m);
    const EntropicGoal goal{reg, tol, rules.max_iter, rules.stop};
    core().sinkhorn_block(
        view(pairs), left, right, rules, goal, workspace.memory, balance_workspace.balance, view(out), view(statuses));
}

/// Find the plan of costs (n, m) between equal masses, and write it over the costs; returns the number of iterations, or
/// a status.
Index entropic_plan(const Matrix<double>& matrix, double reg, double tol, Index max_iter) {
    const auto n = static_cast<Index>(matrix.shape(0)), m = static_cast<Index>(matrix.shape(1));
    require(n > 0 && m > 0, "costs must have rows and columns");
    const BalanceWorkspace workspace(n, m);
    const Balance& balance = workspace.balance;
    const Index stride = m + (8 - m % 8) % 8;
    std::vector<double> entries(static_cast<std::size_t>(n * stride), 0.0);
    const Costs costs{{entries.data(), n * stride}, n, m, stride};
    for (Index i = 0; i < n; ++i) {
        balance.a[i] = 1.0 / static_cast<double>(n);
        for (Index j = 0; j < m; ++j) costs.entries[i * stride + j] = matrix.data()[i * m + j];
    }
    for (Index j = 0; j < stride; ++j) {
        balance.b[j] = 1.0 / static_cast<double>(m);
        balance.g[j] = 0.0;
    }
    const bool stop = false;
    const Index rounds = core().find_plan(costs, balance, {reg, tol, max_iter, &stop}, false);
    for (Index i = 0; i < n; ++i)
        for (Index j = 0; j < m; ++j)
            matrix.data()[i * m + j] = balance.u[i] * balance.kernel[i * stride + j] * balance.v[j];
    return rounds;
}

}  // namespace

void bind_sinkhorn(nb::module_& module) {
    module.def(
        "sinkhorn_block", sinkhorn_block, nb::arg("pairs").noconvert(), nb::arg("left"), nb::arg("right"),
        nb::arg("rules"), nb::arg("reg"), nb::arg("tol"), nb::arg("out").noconvert(), nb::arg("status").noconvert());
    module.def_submodule("testing").def(
        "entropic_plan", entropic_plan, nb::arg("costs").noconvert(), nb::arg("reg"), nb::arg("tol"),
        nb::arg("max_iter"));
}

}  // namespace wassergraph
