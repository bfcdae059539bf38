#include "cholesky.hpp"

namespace wassergraph::WG_LEVEL {

namespace {

using svm::Factor;
using svm::SmallPivot;
using svm::Square;

constexpr double EPSILON = 2.220446049250313e-16;
/// The square root of a pivot that is too small: what is divided by it becomes 0.
constexpr double LEFT_OUT = 1e150;
/// So many rows are computed at once: their sums do not wait for each other, and read other rows once.
constexpr Index ROWS = 4;

/// Compute the entries of one row of the factor in a column. Entries of the row from the column on are 0 still, so that
/// sums may run to a multiple of eight.
WG_INLINE void set_entry(const Square& matrix, const Factor& factor, Index i, Index column) {
    const double sum = dot(padded(column), factor.rows.row(i), factor.rows.row(column));
    factor.rows.row(i)[column] = (matrix.row(i)[column] - sum) / factor.diagonal[column];
}

/// Do the same for ROWS rows from the first on.
WG_INLINE void set_entries(const Square& matrix, const Factor& factor, Index first, Index column) {
    const View<const double> other = factor.rows.row(column);
    Lanes sums[ROWS];
    for (Lanes& sum : sums) sum = repeat(0.0);
    for (Index t = 0; t < column; t += LANES) {
        const Lanes entries = load(other, t);
        for (Index r = 0; r < ROWS; ++r) sums[r] = sums[r] + load(factor.rows.row(first + r), t) * entries;
    }
    for (Index r = 0; r < ROWS; ++r)
        factor.rows.row(first + r)[column] = (matrix.row(first + r)[column] - total(sums[r])) / factor.diagonal[column];
}

void clear_row(const Square& rows, Index i) {
    for (Index t = 0; t < rows.stride; t += LANES) store(rows.row(i), t, repeat(0.0));
}

}  // namespace

bool factorize(const Square& matrix, double added, double least, SmallPivot small, const Factor& factor) {
    const Index n = matrix.n;
    bool complete = true;
    for (Index first = 0; first < n; first += ROWS) {
        const Index end = least_of(first + ROWS, n);
        for (Index i = first; i < end; ++i) clear_row(factor.rows, i);
        const Index common = end - first == ROWS ? first : 0;
        for (Index column = 0; column < common; ++column) set_entries(matrix, factor, first, column);
        for (Index i = first; i < end; ++i) {
            const View<const double> row = factor.rows.row(i);
            for (Index column = common; column < i; ++column) set_entry(matrix, factor, i, column);
            const double pivot = matrix.row(i)[i] + added - dot(padded(i), row, row);
            if (!(pivot > least)) {
                if (small == SmallPivot::ends) return false;
                complete = false;
            }
            factor.diagonal[i] = pivot > least ? std::sqrt(pivot) : LEFT_OUT;
        }
    }
    return complete;
}

void solve_factored(const Factor& factor, View<double> values) {
    for (Index i = 0; i < factor.rows.n; ++i)
        values[i] = (values[i] - dot(padded(i), factor.rows.row(i), values)) / factor.diagonal[i];
    for (Index i = factor.rows.n - 1; i >= 0; --i) {
        values[i] /= factor.diagonal[i];
        subtract(padded(i), values[i], factor.rows.row(i), values);
    }
}

bool is_definite(const Square& kernel, const Factor& memory) {
    if (kernel.n > svm::MAX_CHECKED) return false;
    double largest_sum = 0.0;
    for (Index i = 0; i < kernel.n; ++i) {
        Lanes sum = repeat(0.0);
        for (Index t = 0; t < kernel.stride; t += LANES) sum = sum + absolute(load(kernel.row(i), t));
        const double row_sum = total(sum);
        largest_sum = row_sum > largest_sum ? row_sum : largest_sum;
    }
    const double rounding = 10.0 * static_cast<double>(kernel.n) * EPSILON * largest_sum;
    return factorize(kernel, rounding, 0.0, SmallPivot::ends, {resized(memory.rows, kernel.n), memory.diagonal});
}

}  // namespace wassergraph::WG_LEVEL
