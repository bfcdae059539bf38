// Owns the memory of the solver of support vector machines.
#pragma once

#include "arena.hpp"
#include "svm.hpp"

namespace wassergraph::svm {

class Workspace {
public:
    /// Allocate memory for problems of at most n members.
    explicit Workspace(Index n);

    Memory memory;

private:
    Block block_;
};

}  // namespace wassergraph::svm
