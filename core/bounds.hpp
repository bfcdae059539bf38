// Lower bounds of optimal transport, cheaper than its solution: no plan costs less.
//
//     vectors    in every coordinate, transport between two graphs costs at least the difference of their sorted
//                coordinates, averaged over a few parts of equal mass; the bounds of orthogonal coordinates are the
//                sides of a box, whose diagonal is a bound as well
//     relaxed    every node of one graph moves to the nearest node of the other, whatever the others do
//     duals      any numbers of the nodes of one graph, completed by the best ones of the other, are a solution of the
//                dual problem; those of an earlier solution are good ones
//
// All of them hold for masses that are shares. For counts, a node without a partner has a price. Costs are floats, sums
// over nodes are doubles.
#pragma once

#include "library.hpp"

namespace wassergraph::WG_LEVEL {

/// Compute the distances of images: `own` is stored node by node, `other` coordinate by coordinate in padded rows.
void image_costs(View<const float> own, View<const float> other, Index width, const ImageCosts& costs);

/// Return Σ_j columns_j v_j + Σ_i rows_i u_i, and for counts what nodes without a partner cost at least, where v_j =
/// min_i (costs_ij - u_i) is written to `v`, behind the columns as well. With u = 0, every
/// column moves to its nearest row.
double dual_bound(const ImageCosts& costs, View<const float> u, const Alone& alone, View<float> v);

/// Return the bound of potentials v of the columns, which dual_bound finds for u, and the best ones of the rows. It is at
/// least that of u and v, since the best potentials of the rows are not below u.
double completed_bound(const ImageCosts& costs, View<const float> u, const Alone& alone, View<float> v);

/// Add lower bounds from the vectors of graphs, of the cost of moving points, to their bounds.
void add_vector_bounds(const Vectors& vectors, View<const float> reach, const ImageRules& images, View<Bounded> graphs);

}  // namespace wassergraph::WG_LEVEL
