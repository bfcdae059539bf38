#include "sinkhorn.hpp"

#include <cmath>

#include "elementwise.hpp"
#include "simplex.hpp"

namespace wassergraph::WG_LEVEL {

namespace {

/// The regularization is divided by STEP from step to step, and each step but the last reaches this error.
constexpr double STEP = 4.0, STEP_ERROR = 0.05;
/// Factors beyond this, or its inverse, are absorbed into the potentials.
constexpr double LARGEST_FACTOR = 1e30;
/// Steps are lengthened below this error; by how much is decided anew after so many iterations.
constexpr double NEAR = 0.05;
constexpr Index PERIOD = 16;
/// The largest overrelaxation; 2 would not converge.
constexpr double MOST_RELAXED = 1.98;

/// Adjust f so that the sums of rows are right.
void adjust_rows(const Costs& costs, const Balance& balance, double reg) {
    const Lanes scale = repeat(1.0 / reg);
    for (Index i = 0; i < costs.n; ++i) {
        const View<const double> row = costs.entries.from(i * costs.stride);
        Lanes highest = repeat(-INFINITE), sum = repeat(0.0);
        for (Index j = 0; j < costs.stride; j += LANES) highest = larger(load(balance.g, j) - load(row, j), highest);
        const double top = largest(highest);
        for (Index j = 0; j < costs.stride; j += LANES)
            sum = sum + exponential((load(balance.g, j) - load(row, j) - repeat(top)) * scale);
        balance.f[i] = reg * (logarithm(balance.a[i]) - logarithm(total(sum))) - top;
    }
}

/// Adjust g so that the sums of columns are right.
void adjust_columns(const Costs& costs, const Balance& balance, double reg) {
    const Lanes scale = repeat(1.0 / reg);
    const View<double> sums = balance.sums, tops = balance.tops;
    for (Index j = 0; j < costs.stride; ++j) {
        sums[j] = 0.0;
        tops[j] = -INFINITE;
    }
    for (Index i = 0; i < costs.n; ++i) {
        const View<const double> row = costs.entries.from(i * costs.stride);
        const Lanes shift = repeat(balance.f[i]);
        for (Index j = 0; j < costs.stride; j += LANES) store(tops, j, larger(shift - load(row, j), load(tops, j)));
    }
    for (Index i = 0; i < costs.n; ++i) {
        const View<const double> row = costs.entries.from(i * costs.stride);
        const Lanes shift = repeat(balance.f[i]);
        for (Index j = 0; j < costs.stride; j += LANES)
            store(sums, j, load(sums, j) + exponential((shift - load(row, j) - load(tops, j)) * scale));
    }
    for (Index j = 0; j < costs.m; ++j) balance.g[j] = reg * (logarithm(balance.b[j]) - logarithm(sums[j])) - tops[j];
}

/// Compute the kernel from the potentials; all factors are 1.
void set_kernel(const Costs& costs, const Balance& balance, double reg) {
    const Lanes scale = repeat(1.0 / reg);
    for (Index i = 0; i < costs.n; ++i) {
        const Index first = i * costs.stride;
        const Lanes shift = repeat(balance.f[i]);
        for (Index j = 0; j < costs.stride; j += LANES) {
            const Lanes exponent = shift + load(balance.g, j) - load(costs.entries, first + j);
            store(balance.kernel, first + j, exponential(exponent * scale));
        }
    }
    for (Index i = 0; i < costs.n; ++i) balance.u[i] = 1.0;
    for (Index j = 0; j < costs.stride; ++j) balance.v[j] = j < costs.m ? 1.0 : 0.0;
}

/// The columns behind the last one get no mass.
void close_padding(const Costs& costs, const Balance& balance) {
    for (Index j = costs.m; j < costs.stride; ++j) balance.g[j] = -INFINITE;
}

/// Adjust f to the marginals of the rows, then g to those of the columns, in the log domain; compute the kernel.
void adjust_potentials(const Costs& costs, const Balance& balance, double reg) {
    close_padding(costs, balance);
    adjust_rows(costs, balance, reg);
    adjust_columns(costs, balance, reg);
    set_kernel(costs, balance, reg);
}

/// Add the logarithms of the factors of the columns to their potentials, from which those of the rows follow.
void absorb(const Costs& costs, const Balance& balance, double reg) {
    for (Index j = 0; j < costs.m; ++j)
        if (0.0 < balance.v[j] && balance.v[j] < INFINITE) balance.g[j] += reg * logarithm(balance.v[j]);
}

/// The smallest and the largest factor.
struct Range {
    double least = 1.0, most = 1.0;

