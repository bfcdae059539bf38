// Categorical distances, as Python calls them.
#include "../labels.hpp"

#include <algorithm>
#include <vector>

#include "../dispatch.hpp"
#include "arrays.hpp"
#include "module.hpp"

namespace wassergraph {

namespace {

/// Read a `Histogram` and the `Sizes` of its graphs of wassergraph.transport, for so many levels. Positions in the
/// histogram are checked when they are used.
Histogram histogram_of(nb::handle histogram, nb::handle sizes, Index n_levels) {
    Histogram result;
    result.ptr = field<const Index>(histogram, "ptr");
    result.label = field<const Index>(histogram, "label");
    result.mass = field<const double>(histogram, "mass");
    result.start = field<const Index>(histogram, "start");
    result.graph = field<const std::int32_t>(histogram, "graph");
    result.mass_in_graph = field<const double>(histogram, "mass_in_graph");
    result.total = field<const double>(sizes, "total");
    result.extra = field<const double>(sizes, "extra");
    result.n_graphs = result.total.size;
    require(result.extra.size == result.n_graphs, "extra must have an entry for every graph");
    require(result.ptr.size >= n_levels * (result.n_graphs + 1), "ptr must have a row for every level");
    require(result.mass.size == result.label.size, "mass must have an entry for every label");
    require(result.mass_in_graph.size == result.graph.size, "mass_in_graph must have an entry for every graph");
    return result;
}

LabelRules rules_of(const Array<const bool>& wanted, const Array<const bool>& stop) {
    require(stop.size() == 1, "stop must be one flag");
    return {view(wanted), stop.data()};
}

Index n_wanted_of(const LabelRules& rules) {
    return std::count(rules.wanted.data, rules.wanted.data + rules.wanted.size, true);
}

void require_sound(bool sound) { require(sound, "ptr, start, label and graph must be positions in the histograms"); }

void label_tile(
    std::tuple<Index, Index, Index, Index> place, bool above_diagonal, nb::handle left_histogram,
    nb::handle right_histogram, nb::handle left_sizes, nb::handle right_sizes, const Array<const bool>& wanted,
    const Array<const bool>& stop, const nb::ndarray<double, nb::ndim<3>, nb::c_contig, nb::device::cpu>& out) {
    const auto [first_row, last_row, first_column, last_column] = place;
    const Rectangle tile{first_row, last_row, first_column, last_column, above_diagonal};
    const LabelRules rules = rules_of(wanted, stop);
    const Histogram left = histogram_of(left_histogram, left_sizes, rules.wanted.size);
    const Histogram right = histogram_of(right_histogram, right_sizes, rules.wanted.size);
    require(0 <= first_row && first_row <= last_row && last_row <= left.n_graphs, "the tile must have rows of the matrix");
    require(
        0 <= first_column && first_column <= last_column && last_column <= right.n_graphs,
        "the tile must have columns of the matrix");
    require(
        static_cast<Index>(out.shape(0)) == n_wanted_of(rules) && static_cast<Index>(out.shape(1)) == tile.n_rows() &&
            static_cast<Index>(out.shape(2)) == tile.n_columns(),
        "out must have the shape of the tile, for every depth wanted");
    std::vector<double> memory(static_cast<std::size_t>(2 * tile.n_columns()));
    bool sound;
    {
        const nb::gil_scoped_release released;
        sound = core().label_tile(tile, left, right, rules, {memory.data(), 2 * tile.n_columns()}, view(out));
    }
    require_sound(sound);
}

void label_pairs(
    const Matrix<const Index>& pairs, nb::handle left_histogram, nb::handle right_histogram, nb::handle left_sizes,
    nb::handle right_sizes, const Array<const bool>& wanted, const Array<const bool>& stop, const Matrix<double>& out) {
    const LabelRules rules = rules_of(wanted, stop);
    const Histogram left = histogram_of(left_histogram, left_sizes, rules.wanted.size);
    const Histogram right = histogram_of(right_histogram, right_sizes, rules.wanted.size);
    require_pairs(pairs, left.n_graphs, right.n_graphs);
    require(
        static_cast<Index>(out.shape(0)) == n_wanted_of(rules) && out.shape(1) == pairs.shape(0),
        "out must have a row for every depth wanted, and a column for every pair");
    bool sound;
    {
        const nb::gil_scoped_release released;
        sound = core().label_pairs(view(pairs), left, right, rules, view(out));
    }
    require_sound(sound);
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
