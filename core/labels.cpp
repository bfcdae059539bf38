#include "labels.hpp"

namespace wassergraph::WG_LEVEL {

namespace {

/// The graphs on the right, and the row of their results from a column on.
struct Row {
    const ColumnLists& lists;
    const Sizes& sizes;
    Index begin;
};

/// Add what a label of a graph has in common with the columns to their overlaps. Returns false as label_tile does.
bool add_label(Index label, double mass, double total, const Row& row, View<double> overlap) {
    const auto [first, last] = row.lists.of(label, row.begin);
    const std::int32_t* graphs = row.lists.histogram.graph.data;
    const double *masses = row.lists.histogram.mass_in_graph.data, *totals = row.sizes.total.data;
    double* sums = overlap.data;
    for (Index position = first; position < last; ++position) {
        const Index j = graphs[position];
        const double one = mass * totals[j], two = masses[position] * total;
        sums[j - row.begin] += one < two ? one : two;
    }
    return first <= last;
}

/// Add the distance at one level from graph i to the columns: result[j - begin] += 1/2 |p - q|_1.
bool add_level(Index i, const Row& row, Index level, const LabelSide& left, View<double> overlap, View<double> result) {
    const double total = left.sizes.total[i], extra = left.sizes.extra[i];
    const Index width = row.lists.end - row.begin;
    for (Index j = 0; j < width; ++j) overlap[j] = 0.0;
    const auto [first, last] = left.histogram.labels_of(i, level);
    for (Index k = first; k < last; ++k)
        if (!add_label(left.histogram.label[k], left.histogram.mass[k], total, row, overlap)) return false;
    const View<const double> totals = row.sizes.total.from(row.begin);
    const View<const double> extras = row.sizes.extra.from(row.begin);
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
    const Tile& tile, const LabelSide& left, const ColumnLists& lists, const Sizes& sizes, const LabelRules& rules,
    View<double> memory, View<double> out) {
    const Index width = tile.n_columns();
    const View<double> result{memory.data, width}, overlap = memory.from(width);
    for (Index i = tile.row_begin; i < tile.row_end; ++i) {
        if (*rules.stop) return true;
        const Row row{lists, sizes, tile.first_column(i)};
        if (row.begin >= tile.column_end) continue;
        for (Index k = 0; k < width; ++k) result[k] = 0.0;
        Index place = tile.place(i, row.begin);
        for (Index depth = 0; depth < rules.wanted.size; ++depth) {
            if (!add_level(i, row, depth, left, overlap, result)) return false;
            if (!rules.wanted[depth]) continue;
            const auto depths = static_cast<double>(depth + 1);
            for (Index j = 0; j < tile.column_end - row.begin; ++j) out[place + j] = result[j] / depths;
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
