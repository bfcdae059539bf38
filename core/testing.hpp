// What tests reach inside of the solvers for: see bindings/testing.cpp.
#pragma once

#include "problem.hpp"

namespace wassergraph {

enum class LaneOperation {
    add,
    subtract,
    multiply,
    multiply_add,
    square_root,
    absolute,
    smaller,
    larger,
    keep,
    keep_above,
    smallest,
    largest,
    total,
};

/// Functions of one level; see dispatch.hpp.
struct InnerFunctions {
    void (*lane_operation)(
        LaneOperation operation, View<const double> a, View<const double> b, View<const double> c, std::uint64_t bits,
        View<double> out);
    Index (*number_of_smallest)(View<const double> a, Index first);
    // simplex.hpp
    Index (*start)(const Costs& costs, const Memory& memory);
    bool (*restart)(const Costs& costs, const Memory& memory, Index unit);
    void (*set_potentials)(const Costs& costs, const Tree& tree);
    Index (*optimize)(
        const Costs& costs, const Memory& memory, double tolerance, Index max_iter, double cutoff, StopFlag stop);
    double (*total_cost)(const Costs& costs, const Tree& tree, Index unit);
    double (*largest_cost)(const Costs& costs);
};

}  // namespace wassergraph
