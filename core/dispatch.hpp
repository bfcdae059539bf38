// The functions that are compiled once for every instruction set, and the choice between them.
//
// Files that are compiled per level are in a namespace of the level (WG_LEVEL: v2, v3 and v4 of x86-64, or "base" where
// there is one only). They allocate nothing, and use no function of the standard library that is not a single
// instruction: a function with one name for all levels would be linked from any of them. `tests/test_core.py` looks for
// such functions in the extension.
#pragma once

#include "graph_kernels/tasks.hpp"
#include "problem.hpp"
#include "testing.hpp"

namespace wassergraph {

struct Functions {
    // exact.hpp
    void (*solve_block)(
        View<const Index> pairs, const Graphs& left, const Graphs& right, const Rules& rules, const Memory& memory,
        View<double> out, View<Index> statuses);
    Index (*solve_given)(const Graphs& left, const Graphs& right, const Rules& rules, const Memory& memory);
    // ground.hpp
    void (*add_squares)(
        Index n, Index stride, View<const double> rows, View<const double> columns, Index width, Index first, Index last,
        View<double> squares);
    void (*square_roots)(Index length, View<const double> squares, double scale, View<double> distances);

    InnerFunctions inner;
    // graph_kernels/
    void (*gaussian_tile)(
        const Tile& tile, const PointSets& left, const PointSets& right, double gamma, StopFlag stop,
        View<double> memory, View<double> out);
    void (*hop_tile)(
        const Tile& tile, const HopTables& left, const HopTables& right, const HopRules& rules, View<double> memory,
        View<double> out);
    bool (*label_tile)(
        const Tile& tile, bool smaller_counts, const LabelCounts& left, const LabelCounts& right, StopFlag stop,
        View<double> out);
};

/// Return the functions of the level in use.
const Functions& core();
/// Return the name of the level in use: that of WASSERGRAPH_ISA, or the highest that the processor has.
const char* level_in_use();
/// Use a level; returns false if there is none of this name, or the processor does not have it.
bool use_level(const char* name);
/// Call a function with the name of every level that the processor has, the lowest first.
void for_each_level(void (*visit)(const char* name, void* data), void* data);

}  // namespace wassergraph
