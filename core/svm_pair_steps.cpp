#include "problem.hpp"
#include "svm_steps.hpp"

namespace wassergraph::WG_LEVEL {

namespace {

using svm::Dual;

/// The least curvature of a pair, as in libsvm: two equal rows of the kernel have none.
constexpr double FLAT = 1e-12;
/// The stop flag is looked at after this many steps.
constexpr Index CHECK_EVERY = 512;

/// The largest of values that are seen eight at a time, and where it is; the first of equal ones.
struct Largest {
    Lanes value, place;  // the largest of each lane
    Lanes next = first_places();

    WG_INLINE explicit Largest(double least) : value(repeat(least)), place(repeat(0.0)) {}
    WG_INLINE void see(Lanes values) {
        place = larger(keep_above(values, value, next), place);  // places ascend
        value = larger(values, value);
        next = next + repeat(static_cast<double>(LANES));
    }
    WG_INLINE Index position() const {
        double values[LANES], places[LANES];
        value.store(values);
        place.store(places);
        Index best = 0;
        for (Index k = 1; k < LANES; ++k)
            if (values[k] > values[best] || (values[k] == values[best] && places[k] < places[best])) best = k;
        return static_cast<Index>(places[best]);
    }
    static WG_INLINE Lanes first_places() {
        const double places[LANES] = {0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0};
        return Lanes::load(places);
    }
};

/// The member with the largest gradient of those that may rise, and the gap to the smallest of those that may fall.
struct Violation {
    Index i;
    double highest, gap;
};

/// Update the gradient after alpha of i has risen by delta and that of j has fallen; find the largest violation.
WG_INLINE Violation update_pair(const Dual& dual, Index i, Index j, double delta) {
    const View<const double> row_i = dual.kernel.row(i), row_j = dual.kernel.row(j);
    const Lanes by = repeat(delta);
    Largest highest(-NEVER);
    Lanes lowest = repeat(NEVER);
    for (Index t = 0; t < dual.stride(); t += LANES) {
        const Lanes gradient = load(dual.gradient, t) - by * (load(row_i, t) - load(row_j, t));
        store(dual.gradient, t, gradient);
        highest.see(gradient + load(dual.up, t));
        lowest = smaller(gradient + load(dual.down, t), lowest);
    }
    const double steepest = largest(highest.value);
    return {highest.position(), steepest, steepest - smallest(lowest)};
}

/// Return the second member of the working set: the one whose step with i gains most, by the curvature of the pair
/// (Fan, Chen, Lin: Working set selection using second order information, 2005).
WG_INLINE Index partner(const Dual& dual, Index i, double steepest) {
    const View<const double> row = dual.kernel.row(i);
    const Lanes highest = repeat(steepest), curvature_i = repeat(dual.diagonal[i]);
    Largest gain(0.0);
    for (Index t = 0; t < dual.stride(); t += LANES) {
        const Lanes violation = larger(highest - (load(dual.gradient, t) + load(dual.down, t)), repeat(0.0));
        const Lanes curvature = curvature_i + load(dual.diagonal, t) - repeat(2.0) * load(row, t);
        gain.see(violation * violation / larger(curvature, repeat(FLAT)));
    }
    return gain.position();
}

/// Record whether a coefficient may rise, and fall.
WG_INLINE void mark(const Dual& dual, Index t) {
    dual.up[t] = dual.alpha[t] < dual.upper[t] ? 0.0 : -NEVER;
    dual.down[t] = dual.alpha[t] > dual.lower[t] ? 0.0 : NEVER;
}

WG_INLINE double least(double a, double b) { return a < b ? a : b; }

/// Move alpha of i up and that of j down, to the maximum or the first bound; return by how much.
WG_INLINE double move_pair(const Dual& dual, Index i, Index j, double steepest) {
    const double curvature = dual.diagonal[i] + dual.diagonal[j] - 2.0 * dual.kernel.row(i)[j];
    const double room_i = dual.upper[i] - dual.alpha[i], room_j = dual.alpha[j] - dual.lower[j];
    const double best = (steepest - dual.gradient[j]) / (curvature > FLAT ? curvature : FLAT);
    const double delta = least(best, least(room_i, room_j));
    dual.alpha[i] = delta == room_i ? dual.upper[i] : dual.alpha[i] + delta;
    dual.alpha[j] = delta == room_j ? dual.lower[j] : dual.alpha[j] - delta;
    mark(dual, i);
    mark(dual, j);
    return delta;
}

}  // namespace

Index take_pair_steps(const Dual& dual, double tol, Index max_steps, StopFlag stop) {
    if (dual.n() == 0) return 0;
    for (Index t = 0; t < dual.n(); ++t) mark(dual, t);
    Index i = 0, j = 0;
    double delta = 0.0;
    for (Index step = 0; step < max_steps; ++step) {
        const Violation found = update_pair(dual, i, j, delta);
        if (found.gap < tol) return step;
        if (step % CHECK_EVERY == 0 && *stop) return status::STOPPED;
        i = found.i;
        j = partner(dual, i, found.highest);
        delta = move_pair(dual, i, j, found.highest);
    }
    update_pair(dual, i, j, delta);
    return max_steps;
}

}  // namespace wassergraph::WG_LEVEL
