// Transport on lines, as Python calls it.
#include "../lines.hpp"

#include "../dispatch.hpp"
#include "arrays.hpp"
#include "module.hpp"

namespace wassergraph {

namespace {

/// Read a `Line` of wassergraph.transport.
Line line_of(nb::handle line) {
    const Line result{
        field<const Index>(line, "ptr"),
        field<const Index>(line, "total"),
        field<const double>(line, "coordinates"),
        field<const Index>(line, "mass"),
    };
    require(result.mass.size == result.coordinates.size, "mass must have an entry for every node");
    require_ascending(result.ptr, result.mass.size, "ptr must ascend to at most the number of nodes");
    require(result.total.size + 1 == result.ptr.size, "total must have an entry for every graph");
    for (Index g = 0; g < result.total.size; ++g) {
        Index sum = 0;
        for (Index i = result.ptr[g]; i < result.ptr[g + 1]; ++i) {
            require(result.mass[i] >= 0, "masses must not be negative");
            sum += result.mass[i];
        }
        require(sum > 0 && sum == result.total[g], "total must be the sum of the masses of each graph, and positive");
    }
    return result;
}

void add_line(
    const Matrix<const Index>& pairs, nb::handle left_line, nb::handle right_line, const Array<const bool>& stop,
    const Array<double>& out) {
    const Line left = line_of(left_line), right = line_of(right_line);
    require_pairs(pairs, left.total.size, right.total.size);
    require(out.size() == pairs.shape(0), "out must have an entry for every pair");
    const StopFlag flag = stop_of(stop);
    const nb::gil_scoped_release released;
    core().add_line(view(pairs), left, right, flag, view(out));
}

}  // namespace

void bind_lines(nb::module_& module) {
    module.def(
        "add_line", add_line, nb::arg("pairs").noconvert(), nb::arg("left"), nb::arg("right"),
        nb::arg("stop").noconvert(), nb::arg("out").noconvert());
}

}  // namespace wassergraph
