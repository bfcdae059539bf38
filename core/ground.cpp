#include "ground.hpp"

namespace wassergraph::WG_LEVEL {

namespace {

/// Return where the points of a graph begin in an array by feature, divided by the number of features: all graphs have
/// room for as many nodes as a row might be padded with.
WG_INLINE Index first_column(View<const Index> ptr, Index g) { return ptr[g] + (LANES - 1) * g; }

/// Sums of squares of four rows and eight columns. Named variables stay in registers; an array of them, indexed in a
/// loop, took twice the time.
struct FourRows {
    Lanes s0, s1, s2, s3;

    WG_INLINE FourRows(View<const double> squares, Index at, Index stride)
        : s0(load(squares, at)),
          s1(load(squares, at + stride)),
          s2(load(squares, at + 2 * stride)),
          s3(load(squares, at + 3 * stride)) {}
    /// Add the squared differences of one feature of four points, which are `width` entries apart.
    WG_INLINE void add(View<const double> points, Index feature, Index width, Lanes column) {
        const Lanes d0 = repeat(points[feature]) - column, d1 = repeat(points[feature + width]) - column;
        const Lanes d2 = repeat(points[feature + 2 * width]) - column,
                    d3 = repeat(points[feature + 3 * width]) - column;
        s0 = multiply_add(d0, d0, s0);
        s1 = multiply_add(d1, d1, s1);
        s2 = multiply_add(d2, d2, s2);
        s3 = multiply_add(d3, d3, s3);
    }
    WG_INLINE void put(View<double> squares, Index at, Index stride) const {
        store(squares, at, s0);
        store(squares, at + stride, s1);
        store(squares, at + 2 * stride, s2);
        store(squares, at + 3 * stride, s3);
    }
};

/// Add 1 for every pair of nodes whose codes differ.
void add_mismatches(
    Index n, Index m, Index stride, View<const std::uint64_t> rows, View<const std::uint64_t> columns,
    View<double> mismatches) {
    for (Index i = 0; i < n; ++i) {
        const std::uint64_t code = rows[i];
        const View<double> row = mismatches.from(i * stride);
        for (Index j = 0; j < m; ++j) row[j] += code != columns[j] ? 1.0 : 0.0;
    }
}

/// Add values times a scale; the length is a multiple of eight.
void add_scaled(Index length, View<const double> values, double scale, View<double> result) {
    const Lanes factor = repeat(scale);
    for (Index k = 0; k < length; k += LANES) store(result, k, load(result, k) + load(values, k) * factor);
}

/// Copy the nodes of a graph that differ at a depth, each with the masses of those that are equal to it.
void merge(const Graphs& graphs, Index g, const Rules& rules, Index depth, const WritableGraph& result) {
    const Index width = rules.width, used = (depth + 1) * rules.dim, n_codes = rules.coded ? depth + 1 : 0;
    Index number = 0;
    for (Index k = graphs.ptr[g]; k < graphs.ptr[g + 1]; ++k) {
        if (graphs.level[k] > depth) {
            result.mass[number - 1] += graphs.mass[k];
            continue;
        }
        result.mass[number] = graphs.mass[k];
        for (Index c = 0; c < used; ++c) result.rows[number * width + c] = graphs.rows[k * width + c];
        for (Index each = 0; each < n_codes; ++each)
            result.codes[each * result.mass.size + number] = graphs.codes[each * graphs.n_nodes() + k];
        ++number;
    }
    for (Index k = number * width; k < (number + ROWS_AT_ONCE - 1) * width; ++k) result.rows[k] = 0.0;
    result.ptr[0] = 0;
    result.ptr[1] = number;
    result.total[0] = graphs.total[g];
}

/// Store the points of merged nodes by feature, too, with zeros behind them.
void set_columns(const Rules& rules, Index depth, const WritableGraph& graph) {
    const Index m = graph.ptr[1], stride = padded(m);
    for (Index c = 0; c < (depth + 1) * rules.dim; ++c)
        for (Index j = 0; j < stride; ++j)
            graph.columns[c * stride + j] = j < m ? graph.rows[j * rules.width + c] : 0.0;
}

}  // namespace

void add_squares(
    Index n, Index stride, View<const double> rows, View<const double> columns, Index width, Index first, Index last,
    View<double> squares) {
    for (Index i = 0; i < n; i += ROWS_AT_ONCE) {
        const View<const double> points = rows.from(i * width);
        Index j = 0;
        if constexpr (NATIVE == LANES) {  // enough registers for two times eight columns
            for (; j + 2 * LANES <= stride; j += 2 * LANES) {
                FourRows one(squares, i * stride + j, stride), two(squares, i * stride + j + LANES, stride);
                for (Index k = first; k < last; ++k) {
                    one.add(points, k, width, load(columns, k * stride + j));
                    two.add(points, k, width, load(columns, k * stride + j + LANES));
                }
                one.put(squares, i * stride + j, stride);
                two.put(squares, i * stride + j + LANES, stride);
            }
        }
        for (; j < stride; j += LANES) {
            FourRows sums(squares, i * stride + j, stride);
            for (Index k = first; k < last; ++k) sums.add(points, k, width, load(columns, k * stride + j));
            sums.put(squares, i * stride + j, stride);
        }
    }
}

void square_roots(Index length, View<const double> squares, double scale, View<double> distances) {
    const Lanes factor = repeat(scale);
    for (Index k = 0; k < length; k += LANES) store(distances, k, square_root(load(squares, k)) * factor);
}

/// By masses, then codes, then points.
bool NodeGround::comes_first(Index g, Index h) const {
    const Index n = left_.nodes_of(g), one = left_.ptr[g], two = right_.ptr[h], width = rules_.width;
    for (Index k = 0; k < n; ++k)
        if (left_.mass[one + k] != right_.mass[two + k]) return left_.mass[one + k] < right_.mass[two + k];
    for (Index depth = 0; depth < (rules_.coded ? rules_.n_depths() : 0); ++depth)
        for (Index k = 0; k < n; ++k) {
            const auto code = left_.codes[depth * left_.n_nodes() + one + k];
            const auto other = right_.codes[depth * right_.n_nodes() + two + k];
            if (code != other) return code < other;
        }
    for (Index k = 0; k < n * width; ++k) {
        const double x = left_.rows[one * width + k], y = right_.rows[two * width + k];
        if (x != y) return x < y;
    }
    return true;
}

void NodeGround::costs_at(const Pair& pair, Index depth, const Costs& costs) {
    const Graphs &one = of(pair.from_left ? 0 : 1), &two = of(pair.from_left ? 1 : 0);
    const Index n = one.nodes_of(pair.source), m = two.nodes_of(pair.sink), stride = costs.stride;
    if (added_ == 0) clear(n, stride);
    add_depths(pair, depth + 1, n, m, stride);
    combine(n, stride, depth, costs);
}

Index NodeGround::differing(int side, Index g, Index depth) const {
    const Graphs& graphs = of(side);
    if (graphs.level.size == 0) return graphs.nodes_of(g);
    Index number = 0;
    for (Index k = graphs.ptr[g]; k < graphs.ptr[g + 1]; ++k) number += graphs.level[k] <= depth;
    return number;
}

/// The sums of costs are overwritten.
NodeGround NodeGround::merged(const Pair& pair, Index depth) {
    merge(of(pair.from_left ? 0 : 1), pair.source, rules_, depth, memory_.merged_one);
    merge(of(pair.from_left ? 1 : 0), pair.sink, rules_, depth, memory_.merged_two);
    set_columns(rules_, depth, memory_.merged_two);
    added_ = 0;
    return {memory_.merged_one.graphs(), memory_.merged_two.graphs(), rules_, memory_};
}

/// Also of rows that are computed together with the last ones.
void NodeGround::clear(Index n, Index stride) {
    for (Index k = 0; k < (n + ROWS_AT_ONCE - 1) * stride; ++k) memory_.squares[k] = 0.0;
    for (Index k = 0; k < (rules_.coded ? n * stride : 0); ++k) memory_.mismatches[k] = 0.0;
}

void NodeGround::add_depths(const Pair& pair, Index end, Index n, Index m, Index stride) {
    const Graphs &one = of(pair.from_left ? 0 : 1), &two = of(pair.from_left ? 1 : 0);
    const Index dim = rules_.dim, width = rules_.width;
    if (dim > 0) {
        const View<const double> rows = one.rows.from(one.ptr[pair.source] * width);
        const View<const double> columns = two.columns.from(first_column(two.ptr, pair.sink) * width);
        add_squares(n, stride, rows, columns, width, added_ * dim, end * dim, memory_.squares);
    }
    for (Index depth = added_; depth < (rules_.coded ? end : added_); ++depth) {
        const auto rows = one.codes.from(depth * one.n_nodes() + one.ptr[pair.source]);
        const auto columns = two.codes.from(depth * two.n_nodes() + two.ptr[pair.sink]);
        add_mismatches(n, m, stride, rows, columns, memory_.mismatches);
    }
    added_ = end;
}

/// Compute costs from the sums so far. With prices of nodes without a partner, they are cut at twice the price, which is
/// that of an additional source.
void NodeGround::combine(Index n, Index stride, Index depth, const Costs& costs) {
    const Index length = n * stride;
    const View<double> result = costs.entries;
    const auto depths = static_cast<double>(depth + 1);
    if (rules_.dim > 0) {
        const bool joint = rules_.coded;
        const double scale =
            joint ? (1.0 - rules_.label_weight) / std::sqrt(static_cast<double>(rules_.dim * (depth + 1))) : 1.0;
        square_roots(length, memory_.squares, scale, result);
    } else {
        for (Index k = 0; k < length; ++k) result[k] = 0.0;
    }
    if (rules_.coded) add_scaled(length, memory_.mismatches, rules_.label_cost / depths, result);
    if (!rules_.counted) return;
    const double price = rules_.prices[depth], most = 2.0 * price;
    for (Index k = 0; k < length; ++k) result[k] = result[k] < most ? result[k] : most;
    for (Index k = length; k < costs.n * stride; ++k) result[k] = price;
}

}  // namespace wassergraph::WG_LEVEL
