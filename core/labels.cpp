#include "labels.hpp"

namespace wassergraph::WG_LEVEL {

namespace {

/// The columns of a row that are computed.
struct Columns {
    Index begin, end;
};

/// Add what a label of a graph has in common with the columns to their overlaps. Returns false as label_tile does.
bool add_label(
    Index label, double mass, double total, const Columns& columns, const LabelSide& right, View<double> overlap) {
    const auto [first, last] = right.histogram.graphs_with(label, columns.begin, columns.end);
    if (first > last) return false;
    const Index width = columns.end - columns.begin;
    for (Index position = first; position < last; ++position) {
        const Index j = right.histogram.graph[position], place = j - columns.begin;
        if (place < 0 || place >= width) return false;
        const double one = mass * right.sizes.total[j], two = right.histogram.mass_in_graph[position] * total;
        overlap[place] += one < two ? one : two;
    }
    return true;
}

/// Add the distance at one level from graph i to the columns: result[j - begin] += 1/2 |p - q|_1.
bool add_level(
    Index i, const Columns& columns, Index level, const LabelSide& left, const LabelSide& right, View<double> overlap,
    View<double> result) {
    const double total = left.sizes.total[i], extra = left.sizes.extra[i];
    const Index width = columns.end - columns.begin;
    for (Index j = 0; j < width; ++j) overlap[j] = 0.0;
    const auto [first, last] = left.histogram.labels_of(i, level);
    for (Index k = first; k < last; ++k)
        if (!add_label(left.histogram.label[k], left.histogram.mass[k], total, columns, right, overlap)) return false;
    const View<const double> totals = right.sizes.total.from(columns.begin);
    const View<const double> extras = right.sizes.extra.from(columns.begin);
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
    const Tile& tile, const LabelSide& left, const LabelSide& right, const LabelRules& rules, View<double> memory,
    View<double> out) {
    const Index width = tile.n_columns();
    const View<double> result{memory.data, width}, overlap = memory.from(width);
    for (Index i = tile.row_begin; i < tile.row_end; ++i) {
        if (*rules.stop) return true;
        const Columns columns{tile.first_column(i), tile.column_end};
        if (columns.begin >= columns.end) continue;
        for (Index k = 0; k < width; ++k) result[k] = 0.0;
        Index place = tile.place(i, columns.begin);
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

void label_pairs(
    View<const Index> pairs, const LabelSide& left, const LabelSide& right, const LabelRules& rules, View<double> out) {
    const Index n_pairs = pairs.size / 2;
    for (Index t = 0; t < n_pairs; ++t) {
        if (*rules.stop) return;
        const Index i = pairs[2 * t], j = pairs[2 * t + 1];
        const double total = left.sizes.total[i], other_total = right.sizes.total[j];
        const double both = total * other_total, extra = left.sizes.extra[i] + right.sizes.extra[j];
        double result = 0.0;
        Index place = t;
        for (Index depth = 0; depth < rules.wanted.size; ++depth) {
            const double overlap = overlap_of(
                left.histogram, right.histogram, left.histogram.labels_of(i, depth),
                right.histogram.labels_of(j, depth), total, other_total);
            result += (both + extra - overlap) / both;
            if (!rules.wanted[depth]) continue;
            out[place] = result / static_cast<double>(depth + 1);
            place += n_pairs;
        }
    }
}

}  // namespace wassergraph::WG_LEVEL
