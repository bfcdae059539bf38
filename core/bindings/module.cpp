#include "module.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "../dispatch.hpp"

NB_MODULE(_core, module) {
    namespace nb = nanobind;
    using namespace wassergraph;
    module.doc() = "The compiled core: functions of arrays, which check them and release the global lock.";
    choose_level();  // what it throws becomes an ImportError
    module.def("level", [] { return std::string(level_in_use()); });
    module.def("levels", [] {
        std::vector<std::string> names;
        for_each_level(
            [](const char* name, void* data) { static_cast<std::vector<std::string>*>(data)->emplace_back(name); },
            &names);
        return names;
    });
    module.def(
        "use_level",
        [](const std::string& name) {
            if (!use_level(name.c_str()))
                throw std::invalid_argument("there is no level " + name + " on this processor");
        },
        nb::arg("name"));
    bind_transport(module);
    bind_testing(module);
    bind_graph_kernels(module);
    bind_svm(module);
    bind_codes(module);
    bind_elementwise(module);
    bind_labels(module);
    bind_lines(module);
    bind_search(module);
    bind_sinkhorn(module);
}
