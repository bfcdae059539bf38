// The GraphHopper kernel: the similarity of every two nodes, times how often they have the same positions on paths.
#pragma once

#include "../simd.hpp"
#include "tasks.hpp"

namespace wassergraph::WG_LEVEL {

/// Fill a tile; `memory` has HOP_ROWS rows of the padded length of the largest graph on the right.
void hop_tile(
    const Tile& tile, const HopTables& left, const HopTables& right, const HopRules& rules, View<double> memory,
    View<double> out);

}  // namespace wassergraph::WG_LEVEL
