// The exponential of this core: that of the C library has other last bits on every system.
#pragma once

#include "simd.hpp"

namespace wassergraph::WG_LEVEL {

/// The logarithm of 2 as a sum; the product of the first part with a whole number below 2048 is exact.
inline constexpr double LOG_2 = 0.6931471803691238, LOG_2_REST = 1.9082149292705877e-10;

/// Return the exponentials of eight doubles, with an error below one unit in the last place; below -708 and above 708
/// they no longer change.
///
/// With k the whole number next to x / log 2, exp(x) is 2^k exp(r), and r is at most log(2) / 2 in size: there the Taylor
/// polynomial of degree 13 is exact up to rounding.
WG_INLINE Lanes exponential(Lanes x) {
    x = smaller(larger(x, repeat(-708.0)), repeat(708.0));
    const Lanes rounded = multiply_add(x, repeat(1.4426950408889634), repeat(ROUND));
    const Lanes k = rounded - repeat(ROUND);
    const Lanes r = multiply_add(k, repeat(-LOG_2_REST), multiply_add(k, repeat(-LOG_2), x));
    Lanes value = repeat(1.0 / 6227020800.0);
    value = multiply_add(value, r, repeat(1.0 / 479001600.0));
    value = multiply_add(value, r, repeat(1.0 / 39916800.0));
    value = multiply_add(value, r, repeat(1.0 / 3628800.0));
    value = multiply_add(value, r, repeat(1.0 / 362880.0));
    value = multiply_add(value, r, repeat(1.0 / 40320.0));
    value = multiply_add(value, r, repeat(1.0 / 5040.0));
    value = multiply_add(value, r, repeat(1.0 / 720.0));
    value = multiply_add(value, r, repeat(1.0 / 120.0));
    value = multiply_add(value, r, repeat(1.0 / 24.0));
    value = multiply_add(value, r, repeat(1.0 / 6.0));
    value = multiply_add(value, r, repeat(0.5));
    value = multiply_add(value, r, repeat(1.0));
    value = multiply_add(value, r, repeat(1.0));
    return scale_by_power(value, rounded);
}

}  // namespace wassergraph::WG_LEVEL
