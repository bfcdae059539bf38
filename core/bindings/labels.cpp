// Categorical distances, as Python calls them.
#include "../labels.hpp"

#include <algorithm>
#include <vector>

#include "../dispatch.hpp"
#include "arrays.hpp"
#include "module.hpp"
#include "tiles.hpp"

namespace wassergraph {

namespace {

LabelRules rules_of(const Array<const bool>& wanted, const Array<const bool>& stop) {
    require_flags(view(wanted));
    return {view(wanted), stop_of(stop)};
}

/// Read a `Histogram` and the `Sizes` of its graphs of pairwise/layout.py.
LabelSide side_of(nb::handle histogram, nb::handle sizes, const LabelRules& rules) {
    const LabelSide side{
        histogram_of(histogram), {field<const double>(sizes, "total"), field<const double>(sizes, "extra")}};
    require(side.histogram.n_levels() >= rules.wanted.size, "ptr must have a row for every level");
    require(side.sizes.total.size == side.histogram.n_graphs, "total must have an entry for every graph");
    require(side.sizes.extra.size == side.histogram.n_graphs, "extra must have an entry for every graph");
    return side;
}

Index n_wanted_of(const LabelRules& rules) {
    return std::count(rules.wanted.data, rules.wanted.data + rules.wanted.size, true);
}

void label_tile(
    nb::handle tile_tuple, bool above_diagonal, nb::handle left_histogram, nb::handle right_histogram,
    nb::handle left_sizes, nb::handle right_sizes, const Array<const bool>& wanted, const Array<const bool>& stop,
    const nb::ndarray<double, nb::ndim<3>, nb::c_contig, nb::device::cpu>& out) {
    const LabelRules rules = rules_of(wanted, stop);
    const LabelSide left = side_of(left_histogram, left_sizes, rules),
                    right = side_of(right_histogram, right_sizes, rules);
    const Part part = above_diagonal ? Part::ABOVE_DIAGONAL : Part::ALL;
    const Tile tile = tile_of(tile_tuple, part, left.histogram.n_graphs, right.histogram.n_graphs);
    for (Index g = tile.row_begin; g < tile.row_end; ++g) require_labels(left.histogram, g);
    const bool fits = static_cast<Index>(out.shape(0)) == n_wanted_of(rules) &&
                      static_cast<Index>(out.shape(1)) == tile.n_rows() &&
                      static_cast<Index>(out.shape(2)) == tile.n_columns();
    require(fits, "out must have the shape of the tile, for every depth wanted");
    std::vector<double> memory(static_cast<std::size_t>(2 * tile.n_columns()));
    bool valid;
    {
        const nb::gil_scoped_release released;
        const KeptLists kept(tile, right.histogram);
        const ColumnLists lists{right.histogram, tile.column_begin, tile.column_end, kept.view()};
        const View<double> views{memory.data(), static_cast<Index>(memory.size())};
        valid = core().label_tile(tile, left, lists, right.sizes, rules, views, view(out));
    }
    require(valid, "labels must have lists of graphs, which ascend");
}

void label_pairs(
    const Matrix<const Index>& pairs, nb::handle left_histogram, nb::handle right_histogram, nb::handle left_sizes,
    nb::handle right_sizes, const Array<const bool>& wanted, const Array<const bool>& stop, const Matrix<double>& out) {
    const LabelRules rules = rules_of(wanted, stop);
    const LabelSide left = side_of(left_histogram, left_sizes, rules),
                    right = side_of(right_histogram, right_sizes, rules);
    require_pairs(pairs, left.histogram.n_graphs, right.histogram.n_graphs);
    for (std::size_t t = 0; t < pairs.shape(0); ++t) {
        require_labels(left.histogram, pairs.data()[2 * t]);
        require_labels(right.histogram, pairs.data()[2 * t + 1]);
    }
    const bool fits = static_cast<Index>(out.shape(0)) == n_wanted_of(rules) && out.shape(1) == pairs.shape(0);
    require(fits, "out must have a row for every depth wanted, and a column for every pair");
    const nb::gil_scoped_release released;
    core().label_pairs(view(pairs), left, right, rules, view(out));
}

}  // namespace

void bind_labels(nb::module_& module) {
    module.def(
        "label_tile", label_tile, nb::arg("tile"), nb::arg("above_diagonal"), nb::arg("left"), nb::arg("right"),
        nb::arg("left_sizes"), nb::arg("right_sizes"), nb::arg("wanted").noconvert(), nb::arg("stop").noconvert(),
        nb::arg("out").noconvert());
    module.def(
        "label_pairs", label_pairs, nb::arg("pairs").noconvert(), nb::arg("left"), nb::arg("right"),
        nb::arg("left_sizes"), nb::arg("right_sizes"), nb::arg("wanted").noconvert(), nb::arg("stop").noconvert(),
        nb::arg("out").noconvert());
}

}  // namespace wassergraph
