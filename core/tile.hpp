// A rectangle of a matrix of distances or kernel values.
#pragma once

#include "views.hpp"

namespace wassergraph {

/// Which entries of a symmetric matrix are computed.
enum class Part { ALL, FROM_DIAGONAL, ABOVE_DIAGONAL };

struct Tile {
    Index row_begin, row_end, column_begin, column_end;
    Part part = Part::ALL;

    WG_INLINE Index n_rows() const { return row_end - row_begin; }
    WG_INLINE Index n_columns() const { return column_end - column_begin; }
    /// Return the first column of a row that is computed; there is none from column_end on.
    WG_INLINE Index first_column(Index row) const {
        if (part == Part::ALL) return column_begin;
        return most_of(column_begin, part == Part::FROM_DIAGONAL ? row : row + 1);
    }
    WG_INLINE Index place(Index row, Index column) const {
        return (row - row_begin) * n_columns() + column - column_begin;
    }
};

}  // namespace wassergraph
