// The memory that solvers work in. Not for files that are compiled per level.
#pragma once

#include "arena.hpp"
#include "problem.hpp"

namespace wassergraph {

/// Take the arrays of one graph of so many nodes.
WritableGraph take_graph(Arena& arena, Index nodes, Index width, Index n_codes);

/// Owns the memory of a solver.
class Workspace {
public:
    /// Allocate memory for pairs of graphs of at most n and m nodes.
    Workspace(Index n, Index m, const Rules& rules, bool in_sets);

    Memory memory;

private:
    Block block_;
};

/// Owns the memory of Sinkhorn's iterations.
class BalanceWorkspace {
public:
    /// Allocate memory for pairs of graphs of at most n and m nodes.
    BalanceWorkspace(Index n, Index m);

    Balance balance;

private:
    Block block_;
};

}  // namespace wassergraph