    WG_INLINE void add(double factor) {
        least = factor < least ? factor : least;
        most = factor > most ? factor : most;
    }
    WG_INLINE bool is_extreme() const { return !(most < LARGEST_FACTOR && least > 1.0 / LARGEST_FACTOR); }
};

/// Return a factor that moves from the old one beyond the one that is right, by `more` of the way.
WG_INLINE double relaxed(double right, double old, double more) { return right * (1.0 + more * (right / old - 1.0)); }

struct Adjustment {
    double error;  // of the sums of rows before
    bool extreme;  // whether a factor became too large or too small
};

/// Adjust u to the marginals of the rows, then v to those of the columns, in one pass over the kernel.
Adjustment adjust_factors(const Costs& costs, const Balance& balance, double relaxation) {
    const View<double> u = balance.u, v = balance.v, sums = balance.sums;
    const double more = relaxation - 1.0;
    double error = 0.0;
    Range range;
    for (Index j = 0; j < costs.stride; j += LANES) store(sums, j, repeat(0.0));
    for (Index i = 0; i < costs.n; ++i) {
        const View<const double> row = balance.kernel.from(i * costs.stride);
        Lanes whole = repeat(0.0);
        for (Index j = 0; j < costs.stride; j += LANES) whole = multiply_add(load(row, j), load(v, j), whole);
        const double sum = total(whole);
        error += std::fabs(u[i] * sum - balance.a[i]);
        u[i] = relaxed(balance.a[i] / sum, u[i], more);
        range.add(u[i]);
        const Lanes factor = repeat(u[i]);
        for (Index j = 0; j < costs.stride; j += LANES)
            store(sums, j, multiply_add(load(row, j), factor, load(sums, j)));
    }
    for (Index j = 0; j < costs.m; ++j) {
        v[j] = relaxed(balance.b[j] / sums[j], v[j], more);
        range.add(v[j]);
    }
    return {error, range.is_extreme()};
}

/// Return by which factor per iteration an error became smaller in so many of them; 0 if there was none before.
double rate_of(double error, double previous, Index iterations) {
    const double ratio = error / previous;
    if (!(ratio > 0.0)) return 0.0;
    return smallest(exponential(repeat(logarithm(ratio) / static_cast<double>(iterations))));
}

/// Return the best overrelaxation if errors shrink by a factor with the current one; 1 if they do not. It stays as it is
/// if the factor is that of a relaxation which is large enough, or 0, and so unknown.
///
/// If the factor of plain iterations is t, that of overrelaxed ones solves (x + w - 1)^2 = x w^2 t, and w = 2 / (1 +
/// sqrt(1 - t)) makes it smallest, w - 1 (Young's theory of successive overrelaxation).
double best_relaxation(double current, double rate) {
    if (rate >= 1.0) return 1.0;
    if (rate <= current - 1.0) return current;
    const double sum = rate + current - 1.0, plain = sum * sum / (rate * (current * current));
    const double best = plain < 1.0 ? 2.0 / (1.0 + std::sqrt(1.0 - plain)) : 2.0;
    return best < MOST_RELAXED ? best : MOST_RELAXED;
}

/// Find the plan of one regularization; see find_plan.
Index iterate(const Costs& costs, const Balance& balance, const EntropicGoal& goal) {
    adjust_potentials(costs, balance, goal.reg);
    double relaxation = 1.0, previous = INFINITE, aim = goal.tol;
    Index since = 0;
    bool finishing = false;  // whether plain iterations check an error that overrelaxed ones found small enough
    bool plain = true;       // whether the last one was: the sums of columns are right, so those of rows tell the error
    for (Index rounds = 1; rounds <= goal.max_iter; ++rounds) {
        if (*goal.stop) return status::STOPPED;
        const double used = finishing ? 1.0 : relaxation;
        const Adjustment made = adjust_factors(costs, balance, used);
        if (made.extreme) {
            absorb(costs, balance, goal.reg);
            adjust_potentials(costs, balance, goal.reg);
            relaxation = 1.0, previous = INFINITE, since = 0, finishing = false, plain = true;
            continue;
        }
        if (plain && used == 1.0 && made.error < goal.tol) return rounds;
        if (finishing && plain && used == 1.0) {
            aim *= 0.3, finishing = false, previous = INFINITE, since = 0;
        } else if (made.error < aim) {
            finishing = true;
        }
        plain = used == 1.0;
        ++since;
        if (made.error < NEAR && since >= PERIOD && !finishing) {
            relaxation = best_relaxation(relaxation, rate_of(made.error, previous, since));
            previous = made.error, since = 0;
        }
    }
    return status::NOT_CONVERGED;
}

/// Return whether rows and columns are the same nodes.
bool is_symmetric(const Costs& costs, const Balance& balance) {
    if (costs.n != costs.m) return false;
    for (Index i = 0; i < costs.n; ++i) {
        if (balance.a[i] != balance.b[i] || costs.at(i, i) != 0.0) return false;
        for (Index j = 0; j < i; ++j)
            if (costs.at(i, j) != costs.at(j, i)) return false;
    }
    return true;
}

/// Return the error of the sums of rows if both sides have the potentials g, and f would be right for the rows.
double symmetric_error(const Costs& costs, const Balance& balance, double reg) {
    const View<double> ratios = balance.sums;
    for (Index i = 0; i < costs.stride; ++i) ratios[i] = i < costs.n ? (balance.g[i] - balance.f[i]) / reg : 0.0;
    for (Index i = 0; i < costs.stride; i += LANES) store(ratios, i, exponential(load(ratios, i)));
    double error = 0.0;
    for (Index i = 0; i < costs.n; ++i) error += balance.a[i] * std::fabs(ratios[i] - 1.0);
    return error;
}

/// Find the plan between two equal graphs; see find_plan.
Index iterate_symmetric(const Costs& costs, const Balance& balance, const EntropicGoal& goal) {
    const View<double> f = balance.f, g = balance.g;
    close_padding(costs, balance);
    for (Index rounds = 1; rounds <= goal.max_iter; ++rounds) {
        if (*goal.stop) return status::STOPPED;
        adjust_rows(costs, balance, goal.reg);
        if (symmetric_error(costs, balance, goal.reg) < goal.tol) {
            for (Index i = 0; i < costs.n; ++i) f[i] = g[i];
            set_kernel(costs, balance, goal.reg);
            return rounds;
        }
        for (Index i = 0; i < costs.n; ++i) g[i] = 0.5 * (f[i] + g[i]);
    }
    return status::NOT_CONVERGED;
}

double plan_cost(const Costs& costs, const Balance& balance) {
    double result = 0.0;
    for (Index i = 0; i < costs.n; ++i)
        for (Index j = 0; j < costs.m; ++j)
            result += costs.at(i, j) * balance.u[i] * balance.kernel[i * costs.stride + j] * balance.v[j];
    return result;
}

/// Set the marginals of a pair, and potentials to begin with.
void begin(const Graphs& left, const Graphs& right, Index g, Index h, const Costs& costs, const Balance& balance) {
    const auto total = static_cast<double>(left.total[g]), other = static_cast<double>(right.total[h]);
    for (Index i = 0; i < costs.n; ++i) balance.a[i] = static_cast<double>(left.mass[left.ptr[g] + i]) / total;
    for (Index j = 0; j < costs.m; ++j) balance.b[j] = static_cast<double>(right.mass[right.ptr[h] + j]) / other;
    for (Index j = 0; j < costs.stride; ++j) balance.g[j] = 0.0;
}

/// Solve a pair whose marginals are set at all depths that are wanted. Returns the number of iterations, or a status.
template <Ground G>
Index find_plans(
    G& ground, const Pair& pair, const Costs& costs, const Rules& rules, const EntropicGoal& goal,
    const Balance& balance, View<double> out) {
    Index rounds = 0, solved = 0;
    ground.begin_pair();
    for (Index depth = 0; depth < rules.n_depths(); ++depth) {
        if (!rules.wanted[depth]) continue;
        ground.costs_at(pair, depth, costs);
        const Index made = find_plan(costs, balance, goal, solved > 0);
        if (made < 0) return made;
        out[solved++] = plan_cost(costs, balance);
        rounds += made;
    }
    return rounds;
}

}  // namespace

Index find_plan(const Costs& costs, const Balance& balance, const EntropicGoal& goal, bool warm) {
    if (goal.reg <= 0.0) return status::NOT_CONVERGED;  // it was so small that it underflowed
    if (is_symmetric(costs, balance)) return iterate_symmetric(costs, balance, goal);
    const double top = warm ? 0.0 : largest_cost(costs);
    EntropicGoal step = goal;
    while (step.reg < top / (STEP * STEP)) step.reg *= STEP;
    Index rounds = 0;
    while (true) {
        const bool last = step.reg <= goal.reg;
        step.tol = last || goal.tol > STEP_ERROR ? goal.tol : STEP_ERROR;
        step.max_iter = goal.max_iter - rounds;
        const Index made = iterate(costs, balance, step);
        if (made < 0) return made;
        rounds += made;
        if (last) return rounds;
        absorb(costs, balance, step.reg);
        step.reg = step.reg / STEP > goal.reg ? step.reg / STEP : goal.reg;
    }
}

void sinkhorn_block(
    View<const Index> pairs, const Graphs& left, const Graphs& right, const Rules& rules, const EntropicGoal& goal,
    const Memory& memory, const Balance& balance, View<double> out, View<Index> statuses) {
    NodeGround ground(left, right, rules, memory);
    const Index n_wanted = statuses.size > 0 ? out.size / statuses.size : 0;
    for (Index t = 0; t < statuses.size; ++t) {
        const Index g = pairs[2 * t], h = pairs[2 * t + 1], m = right.nodes_of(h);
        const Costs costs{memory.cost, left.nodes_of(g), m, padded(m)};
        begin(left, right, g, h, costs, balance);
        const View<double> result{out.data + t * n_wanted, n_wanted};
        statuses[t] = find_plans(ground, {g, h, true}, costs, rules, goal, balance, result);
        if (statuses[t] == status::STOPPED) return;
    }
}

}  // namespace wassergraph::WG_LEVEL
