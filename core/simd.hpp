// Eight doubles at once, with the same result on every processor.
//
// The rows of small graphs are so short that most of the time of a vectorized loop is spent on the entries that do not
// fill a vector. Here rows are padded to a multiple of eight instead, and eight entries are one value: one register with
// AVX-512, two with AVX2, four with SSE2 or NEON, eight plain doubles elsewhere. Sums of the eight entries are formed in
// one fixed order, and multiply_add rounds once, so that all of these give the same bits.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#include "views.hpp"

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#include <immintrin.h>
#define WG_VECTORS 1
#elif defined(__aarch64__) && (defined(__GNUC__) || defined(__clang__))
#include <arm_neon.h>
#define WG_VECTORS 1
#else
#define WG_VECTORS 0
#endif

namespace wassergraph::WG_LEVEL {

/// with_numbers replaces so many bits of a double.
inline constexpr int NUMBER_BITS = 20;
inline constexpr std::int64_t NUMBER_MASK = (std::int64_t{1} << NUMBER_BITS) - 1;
/// Added to a double, this rounds it to a whole number, which is then in its last bits.
inline constexpr double ROUND = 6755399441055744.0;

#if WG_VECTORS
#if defined(__AVX512F__)
inline constexpr int NATIVE = 8;
#elif defined(__AVX__)
inline constexpr int NATIVE = 4;
#else
inline constexpr int NATIVE = 2;
#endif
using NativeDoubles = double __attribute__((vector_size(NATIVE * 8)));
using NativeWords = std::int64_t __attribute__((vector_size(NATIVE * 8)));
#else
inline constexpr int NATIVE = 1;
using NativeDoubles = double;
using NativeWords = std::int64_t;
#endif

WG_INLINE std::int64_t bits_of_double(double value) {
    std::int64_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}

#if defined(__x86_64__) && WG_VECTORS
// The sum, the smallest and the largest entry of a register: halves are joined until one entry is left.
WG_INLINE double total_of(__m128d a) { return _mm_cvtsd_f64(_mm_add_sd(a, _mm_unpackhi_pd(a, a))); }
WG_INLINE double smallest_of(__m128d a) { return _mm_cvtsd_f64(_mm_min_sd(a, _mm_unpackhi_pd(a, a))); }
WG_INLINE double largest_of(__m128d a) { return _mm_cvtsd_f64(_mm_max_sd(a, _mm_unpackhi_pd(a, a))); }
#if defined(__AVX__)
WG_INLINE __m128d low_half(__m256d a) { return _mm256_castpd256_pd128(a); }
WG_INLINE __m128d high_half(__m256d a) { return _mm256_extractf128_pd(a, 1); }
WG_INLINE double total_of(__m256d a) { return total_of(_mm_add_pd(low_half(a), high_half(a))); }
WG_INLINE double smallest_of(__m256d a) { return smallest_of(_mm_min_pd(low_half(a), high_half(a))); }
WG_INLINE double largest_of(__m256d a) { return largest_of(_mm_max_pd(low_half(a), high_half(a))); }
#endif
#if defined(__AVX512F__)
WG_INLINE __m256d low_half(__m512d a) { return _mm512_castpd512_pd256(a); }
WG_INLINE __m256d high_half(__m512d a) { return _mm512_maskz_extractf64x4_pd(0xF, a, 1); }
WG_INLINE double total_of(__m512d a) { return total_of(_mm256_add_pd(low_half(a), high_half(a))); }
WG_INLINE double smallest_of(__m512d a) { return smallest_of(_mm256_min_pd(low_half(a), high_half(a))); }
WG_INLINE double largest_of(__m512d a) { return largest_of(_mm256_max_pd(low_half(a), high_half(a))); }
#endif
#elif defined(__aarch64__) && WG_VECTORS
WG_INLINE double total_of(NativeDoubles a) { return a[0] + a[1]; }
WG_INLINE double smallest_of(NativeDoubles a) { return a[0] < a[1] ? a[0] : a[1]; }
WG_INLINE double largest_of(NativeDoubles a) { return a[0] > a[1] ? a[0] : a[1]; }
#endif

/// N doubles, as two halves; `Vec<NATIVE>` below is one register.
template <int N>
struct Vec {
    Vec<N / 2> low, high;

