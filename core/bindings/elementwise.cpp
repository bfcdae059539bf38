// Loops over long arrays, and the exponential and the logarithm, as Python calls them.
#include "../dispatch.hpp"
#include "arrays.hpp"
#include "module.hpp"

namespace wassergraph {

namespace {

/// An array of any number of dimensions that is not copied or converted.
template <class T>
using AnyArray = nb::ndarray<T, nb::c_contig, nb::device::cpu>;

void decay(const AnyArray<const double>& x, double rate, const AnyArray<double>& out) {
    require(x.size() == out.size(), "out must be as long as x");
    if (x.data() != out.data()) require_apart(view(x), view(out));
    const nb::gil_scoped_release released;
    core().decay(view(x), rate, view(out));
}

void decay_short(const AnyArray<const float>& x, double rate, const AnyArray<float>& out) {
    require(x.size() == out.size(), "out must be as long as x");
    if (x.data() != out.data()) require_apart(view(x), view(out));
    const nb::gil_scoped_release released;
    core().decay_short(view(x), rate, view(out));
}

template <class T>
void take_block(
    const Matrix<const T>& matrix, const Array<const Index>& rows, const Array<const Index>& columns,
    const Matrix<double>& out) {
    const auto width = static_cast<Index>(matrix.shape(1));
    require_below(view(rows), static_cast<Index>(matrix.shape(0)), "rows must be positions in the matrix");
    require_below(view(columns), width, "columns must be positions in the matrix");
    require(out.shape(0) == rows.size() && out.shape(1) == columns.size(), "out must have these rows and columns");
    const nb::gil_scoped_release released;
    if constexpr (sizeof(T) == sizeof(double))
        core().take_block(view(matrix), width, view(rows), view(columns), view(out));
    else
        core().take_short_block(view(matrix), width, view(rows), view(columns), view(out));
}

void add_differences(
    const Matrix<double>& matrix, double weight, const Array<const double>& rows, const Array<const double>& columns) {
    require(
        matrix.shape(0) == rows.size() && matrix.shape(1) == columns.size(),
        "the matrix must have these rows and columns");
    const nb::gil_scoped_release released;
    core().add_differences(weight, view(rows), view(columns), view(matrix));
}

void logarithms(const Array<const double>& x, const Array<double>& out) {
    require(x.size() == out.size(), "out must be as long as x");
    for (std::size_t t = 0; t < x.size(); ++t) out.data()[t] = core().logarithm(x.data()[t]);
}

}  // namespace

void bind_elementwise(nb::module_& module) {
    const auto x = nb::arg("x").noconvert(), out = nb::arg("out").noconvert();
    module.def("decay", decay, x, nb::arg("rate"), out);
    module.def("decay", decay_short, x, nb::arg("rate"), out);
    const auto matrix = nb::arg("matrix").noconvert(), rows = nb::arg("rows").noconvert();
    const auto columns = nb::arg("columns").noconvert();
    module.def("take_block", take_block<double>, matrix, rows, columns, out);
    module.def("take_block", take_block<float>, matrix, rows, columns, out);
    module.def("add_differences", add_differences, matrix, nb::arg("weight"), rows, columns);
    module.def_submodule("testing").def("logarithms", logarithms, x, out);
}

}  // namespace wassergraph
