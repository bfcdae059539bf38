#include "elementwise.hpp"

#include <cmath>

namespace wassergraph::WG_LEVEL {

namespace {

/// Exponents up to this give 0 in `decay`.
constexpr double LEAST_EXPONENT = -708.0;
constexpr double LEAST_NORMAL = 2.2250738585072014e-308;
/// The square root of 1/2: what a logarithm is reduced to is between this and its double.
constexpr double ROOT_OF_HALF = 0.7071067811865476;

WG_INLINE Lanes load_eight(View<const double> x, Index at) { return load(x, at); }
WG_INLINE Lanes load_eight(View<const float> x, Index at) {
    double wide[LANES];
    for (Index k = 0; k < LANES; ++k) wide[k] = x[at + k];
    return Lanes::load(wide);
}

WG_INLINE void store_eight(View<double> out, Index at, Lanes value) { store(out, at, value); }
WG_INLINE void store_eight(View<float> out, Index at, Lanes value) {
    double wide[LANES];
    value.store(wide);
    for (Index k = 0; k < LANES; ++k) out[at + k] = static_cast<float>(wide[k]);
}

WG_INLINE Lanes exponential_or_zero(Lanes x) { return keep_above(x, repeat(LEAST_EXPONENT), exponential(x)); }

template <class T>
WG_INLINE void decay_all(View<const T> x, double rate, View<T> out) {
    const Lanes factor = repeat(-rate);
    const Index whole = x.size / LANES * LANES;
    for (Index t = 0; t < whole; t += LANES) store_eight(out, t, exponential_or_zero(load_eight(x, t) * factor));
    if (whole == x.size) return;
    double rest[LANES] = {};
    for (Index t = whole; t < x.size; ++t) rest[t - whole] = x[t];
    exponential_or_zero(Lanes::load(rest) * factor).store(rest);
    for (Index t = whole; t < x.size; ++t) out[t] = static_cast<T>(rest[t - whole]);
}

template <class T>
WG_INLINE void take(
    View<const T> matrix, Index width, View<const Index> rows, View<const Index> columns, View<double> out) {
    for (Index i = 0; i < rows.size; ++i) {
        const View<const T> row = matrix.from(rows[i] * width);
        const View<double> result = out.from(i * columns.size);
        for (Index j = 0; j < columns.size; ++j) result[j] = row[columns[j]];
    }
}

double double_of_bits(std::int64_t bits) {
    double value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

}  // namespace

/// With x = 2^k m and s = (m - 1) / (m + 1), log(x) is k log 2 + 2 (s + s^3/3 + s^5/5 + ...). The size of s is at most
/// 0.172, so that all but the first term are small: these two summands are added with their rounding errors, and the
/// others as they are.
double logarithm(double x) {
    if (x == 0.0) return -INFINITE;
    const double scaled = x < LEAST_NORMAL ? x * 0x1p54 : x;
    const std::int64_t bits = bits_of_double(scaled), power = (bits - bits_of_double(ROOT_OF_HALF)) >> 52;
    const double m = double_of_bits(bits - power * (std::int64_t{1} << 52));
    const double k = static_cast<double>(x < LEAST_NORMAL ? power - 54 : power);

    const double difference = m - 1.0, sum = m + 1.0, sum_rest = m - (sum - 1.0);
    const double s = difference / sum, s_rest = (std::fma(-s, sum, difference) - s * sum_rest) / sum, z = s * s;
    double series = 2.0 / 21.0;
    series = std::fma(series, z, 2.0 / 19.0);
    series = std::fma(series, z, 2.0 / 17.0);
    series = std::fma(series, z, 2.0 / 15.0);
    series = std::fma(series, z, 2.0 / 13.0);
    series = std::fma(series, z, 2.0 / 11.0);
    series = std::fma(series, z, 2.0 / 9.0);
    series = std::fma(series, z, 2.0 / 7.0);
    series = std::fma(series, z, 2.0 / 5.0);
    series = std::fma(series, z, 2.0 / 3.0);

    const double high = k * LOG_2 + 2.0 * s, high_rest = 2.0 * s - (high - k * LOG_2);
    return high + (high_rest + (k * LOG_2_REST + (2.0 * s_rest + s * z * series)));
}

void decay(View<const double> x, double rate, View<double> out) { decay_all(x, rate, out); }
void decay_short(View<const float> x, double rate, View<float> out) { decay_all(x, rate, out); }

void take_block(
    View<const double> matrix, Index width, View<const Index> rows, View<const Index> columns, View<double> out) {
    take(matrix, width, rows, columns, out);
}
void take_short_block(
    View<const float> matrix, Index width, View<const Index> rows, View<const Index> columns, View<double> out) {
    take(matrix, width, rows, columns, out);
}

void add_differences(double weight, View<const double> rows, View<const double> columns, View<double> matrix) {
    for (Index i = 0; i < rows.size; ++i) {
        const double value = rows[i];
        const View<double> row = matrix.from(i * columns.size);
        for (Index j = 0; j < columns.size; ++j) row[j] += weight * std::fabs(value - columns[j]);
    }
}

}  // namespace wassergraph::WG_LEVEL