    static WG_INLINE Vec load(const double* data) { return {Vec<N / 2>::load(data), Vec<N / 2>::load(data + N / 2)}; }
    static WG_INLINE Vec repeat(double value) { return {Vec<N / 2>::repeat(value), Vec<N / 2>::repeat(value)}; }
    static WG_INLINE Vec gather(const double* data, const std::int32_t* places) {
        return {Vec<N / 2>::gather(data, places), Vec<N / 2>::gather(data, places + N / 2)};
    }
    WG_INLINE void store(double* data) const {
        low.store(data);
        high.store(data + N / 2);
    }
    friend WG_INLINE Vec operator+(Vec a, Vec b) { return {a.low + b.low, a.high + b.high}; }
    friend WG_INLINE Vec operator-(Vec a, Vec b) { return {a.low - b.low, a.high - b.high}; }
    friend WG_INLINE Vec operator*(Vec a, Vec b) { return {a.low * b.low, a.high * b.high}; }
    friend WG_INLINE Vec operator/(Vec a, Vec b) { return {a.low / b.low, a.high / b.high}; }
    /// Return a * b + c, rounded once.
    friend WG_INLINE Vec multiply_add(Vec a, Vec b, Vec c) {
        return {multiply_add(a.low, b.low, c.low), multiply_add(a.high, b.high, c.high)};
    }
    friend WG_INLINE Vec square_root(Vec a) { return {square_root(a.low), square_root(a.high)}; }
    friend WG_INLINE Vec absolute(Vec a) { return {absolute(a.low), absolute(a.high)}; }
    /// Return the smaller of a and b; b if one of them is NaN.
    friend WG_INLINE Vec smaller(Vec a, Vec b) { return {smaller(a.low, b.low), smaller(a.high, b.high)}; }
    /// Return the larger of a and b; b if one of them is NaN.
    friend WG_INLINE Vec larger(Vec a, Vec b) { return {larger(a.low, b.low), larger(a.high, b.high)}; }
    /// Return the entries whose bit is set, and 0 in place of the others.
    friend WG_INLINE Vec keep(std::uint64_t bits, Vec a) { return {keep(bits, a.low), keep(bits >> N / 2, a.high)}; }
    /// Return the entries of a where x exceeds `least`, and 0 in place of the others.
    friend WG_INLINE Vec keep_above(Vec x, Vec least, Vec a) {
        return {keep_above(x.low, least.low, a.low), keep_above(x.high, least.high, a.high)};
    }
    /// Replace the last bits of the entries by the numbers from `first` on; their signs stay. The smallest of many such
    /// entries then tells its number, for one comparison each.
    friend WG_INLINE Vec with_numbers(Vec a, std::int64_t first) {
        return {with_numbers(a.low, first), with_numbers(a.high, first + N / 2)};
    }
    /// Return a times two to the power of `rounded - ROUND`; neither a nor the result may be subnormal.
    friend WG_INLINE Vec scale_by_power(Vec a, Vec rounded) {
        return {scale_by_power(a.low, rounded.low), scale_by_power(a.high, rounded.high)};
    }
    /// Return the sum of the entries: halves are added until one is left.
    friend WG_INLINE double total(Vec a) { return total(a.low + a.high); }
    friend WG_INLINE double smallest(Vec a) { return smallest(smaller(a.low, a.high)); }
    friend WG_INLINE double largest(Vec a) { return largest(larger(a.low, a.high)); }
};

#if WG_VECTORS
template <>
struct Vec<NATIVE> {
    NativeDoubles value;

    static WG_INLINE Vec load(const double* data) {
        Vec result;
        std::memcpy(&result.value, data, sizeof result.value);
        return result;
    }
    static WG_INLINE Vec gather(const double* data, const std::int32_t* places) {
        Vec result;
        for (int k = 0; k < NATIVE; ++k) result.value[k] = data[places[k]];
        return result;
    }
    WG_INLINE void store(double* data) const { std::memcpy(data, &value, sizeof value); }

