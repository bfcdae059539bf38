#include "gaussian_sums.hpp"

#include "../elementwise.hpp"
#include "../ground.hpp"

namespace wassergraph::WG_LEVEL {

namespace {

/// Exponents of at most this give 0: most of their exponentials would not be normal numbers, and have fewer digits.
constexpr double LEAST_EXPONENT = -708.0;

/// Return the sum of the first m entries of a row, lane by lane.
WG_INLINE Lanes add_row(View<const double> row, Index m, Lanes sum) {
    const Index whole = m / LANES * LANES;
    for (Index j = 0; j < whole; j += LANES) sum = sum + load(row, j);
    if (whole == m) return sum;
    return sum + keep((std::uint64_t{1} << (m - whole)) - 1, load(row, whole));
}

/// Sum exp(-gamma |x - y|^2) over the nodes of two graphs, four nodes of the first one at a time: the matrix of all pairs
/// of nodes may be large.
double gaussian_sum(
    const PointSets& left, Index g, const PointSets& right, Index h, double gamma, StopFlag stop, View<double> memory) {
    const Index n = left.nodes_of(g), m = right.nodes_of(h), stride = padded(m), width = left.width;
    const View<const double> columns = right.columns.from(right.first_column(h));
    Lanes sum = repeat(0.0);
    for (Index i = 0; i < n && !*stop; i += ROWS_AT_ONCE) {
        const Index n_rows = least_of(ROWS_AT_ONCE, n - i);
        for (Index k = 0; k < ROWS_AT_ONCE * stride; ++k) memory[k] = 0.0;
        add_squares(n_rows, stride, left.rows.from((left.ptr[g] + i) * width), columns, width, 0, width, memory);
        gaussian_similarities(n_rows * stride, gamma, memory);
        for (Index r = 0; r < n_rows; ++r) sum = add_row(memory.from(r * stride), m, sum);
    }
    return total(sum);
}

}  // namespace

void gaussian_similarities(Index length, double gamma, View<double> squares) {
    const Lanes factor = repeat(-gamma);
    for (Index k = 0; k < length; k += LANES) {
        const Lanes exponent = load(squares, k) * factor;
        store(squares, k, keep_above(exponent, repeat(LEAST_EXPONENT), exponential(exponent)));
    }
}

void gaussian_tile(
    const Tile& tile, const PointSets& left, const PointSets& right, double gamma, StopFlag stop, View<double> memory,
    View<double> out) {
    for (Index g = tile.row_begin; g < tile.row_end; ++g)
        for (Index h = tile.first_column(g); h < tile.column_end; ++h) {
            if (*stop) return;
            out[tile.place(g, h)] = gaussian_sum(left, g, right, h, gamma, stop, memory);
        }
}

}  // namespace wassergraph::WG_LEVEL
