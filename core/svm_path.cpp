#include "svm_path.hpp"

#include "problem.hpp"
#include "svm_steps.hpp"

namespace wassergraph::WG_LEVEL {

namespace {

using svm::Dual;
using svm::Memory;
using svm::Options;
using svm::Problems;
using svm::Solutions;
using svm::Starts;

/// The members of one problem.
struct Members {
    Index first, n;
    View<const Index> train;
    View<const double> y, weights;
};

Members members_of(const Problems& problems, Index p) {
    const Index first = problems.ptr[p], n = problems.ptr[p + 1] - first;
    return {
        first,
        n,
        {problems.members.from(first).data, n},
        {problems.y.from(first).data, n},
        {problems.weights.from(first).data, n},
    };
}

/// Return a problem of n members in the memory of another; what is behind the n-th entries never moves.
Dual of_size(const Dual& memory, Index n) {
    Dual dual = memory;
    dual.kernel = resized(memory.kernel, n);
    for (Index t = n; t < dual.stride(); ++t) {
        dual.diagonal[t] = dual.alpha[t] = dual.gradient[t] = dual.lower[t] = dual.upper[t] = 0.0;
        dual.up[t] = -NEVER;
        dual.down[t] = NEVER;
    }
    return dual;
}

Dual begin(const Problems& problems, const Members& members, StopFlag stop, const Dual& memory) {
    const Dual dual = of_size(memory, members.n);
    copy_part(problems.kernel, problems.n_train, members.train, stop, dual.kernel);
    for (Index t = 0; t < members.n; ++t) {
        dual.alpha[t] = 0.0;
        dual.gradient[t] = members.y[t];
        dual.diagonal[t] = dual.kernel.row(t)[t];
    }
    return dual;
}

void set_bounds(const Members& members, double C, const Dual& dual) {
    for (Index t = 0; t < members.n; ++t) {
        const double bound = C * members.weights[t];
        dual.lower[t] = members.y[t] < 0.0 ? -bound : 0.0;
        dual.upper[t] = members.y[t] > 0.0 ? bound : 0.0;
    }
}

/// Replace the coefficients by others, and the gradient by theirs, if the objective is better there.
void start_if_better(
    const Members& members, View<const double> alpha, StopFlag stop, View<double> gradient, const Dual& dual) {
    for (Index t = 0; t < dual.stride(); ++t) gradient[t] = t < members.n ? members.y[t] : 0.0;
    for (Index t = 0; t < members.n; ++t) {
        if (*stop) return;
        if (alpha[t] != 0.0) subtract(dual.stride(), alpha[t], dual.kernel.row(t), gradient);
    }
    double value = 0.0, other_value = 0.0;  // twice the objectives
    for (Index t = 0; t < members.n; ++t) {
        value += dual.alpha[t] * (members.y[t] + dual.gradient[t]);
        other_value += alpha[t] * (members.y[t] + gradient[t]);
    }
    if (!(other_value > value)) return;
    for (Index t = 0; t < members.n; ++t) {
        dual.alpha[t] = alpha[t];
        dual.gradient[t] = gradient[t];
    }
}

/// Return by how much all coefficients are multiplied when C is: as far as the objective rises.
double growth(const Members& members, double factor, const Dual& dual) {
    double linear = 0.0, quadratic = 0.0;
    for (Index t = 0; t < members.n; ++t) {
        linear += members.y[t] * dual.alpha[t];
        quadratic += dual.alpha[t] * (members.y[t] - dual.gradient[t]);
    }
    if (!(quadratic * factor > linear)) return factor;
    return linear > quadratic ? linear / quadratic : 1.0;
}

/// Start the next C: if most coefficients are at their bound, scale all of them.
void grow(const Members& members, double C, double next_C, const Dual& dual) {
    Index n_bound = 0, n_free = 0;
    for (Index t = 0; t < members.n; ++t) {
        const double size = std::fabs(dual.alpha[t]), bound = C * members.weights[t];
        n_bound += size >= bound ? 1 : 0;
        n_free += 0.0 < size && size < bound ? 1 : 0;
    }
    if (n_bound <= n_free) return;
    const double factor = next_C / C, scale = growth(members, factor, dual);
    for (Index t = 0; t < members.n; ++t) {
        // A coefficient at its bound is set to the next bound exactly; slightly below, it would count as free.
        const bool at_bound = std::fabs(dual.alpha[t]) >= C * members.weights[t] && scale == factor;
        const double y = members.y[t];
        dual.gradient[t] = y - scale * (y - dual.gradient[t]);
        dual.alpha[t] = at_bound ? y * next_C * members.weights[t] : scale * dual.alpha[t];
    }
}

/// Find the members that are not at a bound, or may leave it; return their number.
Index find_undecided(const Dual& dual, View<Index> kept) {
    double highest = -NEVER, lowest = NEVER;
    for (Index t = 0; t < dual.n(); ++t) {
        if (dual.alpha[t] < dual.upper[t] && dual.gradient[t] > highest) highest = dual.gradient[t];
        if (dual.alpha[t] > dual.lower[t] && dual.gradient[t] < lowest) lowest = dual.gradient[t];
    }
    Index n_kept = 0;
    for (Index t = 0; t < dual.n(); ++t) {
        const bool at_lower = dual.alpha[t] <= dual.lower[t], at_upper = dual.alpha[t] >= dual.upper[t];
        if (!(at_lower || at_upper) || (at_lower && dual.gradient[t] >= lowest) ||
            (at_upper && dual.gradient[t] <= highest))
            kept[n_kept++] = t;
    }
    return n_kept;
}

/// Take steps until no pair is worth one, at most about `max_iter`, with Newton steps in between; return their number.
Index take_steps(const Dual& dual, const Options& options, Index max_iter, const Memory& memory) {
    Index total_steps = 0;
    while (total_steps < max_iter) {
        const Index steps = take_pair_steps(dual, options.tol, svm::STRETCH, options.stop);
        if (steps < 0) return steps;
        total_steps += steps;
        if (steps < svm::STRETCH) break;
        take_newton_steps(dual, memory.newton, options.stop);
    }
    return total_steps;
}

/// Solve for the members that are kept alone, and update the coefficients and the gradient of all; return the steps.
Index solve_part(const Dual& dual, Index n_kept, const Options& options, Index max_iter, const Memory& memory) {
    const Dual part = of_size(memory.part, n_kept);
    copy_part(dual.kernel.entries, dual.stride(), memory.kept, options.stop, part.kernel);
    for (Index a = 0; a < n_kept; ++a) {
        const Index t = memory.kept[a];
        part.alpha[a] = dual.alpha[t];
        part.gradient[a] = dual.gradient[t];
        part.diagonal[a] = dual.diagonal[t];
        part.lower[a] = dual.lower[t];
        part.upper[a] = dual.upper[t];
    }
    const Index steps = take_steps(part, options, max_iter, memory);
    if (steps < 0) return steps;
    const View<double> moved = part.gradient;  // which is no longer needed
    for (Index a = 0; a < n_kept; ++a) {
        const Index t = memory.kept[a];
        moved[a] = part.alpha[a] - dual.alpha[t];
        dual.alpha[t] = part.alpha[a];
    }
    update_gradient(dual, n_kept, memory.kept, moved);
    return steps;
}

/// Solve a problem for one C, from the coefficients and the gradient on; return the steps, or a status. Members that tend
/// to stay at their bound are set aside.
Index solve(const Dual& dual, const Options& options, const Memory& memory) {
    const Index n = dual.n(), burst = least_of(0 < n && n < svm::BURST ? n : svm::BURST, options.max_iter);
    const double most_kept = svm::MAX_PART * static_cast<double>(n);
    Index total_steps = 0;
    while (total_steps < options.max_iter) {
        Index steps = take_pair_steps(dual, options.tol, burst, options.stop);
        if (steps < burst) return steps >= 0 ? total_steps + steps : steps;
        total_steps += steps;
        const Index n_kept = find_undecided(dual, memory.kept);
        if (n <= svm::BURST / 5 || static_cast<double>(n_kept) > most_kept) {
            if (total_steps % svm::STRETCH < burst) take_newton_steps(dual, memory.newton, options.stop);
            continue;
        }
        steps = solve_part(dual, n_kept, options, options.max_iter - total_steps, memory);
        if (steps < 0) return steps;
        total_steps += steps;
    }
    return status::NOT_CONVERGED;
}

/// Return the mean gradient of the free support vectors; without one, the middle of the range that the others allow.
double intercept(const Dual& dual) {
    Index n_free = 0;
    double sum = 0.0, least = -NEVER, most = NEVER;
    for (Index t = 0; t < dual.n(); ++t) {
        const double gradient = dual.gradient[t];
        if (dual.lower[t] < dual.alpha[t] && dual.alpha[t] < dual.upper[t]) {
            ++n_free;
            sum += gradient;
        } else if (dual.alpha[t] < dual.upper[t]) {
            least = gradient > least ? gradient : least;
        } else {
            most = gradient < most ? gradient : most;
        }
    }
    return n_free > 0 ? sum / static_cast<double>(n_free) : 0.5 * (least + most);
}

/// Solve a problem for all values of C; return the steps for the last one, or a status.
Index solve_path(
    const Problems& problems, Index p, const Members& members, const Options& options, const Starts& starts,
    const Dual& dual, const Memory& memory, const Solutions& solutions) {
    const Index n_values = options.C_values.size;
    Index steps = 0;
    for (Index k = 0; k < n_values && steps >= 0; ++k) {
        const double C = options.C_values[k];
        const Index place = k * problems.n_members() + members.first;
        if (k > 0) grow(members, options.C_values[k - 1], C, dual);
        if (k < starts.n_starts[p])
            start_if_better(members, starts.alpha.from(place), options.stop, memory.other_gradient, dual);
        set_bounds(members, C, dual);
        steps = solve(dual, options, memory);
        for (Index later = k; later < (steps < 0 ? n_values : k + 1); ++later)
            solutions.steps[p * n_values + later] = steps;
        if (steps < 0) break;
        solutions.intercepts[p * n_values + k] = intercept(dual);
        for (Index t = 0; t < members.n; ++t) solutions.alpha[place + t] = dual.alpha[t];
    }
    return steps;
}

}  // namespace

void solve_svm_problems(
    const Problems& problems, const Options& options, const Starts& starts, const Memory& memory,
    const Solutions& solutions) {
    for (Index p = 0; p < problems.n_problems(); ++p) {
        const Members members = members_of(problems, p);
        const Dual dual = begin(problems, members, options.stop, memory.whole);
        if (*options.stop) {
            solutions.steps[p * options.C_values.size] = status::STOPPED;
            return;
        }
        if (!options.definite && !is_definite(dual.kernel, memory.newton.factor)) {
            solutions.skipped[p] = true;
            continue;
        }
        const Index steps = solve_path(problems, p, members, options, starts, dual, memory, solutions);
        if (steps == status::STOPPED || (steps == status::NOT_CONVERGED && !options.skip_unsolved)) return;
    }
}

}  // namespace wassergraph::WG_LEVEL