    WG_INLINE NativeWords words() const { return (NativeWords)value; }
    static WG_INLINE Vec of_words(NativeWords words) { return {(NativeDoubles)words}; }
    static WG_INLINE NativeWords counted() {
        NativeWords result;
        for (int k = 0; k < NATIVE; ++k) result[k] = k;
        return result;
    }

    friend WG_INLINE Vec operator+(Vec a, Vec b) { return {a.value + b.value}; }
    friend WG_INLINE Vec operator-(Vec a, Vec b) { return {a.value - b.value}; }
    friend WG_INLINE Vec operator*(Vec a, Vec b) { return {a.value * b.value}; }
    friend WG_INLINE Vec operator/(Vec a, Vec b) { return {a.value / b.value}; }
#if defined(__AVX512F__)
    static WG_INLINE Vec repeat(double value) { return {_mm512_set1_pd(value)}; }
    friend WG_INLINE Vec multiply_add(Vec a, Vec b, Vec c) { return {_mm512_fmadd_pd(a.value, b.value, c.value)}; }
    friend WG_INLINE Vec square_root(Vec a) { return {_mm512_sqrt_pd(a.value)}; }
    friend WG_INLINE Vec smaller(Vec a, Vec b) { return {_mm512_min_pd(a.value, b.value)}; }
    friend WG_INLINE Vec larger(Vec a, Vec b) { return {_mm512_max_pd(a.value, b.value)}; }
#elif defined(__FMA__)
    static WG_INLINE Vec repeat(double value) { return {_mm256_set1_pd(value)}; }
    friend WG_INLINE Vec multiply_add(Vec a, Vec b, Vec c) { return {_mm256_fmadd_pd(a.value, b.value, c.value)}; }
    friend WG_INLINE Vec square_root(Vec a) { return {_mm256_sqrt_pd(a.value)}; }
    friend WG_INLINE Vec smaller(Vec a, Vec b) { return {_mm256_min_pd(a.value, b.value)}; }
    friend WG_INLINE Vec larger(Vec a, Vec b) { return {_mm256_max_pd(a.value, b.value)}; }
#elif defined(__x86_64__)
    static WG_INLINE Vec repeat(double value) { return {_mm_set1_pd(value)}; }
    // Without the instruction, rounding once takes a call of the C library, which is slow and right.
    friend WG_INLINE Vec multiply_add(Vec a, Vec b, Vec c) {
        Vec result;
        for (int k = 0; k < NATIVE; ++k) result.value[k] = std::fma(a.value[k], b.value[k], c.value[k]);
        return result;
    }
    friend WG_INLINE Vec square_root(Vec a) { return {_mm_sqrt_pd(a.value)}; }
    friend WG_INLINE Vec smaller(Vec a, Vec b) { return {_mm_min_pd(a.value, b.value)}; }
    friend WG_INLINE Vec larger(Vec a, Vec b) { return {_mm_max_pd(a.value, b.value)}; }
#else
    static WG_INLINE Vec repeat(double value) { return {(NativeDoubles)vdupq_n_f64(value)}; }
    friend WG_INLINE Vec multiply_add(Vec a, Vec b, Vec c) {
        return {(NativeDoubles)vfmaq_f64((float64x2_t)c.value, (float64x2_t)a.value, (float64x2_t)b.value)};
    }
    friend WG_INLINE Vec square_root(Vec a) { return {(NativeDoubles)vsqrtq_f64((float64x2_t)a.value)}; }
    friend WG_INLINE Vec smaller(Vec a, Vec b) { return choose(a.value < b.value, a, b); }
    friend WG_INLINE Vec larger(Vec a, Vec b) { return choose(a.value > b.value, a, b); }
    static WG_INLINE Vec choose(NativeWords where, Vec a, Vec b) {
        return of_words((where & a.words()) | (~where & b.words()));
    }
#endif
    friend WG_INLINE Vec absolute(Vec a) { return of_words(a.words() & INT64_MAX); }
    friend WG_INLINE Vec keep(std::uint64_t bits, Vec a) {
        const NativeWords flags = ((NativeWords{} + static_cast<std::int64_t>(bits)) >> counted()) & 1;
        return of_words(-flags & a.words());
    }
    friend WG_INLINE Vec keep_above(Vec x, Vec least, Vec a) {
        return of_words((NativeWords)(x.value > least.value) & a.words());
    }
    friend WG_INLINE Vec with_numbers(Vec a, std::int64_t first) {
        return of_words((a.words() & ~NUMBER_MASK) | (counted() + first));
    }
    friend WG_INLINE Vec scale_by_power(Vec a, Vec rounded) { return of_words(a.words() + (rounded.words() << 52)); }
    friend WG_INLINE double total(Vec a) { return total_of(a.value); }
    friend WG_INLINE double smallest(Vec a) { return smallest_of(a.value); }
    friend WG_INLINE double largest(Vec a) { return largest_of(a.value); }
};
#else
template <>
struct Vec<1> {
    double value;

