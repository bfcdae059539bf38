// One function for every file of bindings, which adds its functions to the module.
#pragma once

#include <nanobind/nanobind.h>

namespace wassergraph {

void bind_transport(nanobind::module_& module);
void bind_testing(nanobind::module_& module);
void bind_graph_kernels(nanobind::module_& module);
void bind_svm(nanobind::module_& module);
void bind_codes(nanobind::module_& module);
void bind_elementwise(nanobind::module_& module);
void bind_labels(nanobind::module_& module);
void bind_lines(nanobind::module_& module);
void bind_search(nanobind::module_& module);
void bind_sinkhorn(nanobind::module_& module);

}  // namespace wassergraph
