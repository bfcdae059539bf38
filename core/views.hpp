// Arrays that somebody else owns: a pointer and a length, whose indices are checked in debug builds.
#pragma once

#include <cassert>
#include <cstdint>

// The per-level files (see dispatch.hpp) must not emit functions that other levels could be linked with; what they share
// is therefore inlined always.
#if defined(_MSC_VER) && !defined(__clang__)
#define WG_INLINE __forceinline
#define WG_NOINLINE __declspec(noinline)
#else
#define WG_INLINE inline __attribute__((always_inline))
#define WG_NOINLINE __attribute__((noinline))
#endif

namespace wassergraph {

using Index = std::int64_t;

template <class T>
struct View {
    T* data = nullptr;
    Index size = 0;

    WG_INLINE T& operator[](Index i) const {
        assert(0 <= i && i < size);
        return data[i];
    }
    /// Return what begins at an entry.
    WG_INLINE View from(Index first) const {
        assert(0 <= first && first <= size);
        return {data + first, size - first};
    }
    WG_INLINE operator View<const T>() const { return {data, size}; }
};

/// So many numbers are computed with at once (simd.hpp); rows of arrays are padded to a multiple of it.
inline constexpr Index LANES = 8;
/// Return how many entries a row of so many numbers has.
WG_INLINE constexpr Index padded(Index length) { return (length + LANES - 1) / LANES * LANES; }

/// Return the smaller of two whole numbers; functions of the standard library could be linked across levels.
WG_INLINE constexpr Index least_of(Index a, Index b) { return a < b ? a : b; }
WG_INLINE constexpr Index most_of(Index a, Index b) { return a > b ? a : b; }

/// A flag that another thread may set at any time.
using StopFlag = const volatile bool*;

}  // namespace wassergraph
