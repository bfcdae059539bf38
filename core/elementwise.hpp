// Loops over long arrays, entry by entry, and the exponential and the logarithm of this core.
//
// Those of the C library have other last bits on every system. The ones here use nothing but additions, multiplications,
// divisions and roundings that are written out, and have the same bits everywhere.
#pragma once

#include <cstdint>

#include "problem.hpp"
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

/// Return the natural logarithm of a positive and finite number, with an error below one unit in the last place; that of 0 is minus
/// infinity.
double logarithm(double x);

/// Compute exp(-rate * x) of every entry; exponents below -708 give 0, since most of their exponentials would not be
/// normal numbers, and have fewer digits, and so do exponents that are no numbers. The result may replace the entries.
void decay(View<const double> x, double rate, View<double> out);
/// The same in single precision: the exponentials of double precision, rounded.
void decay_short(View<const float> x, double rate, View<float> out);

/// Copy some rows and columns of a matrix, whose rows have `width` entries.
void take_block(
    View<const double> matrix, Index width, View<const Index> rows, View<const Index> columns, View<double> out);
/// The same of a matrix in single precision.
void take_short_block(
    View<const float> matrix, Index width, View<const Index> rows, View<const Index> columns, View<double> out);

/// Add the absolute differences of numbers of the rows and of the columns, times a weight, to a matrix.
void add_differences(double weight, View<const double> rows, View<const double> columns, View<double> matrix);

}  // namespace wassergraph::WG_LEVEL
