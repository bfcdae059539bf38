// Entropic transport: the cost <P, M> of the plan that minimizes <P, M> - reg H(P), by Sinkhorn's iterations.
//
// The plan is P = diag(u) K diag(v) with K = exp((f + g - M) / reg). An iteration adjusts u, then v, to the marginals, in
// one pass over K. The factors u and v must not become too large or small: they are then absorbed into the potentials f
// and g, which are adjusted once in the log domain, where nothing overflows, and K is computed anew.
//
// Two things make the number of iterations small. The regularization is lowered to `reg` step by step from the size of
// the costs, so that the potentials are nearly right when it is reached. And near the solution, where errors shrink by a
// constant factor, every step goes further than to the marginals, by as much as that factor suggests (overrelaxation:
// with a factor of 1 - d per iteration, d small, the new one is about 1 - 2 sqrt(d)). The last iteration is a plain one.
//
// The plan between two equal graphs is nearly the identity, from which these iterations stay far for very long. There
// both potentials are equal, and taking the mean of them and of what an iteration makes of them converges at once.
#pragma once

#include "ground.hpp"
#include "problem.hpp"

namespace wassergraph::WG_LEVEL {

/// Lower the regularization to that of the goal, and find its plan, from the potentials g on; if these are warm, in one
/// step. Returns the number of iterations, or a status.
Index find_plan(const Costs& costs, const Balance& balance, const EntropicGoal& goal, bool warm);

/// Solve pairs (k, 2) of graphs, as solve_block in exact.hpp does; a status is a number of iterations, or one of status.
void sinkhorn_block(
    View<const Index> pairs, const Graphs& left, const Graphs& right, const Rules& rules, const EntropicGoal& goal,
    const Memory& memory, const Balance& balance, View<double> out, View<Index> statuses);

}  // namespace wassergraph::WG_LEVEL
