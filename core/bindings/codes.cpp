// Numbers for codes, as Python calls them.
#include "../codes.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

#include "arrays.hpp"
#include "module.hpp"

namespace wassergraph {

namespace {

template <class T>
using NewArray = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

std::pair<NewArray<std::uint64_t>, NewArray<Index>> number_codes(const Array<const std::uint64_t>& codes) {
    std::vector<Index> numbers;
    std::vector<std::uint64_t> distinct;
    {
        const nb::gil_scoped_release released;
        numbers.resize(codes.size());
        distinct = number_codes(view(codes), {numbers.data(), static_cast<Index>(numbers.size())});
    }
    return {to_array(std::move(distinct)), to_array(std::move(numbers))};
}

std::tuple<NewArray<Index>, NewArray<Index>, NewArray<double>> count_numbers(
    const Array<const Index>& ptr, const Array<const Index>& numbers, const Array<const Index>& weights,
    Index n_distinct) {
    require(n_distinct >= 0 && weights.size() == numbers.size(), "weights must have an entry for every number");
    require_ascending(view(ptr), static_cast<Index>(numbers.size()), "ptr must ascend to at most the number of items");
    require_below(view(numbers), n_distinct, "numbers must be below n_distinct");
    std::vector<Index> indptr(ptr.size());
    Counts counts;
    {
        const nb::gil_scoped_release released;
        const View<Index> ends{indptr.data(), static_cast<Index>(indptr.size())};
        counts = count_numbers(view(ptr), view(numbers), view(weights), n_distinct, ends);
    }
    return {to_array(std::move(indptr)), to_array(std::move(counts.indices)), to_array(std::move(counts.sums))};
}

}  // namespace

void bind_codes(nb::module_& module) {
    module.def(
        "number_codes", [](const Array<const std::uint64_t>& codes) { return number_codes(codes); },
        nb::arg("codes").noconvert());
    module.def(
        "count_numbers",
        [](const Array<const Index>& ptr, const Array<const Index>& numbers, const Array<const Index>& weights,
            Index n_distinct) { return count_numbers(ptr, numbers, weights, n_distinct); },
        nb::arg("ptr").noconvert(), nb::arg("numbers").noconvert(), nb::arg("weights").noconvert(),
        nb::arg("n_distinct"));
    module.def_submodule("testing").def("first_slot", first_slot, nb::arg("code"), nb::arg("n_slots"));
}

}  // namespace wassergraph
