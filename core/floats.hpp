// Eight floats at once, for bounds that need few digits: half the memory of doubles, and twice the speed.
//
// As in simd.hpp, all processors give the same bits. There is no fused operation: processors without one would need a
// call of the C library for each.
#pragma once

#include "simd.hpp"

namespace wassergraph::WG_LEVEL {

#if WG_VECTORS
#if defined(__AVX__)
inline constexpr int NATIVE_FLOATS = 8;
#else
inline constexpr int NATIVE_FLOATS = 4;
#endif
using NativeFloats = float __attribute__((vector_size(NATIVE_FLOATS * 4)));
using NativeFloatWords = std::int32_t __attribute__((vector_size(NATIVE_FLOATS * 4)));
#else
inline constexpr int NATIVE_FLOATS = 1;
#endif

/// N floats, as two halves; `FloatVec<NATIVE_FLOATS>` below is one register.
template <int N>
struct FloatVec {
    FloatVec<N / 2> low, high;

    static WG_INLINE FloatVec load(const float* data) {
        return {FloatVec<N / 2>::load(data), FloatVec<N / 2>::load(data + N / 2)};
    }
    static WG_INLINE FloatVec repeat(float value) {
        return {FloatVec<N / 2>::repeat(value), FloatVec<N / 2>::repeat(value)};
    }
    WG_INLINE void store(float* data) const {
        low.store(data);
        high.store(data + N / 2);
    }
    friend WG_INLINE FloatVec operator+(FloatVec a, FloatVec b) { return {a.low + b.low, a.high + b.high}; }
    friend WG_INLINE FloatVec operator-(FloatVec a, FloatVec b) { return {a.low - b.low, a.high - b.high}; }
    friend WG_INLINE FloatVec operator*(FloatVec a, FloatVec b) { return {a.low * b.low, a.high * b.high}; }
    friend WG_INLINE FloatVec square_root(FloatVec a) { return {square_root(a.low), square_root(a.high)}; }
    friend WG_INLINE FloatVec absolute(FloatVec a) { return {absolute(a.low), absolute(a.high)}; }
    /// Return the smaller of a and b; b if one of them is NaN.
    friend WG_INLINE FloatVec smaller(FloatVec a, FloatVec b) {
        return {smaller(a.low, b.low), smaller(a.high, b.high)};
    }
    /// Return the sum of the entries: halves are added until one is left.
    friend WG_INLINE float total(FloatVec a) { return total(a.low + a.high); }
    friend WG_INLINE float smallest(FloatVec a) { return smallest(smaller(a.low, a.high)); }
};

#if WG_VECTORS
template <>
struct FloatVec<NATIVE_FLOATS> {
    NativeFloats value;

    static WG_INLINE FloatVec load(const float* data) {
        FloatVec result;
        std::memcpy(&result.value, data, sizeof result.value);
        return result;
    }
    WG_INLINE void store(float* data) const { std::memcpy(data, &value, sizeof value); }

    friend WG_INLINE FloatVec operator+(FloatVec a, FloatVec b) { return {a.value + b.value}; }
    friend WG_INLINE FloatVec operator-(FloatVec a, FloatVec b) { return {a.value - b.value}; }
    friend WG_INLINE FloatVec operator*(FloatVec a, FloatVec b) { return {a.value * b.value}; }
#if defined(__AVX__)
    static WG_INLINE FloatVec repeat(float value) { return {_mm256_set1_ps(value)}; }
    friend WG_INLINE FloatVec square_root(FloatVec a) { return {_mm256_sqrt_ps(a.value)}; }
    friend WG_INLINE FloatVec smaller(FloatVec a, FloatVec b) { return {_mm256_min_ps(a.value, b.value)}; }
#elif defined(__x86_64__)
    static WG_INLINE FloatVec repeat(float value) { return {_mm_set1_ps(value)}; }
    friend WG_INLINE FloatVec square_root(FloatVec a) { return {_mm_sqrt_ps(a.value)}; }
    friend WG_INLINE FloatVec smaller(FloatVec a, FloatVec b) { return {_mm_min_ps(a.value, b.value)}; }
#else
    static WG_INLINE FloatVec repeat(float value) { return {(NativeFloats)vdupq_n_f32(value)}; }
    friend WG_INLINE FloatVec square_root(FloatVec a) { return {(NativeFloats)vsqrtq_f32((float32x4_t)a.value)}; }
    friend WG_INLINE FloatVec smaller(FloatVec a, FloatVec b) {
        const NativeFloatWords where = a.value < b.value;
        return {(NativeFloats)((where & (NativeFloatWords)a.value) | (~where & (NativeFloatWords)b.value))};
    }
#endif
    friend WG_INLINE FloatVec absolute(FloatVec a) { return {(NativeFloats)((NativeFloatWords)a.value & INT32_MAX)}; }
    friend WG_INLINE float total(FloatVec a) {
        float sums[NATIVE_FLOATS];
        a.store(sums);
        for (int half = NATIVE_FLOATS / 2; half > 0; half /= 2)
            for (int k = 0; k < half; ++k) sums[k] += sums[k + half];
        return sums[0];
    }
    friend WG_INLINE float smallest(FloatVec a) {
        float least[NATIVE_FLOATS];
        a.store(least);
        for (int half = NATIVE_FLOATS / 2; half > 0; half /= 2)
            for (int k = 0; k < half; ++k) least[k] = least[k] < least[k + half] ? least[k] : least[k + half];
        return least[0];
    }
};
#else
template <>
struct FloatVec<1> {
    float value;

    static WG_INLINE FloatVec load(const float* data) { return {*data}; }
    static WG_INLINE FloatVec repeat(float value) { return {value}; }
    WG_INLINE void store(float* data) const { *data = value; }
    friend WG_INLINE FloatVec operator+(FloatVec a, FloatVec b) { return {a.value + b.value}; }
    friend WG_INLINE FloatVec operator-(FloatVec a, FloatVec b) { return {a.value - b.value}; }
    friend WG_INLINE FloatVec operator*(FloatVec a, FloatVec b) { return {a.value * b.value}; }
    friend WG_INLINE FloatVec square_root(FloatVec a) { return {std::sqrt(a.value)}; }
    friend WG_INLINE FloatVec absolute(FloatVec a) { return {std::fabs(a.value)}; }
    friend WG_INLINE FloatVec smaller(FloatVec a, FloatVec b) { return a.value < b.value ? a : b; }
    friend WG_INLINE float total(FloatVec a) { return a.value; }
    friend WG_INLINE float smallest(FloatVec a) { return a.value; }
};
#endif

using Floats = FloatVec<LANES>;

WG_INLINE Floats load_floats(View<const float> data, Index at) {
    assert(0 <= at && at + LANES <= data.size);
    return Floats::load(data.data + at);
}
WG_INLINE void store_floats(View<float> data, Index at, Floats value) {
    assert(0 <= at && at + LANES <= data.size);
    value.store(data.data + at);
}
WG_INLINE Floats repeat_float(float value) { return Floats::repeat(value); }

/// Return eight floats as doubles.
WG_INLINE Lanes widened(View<const float> data, Index at) {
    assert(0 <= at && at + LANES <= data.size);
    double wide[LANES];
    for (Index k = 0; k < LANES; ++k) wide[k] = static_cast<double>(data.data[at + k]);
    return Lanes::load(wide);
}

}  // namespace wassergraph::WG_LEVEL
