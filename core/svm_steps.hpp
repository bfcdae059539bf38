// Steps of the solver that move two coefficients by as much, one up and one down (sequential minimal optimization).
#pragma once

#include "cholesky.hpp"
#include "svm.hpp"

namespace wassergraph::WG_LEVEL {

/// Larger than any gradient.
inline constexpr double NEVER = 1e300;

/// Take steps until no pair violates the optimality conditions by `tol`, at most `max_steps`; return their number, or
/// STOPPED. The coefficients and the gradient are changed.
Index take_pair_steps(const svm::Dual& dual, double tol, Index max_steps, StopFlag stop);

/// Move all free coefficients at once to where their gradients are equal, as far as the bounds allow.
///
/// This is Newton's step on the free coefficients. It is fast where steps of two would alternate for long: with a kernel
/// of low rank and a large C. Coefficients that reach a bound stay there, and the step is computed again for the others.
/// The coefficients and the gradient are changed.
void take_newton_steps(const svm::Dual& dual, const svm::Newton& memory, StopFlag stop);

/// Copy the rows and columns of a kernel at some positions; its rows have `stride` entries, those of the copy are padded.
/// Ends early if it is stopped.
WG_INLINE void copy_part(
    View<const double> kernel, Index stride, View<const Index> positions, StopFlag stop, const svm::Square& part) {
    for (Index a = 0; a < part.n && !*stop; ++a) {
        const View<const double> row = kernel.from(positions[a] * stride);
        const View<double> copy = part.row(a);
        for (Index c = 0; c < part.n; ++c) copy[c] = row[positions[c]];
        for (Index c = part.n; c < part.stride; ++c) copy[c] = 0.0;
    }
}

/// Update the gradient after the coefficients at n positions have moved.
WG_INLINE void update_gradient(const svm::Dual& dual, Index n, View<const Index> positions, View<const double> moved) {
    for (Index a = 0; a < n; ++a)
        if (moved[a] != 0.0) subtract(dual.stride(), moved[a], dual.kernel.row(positions[a]), dual.gradient);
}

}  // namespace wassergraph::WG_LEVEL
