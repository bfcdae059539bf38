#include "labels.hpp"

namespace wassergraph::WG_LEVEL {

namespace {

/// Return the first of the positions first ... last - 1 with at least this graph; `last` if there is none.
Index first_from(View<const std::int32_t> graphs, Index first, Index last, Index least) {
    while (first < last) {
        const Index middle = (first + last) / 2;
        if (graphs[middle] < least)
            first = middle + 1;
        else
            last = middle;
    }
    return first;
}

/// The columns of a row that are computed.
struct Columns {
    Index begin, end;
};

/// Add what a label of a graph has in common with the columns to their overlaps. Returns false as label_tile does.
bool add_label(
    Index label, double mass, double total, const Columns& columns, const Histogram& right, View<double> overlap) {
    if (label < 0 || label + 1 >= right.start.size) return false;
    Index first = right.start[label], last = right.start[label + 1];
    if (first < 0 || first > last || last > right.graph.size) return false;
    if (columns.end < right.n_graphs) last = first_from(right.graph, first, last, columns.end);
    if (columns.begin > 0) first = first_from(right.graph, first, last, columns.begin);
    const Index width = columns.end - columns.begin;
    for (Index position = first; position < last; ++position) {
        const Index j = right.graph[position], place = j - columns.begin;
        if (place < 0 || place >= width) return false;
        const double one = mass * right.total[j], two = right.mass_in_graph[position] * total;
        overlap[place] += one < two ? one : two;
    }
    return true;
}

/// Add the distance at one level from graph i to the columns: result[j - begin] += 1/2 |p - q|_1.
bool add_level(
    Index i, const Columns& columns, Index level, const Histogram& left, const Histogram& right, View<double> overlap,
    View<double> result) {
    const double total = left.total[i], extra = left.extra[i];
    const Index width = columns.end - columns.begin;
    for (Index j = 0; j < width; ++j) overlap[j] = 0.0;
    const Histogram::Range range = left.labels_of(i, level);
    if (!left.has_labels(range)) return false;
    for (Index k = range.first; k < range.last; ++k)
        if (!add_label(left.label[k], left.mass[k], total, columns, right, overlap)) return false;
    const View<const double> totals = right.total.from(columns.begin), extras = right.extra.from(columns.begin);
    for (Index j = 0; j < width; ++j) {
        const double both = total * totals[j];
        result[j] += (both + (extra + extras[j]) - overlap[j]) / both;
    }
    return true;
}

/// Sum the smaller masses of the labels that two graphs share, walking along both sorted lists.
double overlap_of(
    const Histogram& left, const Histogram& right, Histogram::Range one, Histogram::Range two, double total,
    double other_total) {
    double overlap = 0.0;
    Index a = one.first, b = two.first;
    while (a < one.last && b < two.last) {
        const Index label = left.label[a], other = right.label[b];
        if (label == other) {
            const double mass = left.mass[a] * other_total, other_mass = right.mass[b] * total;
            overlap += mass < other_mass ? mass : other_mass;
        }
        a += label <= other;
        b += other <= label;
    }
    return overlap;
}

}  // namespace

bool label_tile(
    const Rectangle& tile, const Histogram& left, const Histogram& right, const LabelRules& rules, View<double> memory,
    View<double> out) {
    const Index width = tile.n_columns();
    const View<double> result{memory.data, width}, overlap = memory.from(width);
    for (Index i = tile.first_row; i < tile.last_row; ++i) {
        if (*rules.stop) return true;
        const Columns columns{tile.above_diagonal ? most_of(i + 1, tile.first_column) : tile.first_column, tile.last_column};
        if (columns.begin >= columns.end) continue;
        for (Index k = 0; k < width; ++k) result[k] = 0.0;
        Index place = (i - tile.first_row) * width + columns.begin - tile.first_column;
        for (Index depth = 0; depth < rules.wanted.size; ++depth) {
            if (!add_level(i, columns, depth, left, right, overlap, result)) return false;
            if (!rules.wanted[depth]) continue;
            const auto depths = static_cast<double>(depth + 1);
            for (Index j = 0; j < columns.end - columns.begin; ++j) out[place + j] = result[j] / depths;
            place += tile.n_rows() * width;
        }
    }
    return true;
}

bool label_pairs(
    View<const Index> pairs, const Histogram& left, const Histogram& right, const LabelRules& rules, View<double> out) {
    const Index n_pairs = pairs.size / 2;
    for (Index t = 0; t < n_pairs; ++t) {
        if (*rules.stop) return true;
        const Index i = pairs[2 * t], j = pairs[2 * t + 1];
        const double total = left.total[i], other_total = right.total[j];
        const double both = total * other_total, extra = left.extra[i] + right.extra[j];
        double result = 0.0;
        Index place = t;
        for (Index depth = 0; depth < rules.wanted.size; ++depth) {
            const Histogram::Range one = left.labels_of(i, depth), two = right.labels_of(j, depth);
            if (!left.has_labels(one) || !right.has_labels(two)) return false;
            result += (both + extra - overlap_of(left, right, one, two, total, other_total)) / both;
            if (!rules.wanted[depth]) continue;
            out[place] = result / static_cast<double>(depth + 1);
            place += n_pairs;
        }
    }
    return true;
}

}  // namespace wassergraph::WG_LEVEL
