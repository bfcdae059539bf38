// Tiles and histograms of Python as the core reads them.
#pragma once

#include <cstdlib>
#include <memory>
#include <new>

#include "../histogram.hpp"
#include "../tile.hpp"
#include "arrays.hpp"

namespace wassergraph {

/// Read a `Tile` of wassergraph.distances, of a matrix with so many rows and columns.
inline Tile tile_of(nb::handle tile, Part part, Index n_rows, Index n_columns) {
    const Tile result{
        number<Index>(tile, "row_begin"), number<Index>(tile, "row_end"), number<Index>(tile, "column_begin"),
        number<Index>(tile, "column_end"), part};
    const bool rows = 0 <= result.row_begin && result.row_begin <= result.row_end && result.row_end <= n_rows;
    const bool columns =
        0 <= result.column_begin && result.column_begin <= result.column_end && result.column_end <= n_columns;
    require(rows && columns, "the tile must be a part of the matrix");
    return result;
}

/// Read a `Histogram` of pairwise/layout.py.
inline Histogram histogram_of(nb::handle histogram) {
    Matrix<const Index> ptr;
    if (!nb::try_cast(histogram.attr("ptr"), ptr, false) || ptr.shape(1) == 0)
        throw nb::type_error("ptr must be a contiguous array of integers, with a row for every level");
    const Histogram result{
        static_cast<Index>(ptr.shape(1)) - 1, view(ptr), field<const Index>(histogram, "label"),
        field<const double>(histogram, "mass"), field<const Index>(histogram, "start"),
        field<const std::int32_t>(histogram, "graph"), field<const double>(histogram, "mass_in_graph")};
    require(result.mass.size == result.label.size, "mass must have an entry for every label");
    require(result.mass_in_graph.size == result.graph.size, "mass_in_graph must have an entry for every graph");
    return result;
}

/// Memory for what ColumnLists keep, which is worth it if a tile has more than a few rows; most of it is never touched.
class KeptLists {
public:
    KeptLists(const Tile& tile, const Histogram& histogram)
        : size_(tile.n_rows() > FEW_ROWS ? histogram.start.size : 0),
          ranges_(
              static_cast<Histogram::Range*>(std::calloc(static_cast<std::size_t>(size_), sizeof(Histogram::Range)))) {
        if (size_ > 0 && ranges_ == nullptr) throw std::bad_alloc();
    }
    View<Histogram::Range> view() const { return {ranges_.get(), size_}; }

private:
    static constexpr Index FEW_ROWS = 4;
    struct Free {
        void operator()(void* block) const { std::free(block); }
    };

    Index size_;
    std::unique_ptr<Histogram::Range[], Free> ranges_;
};

/// Throw an error if the labels of a graph are not where they should be.
inline void require_labels(const Histogram& histogram, Index g) {
    for (Index level = 0; level < histogram.n_levels(); ++level) {
        const auto [first, last] = histogram.labels_of(g, level);
        require(0 <= first && first <= last && last <= histogram.label.size, "ptr must ascend from 0");
    }
}

}  // namespace wassergraph
