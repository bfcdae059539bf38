// Support vector machines for increasing values of C, each solved from the solution for the previous C.
#pragma once

#include "svm.hpp"

namespace wassergraph::WG_LEVEL {

/// Solve problems for all values of C; those whose kernel may have a negative eigenvalue are skipped. The memory must be
/// that of the largest problem.
void solve_svm_problems(
    const svm::Problems& problems, const svm::Options& options, const svm::Starts& starts, const svm::Memory& memory,
    const svm::Solutions& solutions);

}  // namespace wassergraph::WG_LEVEL
