#include "svm_steps.hpp"

namespace wassergraph::WG_LEVEL {

namespace {

using svm::Dual;
using svm::Newton;
using svm::SmallPivot;

/// What is added to the diagonal, as a share of it, so that a system with equal rows can be solved.
constexpr double RIDGE = 1e-11;
/// A coefficient that is this close to its bound, as a share of its range, is set to it.
constexpr double CLOSE = 1e-12;

/// Find the coefficients that are not at a bound; return their number. If there are too many, the list has no meaning.
Index find_free(const Dual& dual, View<Index> free) {
    Index n_free = 0;
    for (Index t = 0; t < dual.n(); ++t) {
        if (!(dual.lower[t] < dual.alpha[t] && dual.alpha[t] < dual.upper[t])) continue;
        if (n_free < svm::MAX_FREE) free[n_free] = t;
        ++n_free;
    }
    return n_free;
}

/// Collect how far the free coefficients may move, their gradients and their part of the kernel.
void collect(const Dual& dual, StopFlag stop, const Newton& newton) {
    copy_part(dual.kernel.entries, dual.stride(), newton.free, stop, newton.kernel);
    for (Index a = 0; a < newton.kernel.n; ++a) {
        const Index t = newton.free[a];
        newton.least[a] = dual.lower[t] - dual.alpha[t];
        newton.most[a] = dual.upper[t] - dual.alpha[t];
        newton.gradient[a] = dual.gradient[t];
    }
    for (Index a = newton.kernel.n; a < newton.kernel.stride; ++a)
        newton.gradient[a] = newton.least[a] = newton.most[a] = 0.0;
}

double sum_of(Index length, View<const double> values) {
    Lanes sum = repeat(0.0);
    for (Index a = 0; a < length; a += LANES) sum = sum + load(values, a);
    return total(sum);
}

/// Compute the step to where all gradients are equal, which does not change the sum of the coefficients.
void solve_newton(const Newton& newton) {
    const Index n = newton.kernel.n, stride = newton.kernel.stride;
    double largest_entry = 0.0;
    for (Index a = 0; a < stride; ++a) {
        newton.step[a] = newton.gradient[a];
        newton.ones[a] = a < n ? 1.0 : 0.0;
        const double entry = a < n ? newton.kernel.row(a)[a] : 0.0;
        largest_entry = entry > largest_entry ? entry : largest_entry;
    }
    const double added = RIDGE * largest_entry;
    factorize(newton.kernel, added, 0.1 * added, SmallPivot::is_left_out, newton.factor);
    solve_factored(newton.factor, newton.step);
    solve_factored(newton.factor, newton.ones);
    subtract(stride, sum_of(stride, newton.step) / sum_of(stride, newton.ones), newton.ones, newton.step);
}

/// Return which share of the step, at most 1, is within the bounds.
double share_within(const Newton& newton) {
    double share = 1.0;
    for (Index a = 0; a < newton.kernel.n; ++a) {
        const double room = newton.step[a] > 0.0 ? newton.most[a] : newton.least[a];
        if (share * std::fabs(newton.step[a]) > std::fabs(room)) share = room / newton.step[a];
    }
    return share;
}

/// Cut the step of each coefficient at its bound, and shorten those up or those down so that their sum is 0.
void cut_step(const Newton& newton) {
    const View<double> cut = newton.cut;
    double up = 0.0, down = 0.0;
    for (Index a = 0; a < newton.kernel.stride; ++a) {
        const double value = newton.step[a] > newton.least[a] ? newton.step[a] : newton.least[a];
        cut[a] = value < newton.most[a] ? value : newton.most[a];
        if (cut[a] > 0.0)
            up += cut[a];
        else
            down -= cut[a];
    }
    for (Index a = 0; a < newton.kernel.n; ++a) {
        if (cut[a] > 0.0 && down < up)
            cut[a] *= down / up;
        else if (cut[a] < 0.0 && up < down)
            cut[a] *= up / down;
    }
}

/// Return the product of a vector, the matrix and the vector.
double square(const svm::Square& matrix, View<const double> vector) {
    double result = 0.0;
    for (Index a = 0; a < matrix.n; ++a) result += vector[a] * dot(matrix.stride, matrix.row(a), vector);
    return result;
}

/// Change the step to one within the bounds; return its gain, or 1 if it is within already. Either the whole step is
/// shortened, or each coefficient is cut at its bound, whichever gains more.
double stay_within(const Newton& newton) {
    const double share = share_within(newton);
    if (share == 1.0) return 1.0;
    cut_step(newton);
    const Index stride = newton.kernel.stride;
    const double linear = dot(stride, newton.gradient, newton.cut), quadratic = square(newton.kernel, newton.cut);
    const double length = quadratic > 0.0 && linear < quadratic ? linear / quadratic : 1.0;
    const double gain = length * (linear - 0.5 * length * quadratic);
    const double other = share * (1.0 - 0.5 * share) * dot(stride, newton.gradient, newton.step);
    for (Index a = 0; a < newton.kernel.n; ++a)
        newton.step[a] = gain > other ? length * newton.cut[a] : share * newton.step[a];
    return gain > other ? gain : other;
}

/// Move the free coefficients, those that are close to a bound to it; return whether none is.
bool move_free(const Dual& dual, const Newton& newton) {
    bool inside = true;
    for (Index a = 0; a < newton.kernel.n; ++a) {
        const Index t = newton.free[a];
        const double close = CLOSE * (newton.most[a] - newton.least[a]);
        if (newton.step[a] <= newton.least[a] + close) {
            dual.alpha[t] = dual.lower[t];
            inside = false;
        } else if (newton.step[a] >= newton.most[a] - close) {
            dual.alpha[t] = dual.upper[t];
            inside = false;
        } else {
            dual.alpha[t] += newton.step[a];
        }
    }
    return inside;
}

}  // namespace

void take_newton_steps(const Dual& dual, const Newton& memory, StopFlag stop) {
    double work = 0.0;
    bool inside = false;
    while (work < svm::MAX_WORK && !inside && !*stop) {
        const Index n = find_free(dual, memory.free);
        const double size = static_cast<double>(n);
        work += size * size * size;
        if (n < 2 || n > svm::MAX_FREE) return;
        Newton newton = memory;
        newton.kernel = resized(memory.kernel, n);
        newton.factor.rows = resized(memory.factor.rows, n);
        collect(dual, stop, newton);
        solve_newton(newton);
        if (stay_within(newton) <= 0.0) return;
        update_gradient(dual, n, newton.free, newton.step);
        inside = move_free(dual, newton);
    }
}

}  // namespace wassergraph::WG_LEVEL
