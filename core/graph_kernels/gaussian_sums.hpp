// Sums of a Gaussian kernel over all pairs of nodes of two graphs.
#pragma once

#include "../simd.hpp"
#include "tasks.hpp"

namespace wassergraph::WG_LEVEL {

/// Replace squared distances by exp(-gamma square); the length is a multiple of eight.
void gaussian_similarities(Index length, double gamma, View<double> squares);

/// Fill a tile; `memory` has four rows of the padded length of the largest graph on the right.
void gaussian_tile(
    const Tile& tile, const PointSets& left, const PointSets& right, double gamma, StopFlag stop, View<double> memory,
    View<double> out);

}  // namespace wassergraph::WG_LEVEL
