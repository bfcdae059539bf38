// Transport on lines, as Python calls it.
#include "../lines.hpp"

#include <limits>

#include "../dispatch.hpp"
#include "arrays.hpp"
#include "module.hpp"

namespace wassergraph {

namespace {

/// The product of two totals up to this one is below 2^63.
constexpr Index MOST_TOTAL = 3'037'000'499;

/// Read a `Line` of pairwise/layout.py.
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
        const bool valid =
            result.total[g] > 0 &&
            sum_to({result.mass.data + result.ptr[g], result.ptr[g + 1] - result.ptr[g]}, result.total[g]);
        require(valid, "total must be the sum of the masses of each graph, which are not negative");
    }
    return result;
}

/// Throw an error if the masses of a pair, as parts of a common total, would overflow.
void require_common_totals(View<const Index> pairs, const Line& left, const Line& right) {
    for (Index t = 0; t < pairs.size; t += 2) {
        const Index total = left.total[pairs[t]], other = right.total[pairs[t + 1]];
        const bool small = total <= MOST_TOTAL && other <= MOST_TOTAL;  // so that most pairs need no common divisor
        const bool valid = small || have_common_total(total, other, std::numeric_limits<Index>::max());
        require(valid, "the totals of graphs must have a common multiple below 2^63");
    }
}

void add_line(
    const Matrix<const Index>& pairs, nb::handle left_line, nb::handle right_line, const Array<const bool>& stop,
    const Array<double>& out) {
    const Line left = line_of(left_line), right = line_of(right_line);
    require_pairs(pairs, left.total.size, right.total.size);
    require_common_totals(view(pairs), left, right);
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