    static WG_INLINE Vec load(const double* data) { return {*data}; }
    static WG_INLINE Vec repeat(double value) { return {value}; }
    static WG_INLINE Vec gather(const double* data, const std::int32_t* places) { return {data[*places]}; }
    WG_INLINE void store(double* data) const { *data = value; }
    static WG_INLINE Vec of_words(std::int64_t bits) {
        Vec result;
        std::memcpy(&result.value, &bits, sizeof bits);
        return result;
    }
    friend WG_INLINE Vec operator+(Vec a, Vec b) { return {a.value + b.value}; }
    friend WG_INLINE Vec operator-(Vec a, Vec b) { return {a.value - b.value}; }
    friend WG_INLINE Vec operator*(Vec a, Vec b) { return {a.value * b.value}; }
    friend WG_INLINE Vec operator/(Vec a, Vec b) { return {a.value / b.value}; }
    friend WG_INLINE Vec multiply_add(Vec a, Vec b, Vec c) { return {std::fma(a.value, b.value, c.value)}; }
    friend WG_INLINE Vec square_root(Vec a) { return {std::sqrt(a.value)}; }
    friend WG_INLINE Vec absolute(Vec a) { return {std::fabs(a.value)}; }
    friend WG_INLINE Vec smaller(Vec a, Vec b) { return a.value < b.value ? a : b; }
    friend WG_INLINE Vec larger(Vec a, Vec b) { return a.value > b.value ? a : b; }
    friend WG_INLINE Vec keep(std::uint64_t bits, Vec a) { return {bits & 1 ? a.value : 0.0}; }
    friend WG_INLINE Vec keep_above(Vec x, Vec least, Vec a) { return {x.value > least.value ? a.value : 0.0}; }
    friend WG_INLINE Vec with_numbers(Vec a, std::int64_t first) {
        return of_words((bits_of_double(a.value) & ~NUMBER_MASK) | first);
    }
    friend WG_INLINE Vec scale_by_power(Vec a, Vec rounded) {
        const auto power = static_cast<std::uint64_t>(bits_of_double(rounded.value)) << 52;
        return of_words(static_cast<std::int64_t>(static_cast<std::uint64_t>(bits_of_double(a.value)) + power));
    }
    friend WG_INLINE double total(Vec a) { return a.value; }
    friend WG_INLINE double smallest(Vec a) { return a.value; }
    friend WG_INLINE double largest(Vec a) { return a.value; }
};
#endif

using Lanes = Vec<LANES>;

/// Return the number in the last bits of a double.
WG_INLINE std::int64_t number_of(double value) { return bits_of_double(value) & NUMBER_MASK; }

WG_INLINE Lanes load(View<const double> data, Index at) {
    assert(0 <= at && at + LANES <= data.size);
    return Lanes::load(data.data + at);
}
WG_INLINE void store(View<double> data, Index at, Lanes value) {
    assert(0 <= at && at + LANES <= data.size);
    value.store(data.data + at);
}
WG_INLINE Lanes repeat(double value) { return Lanes::repeat(value); }
/// Read the entries at eight places, of which the first is `places[at]`, counted from `first`.
WG_INLINE Lanes gather(View<const double> data, Index first, View<const std::int32_t> places, Index at) {
    assert(0 <= at && at + LANES <= places.size);
    return Lanes::gather(data.data + first, places.data + at);
}

}  // namespace wassergraph::WG_LEVEL
