// Sums over the labels that two graphs share: of the products of their counts, or of the smaller counts.
//
// For every graph, the lists of graphs that have its labels are added up, so that pairs without a common label cost
// nothing. Counts are whole numbers, so all sums are exact.
#pragma once

#include "tasks.hpp"

namespace wassergraph::WG_LEVEL {

/// Add the sums of a tile, over all levels, to `out`. Returns false if labels do not have numbers of lists, or lists do
/// not ascend; what is wrong is not read or written.
bool count_tile(
    const Tile& tile, bool smaller_counts, const Histogram& left, const ColumnLists& lists, StopFlag stop,
    View<double> out);

}  // namespace wassergraph::WG_LEVEL
