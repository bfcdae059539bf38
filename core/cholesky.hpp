// The Cholesky decomposition of a small kernel: whether it is definite, and the solution of linear systems.
#pragma once

#include "simd.hpp"
#include "svm.hpp"

namespace wassergraph::WG_LEVEL {

/// Return a matrix of n rows in the memory of another.
WG_INLINE svm::Square resized(svm::Square matrix, Index n) { return {matrix.entries, n, padded(n)}; }

/// Return the inner product of two vectors, whose lengths are a multiple of eight.
WG_INLINE double dot(Index length, View<const double> a, View<const double> b) {
    Lanes sum = repeat(0.0);
    for (Index t = 0; t < length; t += LANES) sum = sum + load(a, t) * load(b, t);
    return total(sum);
}

/// Subtract a multiple of a vector from another.
WG_INLINE void subtract(Index length, double amount, View<const double> vector, View<double> from) {
    const Lanes by = repeat(amount);
    for (Index t = 0; t < length; t += LANES) store(from, t, load(from, t) - by * load(vector, t));
}

/// Compute the factor of a matrix with a number added to its diagonal. Returns whether all pivots are above `least`. At
/// the first that is not, the factorization ends, or its row is left out: solutions are 0 there.
bool factorize(const svm::Square& matrix, double added, double least, svm::SmallPivot small, const svm::Factor& factor);

/// Replace the right side of a linear system by its solution; entries behind the n-th must be 0, and stay so.
void solve_factored(const svm::Factor& factor, View<double> values);

/// Return whether a small kernel has no eigenvalue that is negative beyond rounding; false for a large one. This is
/// has_no_negative_part of wassergraph.kernels.definiteness, without the time of a call of LAPACK from Python.
bool is_definite(const svm::Square& kernel, const svm::Factor& memory);

}  // namespace wassergraph::WG_LEVEL
