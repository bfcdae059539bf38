#include "dispatch.hpp"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>

#if !defined(WG_HAS_base)
#include <cpuid.h>
#endif

namespace wassergraph {

#if defined(WG_HAS_v2)
namespace v2 {
extern const Functions functions;
}
#endif
#if defined(WG_HAS_v3)
namespace v3 {
extern const Functions functions;
}
#endif
#if defined(WG_HAS_v4)
namespace v4 {
extern const Functions functions;
}
#endif
#if defined(WG_HAS_base)
namespace base {
extern const Functions functions;
}
#endif

namespace {

struct Level {
    const char* name;
    const Functions* functions;
    bool (*available)();
};

#if !defined(WG_HAS_base)
// What the processor has is read by hand: the compilers' own functions for it are not part of every runtime library.

struct Registers {
    unsigned a = 0, b = 0, c = 0, d = 0;
};

Registers cpuid(unsigned leaf, unsigned part) {
    Registers found;
    __get_cpuid_count(leaf, part, &found.a, &found.b, &found.c, &found.d);
    return found;
}

bool has(unsigned word, unsigned bits) { return (word & bits) == bits; }

/// Return whether the operating system keeps some registers (bits of XCR0).
bool keeps(unsigned bits) {
    if (!has(cpuid(1, 0).c, 1u << 27)) return false;
    unsigned low, high;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return has(low, bits);
}

bool has_v2() {
    const unsigned sse3 = 1u << 0, ssse3 = 1u << 9, cmpxchg16b = 1u << 13, sse4 = 3u << 19, popcnt = 1u << 23;
    const unsigned lahf = 1u << 0;
    return has(cpuid(1, 0).c, sse3 | ssse3 | cmpxchg16b | sse4 | popcnt) && has(cpuid(0x80000001, 0).c, lahf);
}

bool has_v3() {
    const unsigned fma = 1u << 12, movbe = 1u << 22, avx = 1u << 28, f16c = 1u << 29;
    const unsigned bmi1 = 1u << 3, avx2 = 1u << 5, bmi2 = 1u << 8, lzcnt = 1u << 5;
    return has_v2() && has(cpuid(1, 0).c, fma | movbe | avx | f16c) && has(cpuid(7, 0).b, bmi1 | avx2 | bmi2) &&
           has(cpuid(0x80000001, 0).c, lzcnt) && keeps(0x6);
}

[[maybe_unused]] bool has_v4() {  // a build may have fewer levels
    const unsigned f = 1u << 16, dq = 1u << 17, cd = 1u << 28, bw = 1u << 30, vl = 1u << 31;
    return has_v3() && has(cpuid(7, 0).b, f | dq | cd | bw | vl) && keeps(0xE6);
}

#else
bool always() { return true; }
#endif

/// The levels that this extension was built for, the lowest first.
const Level LEVELS[] = {
#if defined(WG_HAS_v2)
    {"v2", &v2::functions, has_v2},
#endif
#if defined(WG_HAS_v3)
    {"v3", &v3::functions, has_v3},
#endif
#if defined(WG_HAS_v4)
    {"v4", &v4::functions, has_v4},
#endif
#if defined(WG_HAS_base)
    {"base", &base::functions, always},
#endif
};

std::atomic<const Level*> in_use = nullptr;  // tests change it while other threads compute

/// Return a level of this processor by its name, or the highest if the name is empty; a null pointer if there is none.
const Level* find(const char* name) {
    const Level* found = nullptr;
    for (const Level& level : LEVELS)
        if (level.available() && (*name == '\0' || std::strcmp(level.name, name) == 0)) found = &level;
    return found;
}

std::string names_of_levels() {
    std::string names;
    for (const Level& level : LEVELS)
        if (level.available()) names += (names.empty() ? "" : ", ") + std::string(level.name);
    return names;
}

}  // namespace

void choose_level() {
    const char* given = std::getenv("WASSERGRAPH_ISA");
    const std::string wanted = given == nullptr ? "" : given;
    if (use_level(wanted.c_str())) return;
    const std::string names = names_of_levels();
    if (names.empty())
        throw std::runtime_error(
            "wassergraph needs instructions of x86-64-" + std::string(LEVELS[0].name) + ", which this processor lacks");
    throw std::runtime_error(
        "WASSERGRAPH_ISA is '" + wanted + "', which is no level of this processor; it has " + names);
}

const Functions& core() { return *in_use.load(std::memory_order_relaxed)->functions; }

const char* level_in_use() { return in_use.load()->name; }

bool use_level(const char* name) {
    const Level* level = find(name);
    if (level != nullptr) in_use = level;
    return level != nullptr;
}

void for_each_level(void (*visit)(const char* name, void* data), void* data) {
    for (const Level& level : LEVELS)
        if (level.available()) visit(level.name, data);
}

}  // namespace wassergraph
