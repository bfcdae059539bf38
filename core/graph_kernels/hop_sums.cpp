#include "hop_sums.hpp"

#include "../ground.hpp"
#include "gaussian_sums.hpp"

namespace wassergraph::WG_LEVEL {

namespace {

/// The counts of one graph: eight positions of all its rows, then the next eight.
struct Counts {
    View<const double> entries;
    Index n_rows;

    Counts(const HopTables& tables, Index g)
        : entries(tables.counts.from(tables.starts[g])), n_rows(tables.points.nodes_of(g)) {}
    /// Read eight positions of a row, of which the first is t.
    WG_INLINE Lanes at(Index row, Index t) const { return load(entries, t * n_rows + row * LANES); }
};

/// Two graphs that are compared.
struct HopPair {
    const HopTables &left, &right;
    Index g, h;
    Counts one, two;

    HopPair(const HopTables& left_tables, const HopTables& right_tables, Index left_graph, Index right_graph)
        : left(left_tables), right(right_tables), g(left_graph), h(right_graph), one(left, g), two(right, h) {}
    /// Return how many positions nodes of both have.
    WG_INLINE Index length() const { return least_of(left.widths[g], right.widths[h]); }
};

/// Sum the weighted products of the rows of labels that two graphs share; labels ascend.
double sum_labels(const HopPair& pair, const HopRules& rules) {
    const auto labels = pair.left.labels.from(pair.left.points.ptr[pair.g]);
    const auto others = pair.right.labels.from(pair.right.points.ptr[pair.h]);
    const Index length = pair.length();
    Lanes sum = repeat(0.0);
    for (Index v = 0, w = 0; v < pair.one.n_rows && w < pair.two.n_rows;) {
        const Index label = labels[v], other = others[w];
        if (label == other)
            for (Index t = 0; t < length; t += LANES)
                sum = multiply_add(load(rules.weights, t) * pair.one.at(v, t), pair.two.at(w, t), sum);
        v += label <= other;
        w += label >= other;
    }
    return total(sum);
}

/// Set similarities (n, stride) to the products of points, from row i of the first graph on.
void set_products(const HopPair& pair, Index i, Index n, Index stride, View<double> similarities) {
    const PointSets &left = pair.left.points, &right = pair.right.points;
    const Index width = left.width;
    const auto columns = right.columns.from(right.first_column(pair.h));
    for (Index r = 0; r < n; ++r) {
        const auto point = left.rows.from((left.ptr[pair.g] + i + r) * width);
        for (Index j = 0; j < stride; j += LANES) {
            Lanes sum = repeat(0.0);
            for (Index c = 0; c < width; ++c) sum = multiply_add(repeat(point[c]), load(columns, c * stride + j), sum);
            store(similarities, r * stride + j, sum);
        }
    }
}

/// Set similarities (n, stride) to the Gaussian kernel of points, from row i of the first graph on; n is a multiple of
/// four.
void set_gaussians(const HopPair& pair, Index i, Index n, Index stride, double gamma, View<double> similarities) {
    const PointSets &left = pair.left.points, &right = pair.right.points;
    const Index width = left.width;
    const auto rows = left.rows.from((left.ptr[pair.g] + i) * width);
    const auto columns = right.columns.from(right.first_column(pair.h));
    for (Index k = 0; k < n * stride; ++k) similarities[k] = 0.0;
    add_squares(n, stride, rows, columns, width, 0, width, similarities);
    gaussian_similarities(n * stride, gamma, similarities);
}

/// Add, for up to four rows from `row` on, the weighted products with all rows of the second graph, times similarities
/// (4, stride). Eight positions of all rows of the second graph are next to each other, and are read once for all four.
WG_INLINE Lanes add_products(
    const HopPair& pair, Index row, Index t, Lanes weights, Index stride, View<const double> similarities, Lanes sum) {
    const View<const double> s0 = similarities, s1 = s0.from(stride), s2 = s1.from(stride), s3 = s2.from(stride);
    Lanes p0 = repeat(0.0), p1 = p0, p2 = p0, p3 = p0;
    for (Index w = 0; w < pair.two.n_rows; ++w) {
        const Lanes other = pair.two.at(w, t);
        p0 = multiply_add(repeat(s0[w]), other, p0);
        p1 = multiply_add(repeat(s1[w]), other, p1);
        p2 = multiply_add(repeat(s2[w]), other, p2);
        p3 = multiply_add(repeat(s3[w]), other, p3);
    }
    const Index n_rows = pair.one.n_rows - row;
    sum = multiply_add(weights * pair.one.at(row, t), p0, sum);
    if (n_rows > 1) sum = multiply_add(weights * pair.one.at(row + 1, t), p1, sum);
    if (n_rows > 2) sum = multiply_add(weights * pair.one.at(row + 2, t), p2, sum);
    if (n_rows > 3) sum = multiply_add(weights * pair.one.at(row + 3, t), p3, sum);
    return sum;
}

/// Sum the kernel of every two nodes times the weighted product of their rows. Similarities are computed for a few rows
/// of the first graph at a time.
double sum_points(const HopPair& pair, const HopRules& rules, View<double> similarities) {
    const Index n = pair.one.n_rows, stride = padded(pair.two.n_rows), length = pair.length();
    Lanes sum = repeat(0.0);
    for (Index first = 0; first < n && !*rules.stop; first += HOP_ROWS) {
        const Index last = least_of(first + HOP_ROWS, n);
        const Index n_rows = (last - first + ROWS_AT_ONCE - 1) / ROWS_AT_ONCE * ROWS_AT_ONCE;
        if (rules.kernel == NodeKernel::LINEAR)
            set_products(pair, first, n_rows, stride, similarities);
        else
            set_gaussians(pair, first, n_rows, stride, rules.gamma, similarities);
        for (Index t = 0; t < length; t += LANES)
            for (Index row = first; row < last; row += ROWS_AT_ONCE)
                sum = add_products(
                    pair, row, t, load(rules.weights, t), stride, similarities.from((row - first) * stride), sum);
    }
    return total(sum);
}

}  // namespace

void hop_tile(
    const Tile& tile, const HopTables& left, const HopTables& right, const HopRules& rules, View<double> memory,
    View<double> out) {
    for (Index g = tile.row_begin; g < tile.row_end; ++g)
        for (Index h = tile.first_column(g); h < tile.column_end; ++h) {
            if (*rules.stop) return;
            const HopPair pair(left, right, g, h);
            out[tile.place(g, h)] =
                rules.kernel == NodeKernel::DIRAC ? sum_labels(pair, rules) : sum_points(pair, rules, memory);
        }
}

}  // namespace wassergraph::WG_LEVEL
