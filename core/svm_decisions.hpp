// Decisions of many support vector machines, each summed in the order of the training graphs.
#pragma once

#include "svm.hpp"

namespace wassergraph::WG_LEVEL {

/// Compute the decisions (n_values, n_test) of problem p for some values of C, from the first on.
void decide_problem(const svm::Deciders& deciders, Index p, Index first, Index n_values, View<double> decisions);

/// Add a vote (values of C, n_classes, n_test) for the first class of each problem where its decision is positive,
/// otherwise for the second. The decisions of one problem are memory.
void count_votes(
    const svm::Deciders& deciders, View<const Index> classes, Index n_classes, View<double> decisions,
    View<std::int32_t> votes);

/// Compute decisions (n_rows, problems) for rows of the kernel (n_rows, n_train), by coefficients (problems, n_train).
/// `support` (n_train) is memory.
void decide_rows(
    Index n_train, View<const double> kernel, View<const double> alpha, View<const double> intercepts,
    View<Index> support, View<double> decisions);

}  // namespace wassergraph::WG_LEVEL
