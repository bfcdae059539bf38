// The functions that are compiled once for every instruction set, and the choice between them.
//
// Files that are compiled per level are in a namespace of the level (WG_LEVEL: v2, v3 and v4 of x86-64, or "base" where
// there is one only). They allocate nothing, and use no function of the standard library that is not a single
// instruction: a function with one name for all levels would be linked from any of them. `make lint` looks for such
// functions in the object files (.ci/symbols).
#pragma once

#include "graph_kernels/tasks.hpp"
#include "labels.hpp"
#include "library.hpp"
#include "lines.hpp"
#include "problem.hpp"
#include "svm.hpp"
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
        Index n, Index stride, View<const double> rows, View<const double> columns, Index width, Index first,
        Index last, View<double> squares);
    void (*square_roots)(Index length, View<const double> squares, double scale, View<double> distances);

    InnerFunctions inner;
    // graph_kernels/
    void (*gaussian_tile)(
        const Tile& tile, const PointSets& left, const PointSets& right, double gamma, StopFlag stop,
        View<double> memory, View<double> out);
    void (*hop_tile)(
        const Tile& tile, const HopTables& left, const HopTables& right, const HopRules& rules, View<double> memory,
        View<double> out);
    bool (*count_tile)(
        const Tile& tile, bool smaller_counts, const Histogram& left, const ColumnLists& lists, StopFlag stop,
        View<double> out);
    // svm_path.hpp, svm_decisions.hpp
    void (*solve_svm_problems)(
        const svm::Problems& problems, const svm::Options& options, const svm::Starts& starts,
        const svm::Memory& memory, const svm::Solutions& solutions);
    void (*decide_problem)(const svm::Deciders& deciders, Index p, Index first, Index n_values, View<double> decisions);
    void (*count_votes)(
        const svm::Deciders& deciders, View<const Index> classes, Index n_classes, View<double> decisions,
        View<std::int32_t> votes);
    void (*decide_rows)(
        Index n_train, View<const double> kernel, View<const double> alpha, View<const double> intercepts,
        View<Index> support, View<double> decisions);
    // svm_steps.hpp, cholesky.hpp, for tests
    void (*take_newton_steps)(const svm::Dual& dual, const svm::Newton& memory, StopFlag stop);
    bool (*factorize)(
        const svm::Square& matrix, double added, double least, svm::SmallPivot small, const svm::Factor& factor);
    void (*solve_factored)(const svm::Factor& factor, View<double> values);
    // sinkhorn.hpp
    void (*sinkhorn_block)(
        View<const Index> pairs, const Graphs& left, const Graphs& right, const Rules& rules, const EntropicGoal& goal,
        const Memory& memory, const Balance& balance, View<double> out, View<Index> statuses);
    Index (*find_plan)(const Costs& costs, const Balance& balance, const EntropicGoal& goal, bool warm);
    // labels.hpp, lines.hpp
    bool (*label_tile)(
        const Tile& tile, const LabelSide& left, const ColumnLists& lists, const Sizes& sizes, const LabelRules& rules,
        View<double> memory, View<double> out);
    void (*label_pairs)(
        View<const Index> pairs, const LabelSide& left, const LabelSide& right, const LabelRules& rules,
        View<double> out);
    void (*add_line)(View<const Index> pairs, const Line& left, const Line& right, StopFlag stop, View<double> out);
    // search.hpp, bounds.hpp; the last three for tests
    void (*set_query)(
        const Library& queries, Index g, const Rules& rules, const ImageRules& images, SearchMemory& memory);
    Index (*visit)(const Search& search, View<const Bounded> graphs, Found& found);
    void (*add_vector_bounds)(
        const Vectors& vectors, View<const float> reach, const ImageRules& images, View<Bounded> graphs);
    void (*image_costs)(View<const float> own, View<const float> other, Index width, const ImageCosts& costs);
    double (*dual_bound)(const ImageCosts& costs, View<const float> u, const Alone& alone, View<float> v);
    double (*completed_bound)(const ImageCosts& costs, View<const float> u, const Alone& alone, View<float> v);
    // elementwise.hpp
    double (*logarithm)(double x);
    void (*decay)(View<const double> x, double rate, View<double> out);
    void (*decay_short)(View<const float> x, double rate, View<float> out);
    void (*take_block)(
        View<const double> matrix, Index width, View<const Index> rows, View<const Index> columns, View<double> out);
    void (*take_short_block)(
        View<const float> matrix, Index width, View<const Index> rows, View<const Index> columns, View<double> out);
    void (*add_differences)(double weight, View<const double> rows, View<const double> columns, View<double> matrix);
};

/// Use the level that the environment variable WASSERGRAPH_ISA names, or the highest that the processor has; done once,
/// when the module is imported. Throws std::runtime_error if the processor does not have it.
void choose_level();
/// Return the functions of the level in use.
const Functions& core();
/// Return the name of the level in use.
const char* level_in_use();
/// Use a level, or the highest if the name is empty; returns false if the processor has none of this name.
bool use_level(const char* name);
/// Call a function with the name of every level that the processor has, the lowest first.
void for_each_level(void (*visit)(const char* name, void* data), void* data);

}  // namespace wassergraph
