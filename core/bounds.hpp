// Lower bounds of optimal transport, cheaper than its solution: no plan costs less.
//
//     vectors    in every coordinate, transport between two graphs costs at least the difference of their sorted
//                coordinates, averaged over a few parts of equal mass; the bounds of orthogonal coordinates are the
//                sides of a box, whose diagonal is a bound as well
//     relaxed    every node of one graph moves to the nearest node of the other, whatever the others do
//     duals      any numbers of the nodes of one graph, completed by the best ones of the other, are a solution of the
//                dual problem; those of an earlier solution are good ones
//
// All of them hold for masses that are shares. For counts, a node without a partner has a price.
#pragma once

#include "library.hpp"

namespace wassergraph::WG_LEVEL {

/// Compute the distances of images, which are stored coordinate by coordinate in padded rows.
void image_costs(View<const float> own, View<const float> other, Index width, const ImageCosts& costs);

/// Return Σ_j columns_j v_j + Σ_i rows_i u_i, where v_j = min_i (costs_ij - u_i) is written to `v`. With u = 0, every
/// column moves to its nearest row. Potentials are padded, with zeros behind u.
double dual_bound(const ImageCosts& costs, View<const float> u, const Alone& alone, View<float> v);

/// Return the bound of potentials v of the columns, which dual_bound finds for u, and the best ones of the rows. It is at
/// least that of u and v, since the best potentials of the rows are not below u.
double completed_bound(const ImageCosts& costs, View<const float> u, const Alone& alone, View<float> v);

/// Add lower bounds from the vectors of graphs, of the cost of moving points, to bounds.
void add_vector_bounds(
    const Vectors& vectors, const ImageRules& images, View<const Index> graphs, View<double> bounds);

/// Sort the nodes of every graph by each coordinate, and average them over parts of equal mass: out (graphs, width,
/// parts). The points are given node by node; `values` and `masses` are memory for twice the nodes of the largest graph.
void average_quantiles(
    View<const Index> ptr, View<const Index> mass, View<const float> points, Index n_parts, View<float> values,
    View<Index> masses, View<float> out);

}  // namespace wassergraph::WG_LEVEL
