// Arrays of NumPy as views, checked: a wrong array is a TypeError or a ValueError that names it.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "../problem.hpp"

namespace wassergraph {

namespace nb = nanobind;

/// An array of one dimension that is not copied or converted.
template <class T>
using Array = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
/// One of two dimensions.
template <class T>
using Matrix = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class T, class... Options>
View<T> view(const nb::ndarray<T, Options...>& array) {
    return {array.data(), static_cast<Index>(array.size())};
}

/// Throw a ValueError unless a statement about the arguments is true.
inline void require(bool holds, const char* message) {
    if (!holds) throw std::invalid_argument(message);
}

/// Throw an error unless all flags are 0 or 1: other bytes, which NumPy can make, are true for some code and false for
/// other.
inline void require_flags(View<const bool> flags) {
    const auto* bytes = reinterpret_cast<const unsigned char*>(flags.data);
    for (Index k = 0; k < flags.size; ++k) require(bytes[k] <= 1, "flags must be True or False");
}

/// Return a field of a named tuple as an array, of any number of dimensions, by rows. The tuple, which keeps the array, must
/// outlive the view.
template <class T>
View<T> field(nb::handle object, const char* name) {
    if (!nb::isinstance<nb::tuple>(object)) throw nb::type_error("arrays must be fields of a named tuple");
    nb::ndarray<T, nb::c_contig, nb::device::cpu> array;
    if (!nb::try_cast(object.attr(name), array, false))
        throw nb::type_error((std::string(name) + " must be a contiguous array of the right type").c_str());
    if constexpr (std::is_same_v<const T, const bool>) require_flags(view(array));
    return view(array);
}

/// Return an attribute of an object as a number.
template <class T>
T number(nb::handle object, const char* name) {
    T value{};
    if (!nb::try_cast(object.attr(name), value))
        throw nb::type_error((std::string(name) + " must be a number").c_str());
    return value;
}

/// Throw a ValueError unless all numbers are from 0 to end - 1.
inline void require_below(View<const Index> numbers, Index end, const char* message) {
    for (Index k = 0; k < numbers.size; ++k)
        if (numbers[k] < 0 || numbers[k] >= end) throw std::invalid_argument(message);
}

/// Throw an error unless numbers ascend from at least 0 to at most `end`.
inline void require_ascending(View<const Index> ptr, Index end, const char* message) {
    bool ascending = ptr.size > 0 && ptr[0] >= 0;
    for (Index k = 1; ascending && k < ptr.size; ++k) ascending = ptr[k - 1] <= ptr[k];
    require(ascending && ptr[ptr.size - 1] <= end, message);
}

/// Throw an error if two arrays share memory: what is written would change what was checked.
template <class T, class U>
void require_apart(View<T> read, View<U> written) {
    const auto *first = reinterpret_cast<const char*>(read.data), *second = reinterpret_cast<const char*>(written.data);
    const std::less_equal<> before;
    const bool apart = before(first + read.size * static_cast<Index>(sizeof(T)), second) ||
                       before(second + written.size * static_cast<Index>(sizeof(U)), first);
    require(apart, "arrays that are read and written must not share memory");
}

/// Return a flag that another thread may set.
inline StopFlag stop_of(const Array<const bool>& stop) {
    require(stop.size() == 1, "stop must be one flag");
    return stop.data();
}

/// Throw an error unless pairs (k, 2) are numbers of graphs.
inline void require_pairs(const Matrix<const Index>& pairs, Index n_left, Index n_right) {
    require(pairs.shape(1) == 2, "pairs must have shape (k, 2)");
    const View<const Index> numbers = view(pairs);
    for (Index t = 0; t < numbers.size; t += 2) {
        const bool known = 0 <= numbers[t] && numbers[t] < n_left && 0 <= numbers[t + 1] && numbers[t + 1] < n_right;
        require(known, "pairs must be numbers of graphs");
    }
}

/// Hand entries over to Python, without a copy.
template <class T>
nb::ndarray<nb::numpy, T, nb::ndim<1>> to_array(std::vector<T>&& entries) {
    auto owned = std::make_unique<std::vector<T>>(std::move(entries));
    const std::vector<T>& kept = *owned;
    const nb::capsule owner(owned.get(), [](void* vector) noexcept { delete static_cast<std::vector<T>*>(vector); });
    owned.release();
    return nb::ndarray<nb::numpy, T, nb::ndim<1>>(const_cast<T*>(kept.data()), {kept.size()}, owner);
}

}  // namespace wassergraph
