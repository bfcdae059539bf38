// Named tuples of Python as what the solvers get; wrong arrays are errors.
#pragma once

#include <nanobind/nanobind.h>

#include "../problem.hpp"

namespace wassergraph {

/// Read a `Side` of wassergraph.transport.
Graphs graphs_of(nanobind::handle side);
/// Read `Rules` of wassergraph.transport.
Rules rules_of(nanobind::handle rules);
/// Return the number of depths that are wanted.
Index n_wanted_of(const Rules& rules);

}  // namespace wassergraph
