#include "dispatch.hpp"

#include <cstdlib>
#include <cstring>

#if defined(WG_X86_LEVELS)
#include <cpuid.h>
#endif

namespace wassergraph {

#if defined(WG_X86_LEVELS)
namespace v2 {
extern const Functions functions;
}
namespace v3 {
extern const Functions functions;
}
namespace v4 {
extern const Functions functions;
}
#else
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

#if defined(WG_X86_LEVELS)
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

bool always() { return true; }

bool has_v3() {
    const unsigned fma = 1u << 12, movbe = 1u << 22, avx = 1u << 28, f16c = 1u << 29;
    const unsigned bmi1 = 1u << 3, avx2 = 1u << 5, bmi2 = 1u << 8, lzcnt = 1u << 5;
    return has(cpuid(1, 0).c, fma | movbe | avx | f16c) && has(cpuid(7, 0).b, bmi1 | avx2 | bmi2) &&
           has(cpuid(0x80000001, 0).c, lzcnt) && keeps(0x6);
}

bool has_v4() {
    const unsigned f = 1u << 16, dq = 1u << 17, cd = 1u << 28, bw = 1u << 30, vl = 1u << 31;
    return has_v3() && has(cpuid(7, 0).b, f | dq | cd | bw | vl) && keeps(0xE6);
}

const Level LEVELS[] = {
    {"v2", &v2::functions, always}, {"v3", &v3::functions, has_v3}, {"v4", &v4::functions, has_v4}};
#else
bool always() { return true; }

const Level LEVELS[] = {{"base", &base::functions, always}};
#endif

const Level* find(const char* name) {
    for (const Level& level : LEVELS)
        if (std::strcmp(level.name, name) == 0 && level.available()) return &level;
    return nullptr;
}

const Level* choose() {
    const char* wanted = std::getenv("WASSERGRAPH_ISA");
    const Level* chosen = wanted == nullptr ? nullptr : find(wanted);
    if (chosen != nullptr) return chosen;
    for (const Level& level : LEVELS)
        if (level.available()) chosen = &level;
    return chosen;
}

const Level*& in_use() {
    static const Level* level = choose();
    return level;
}

}  // namespace

const Functions& core() { return *in_use()->functions; }

const char* level_in_use() { return in_use()->name; }

bool use_level(const char* name) {
    const Level* level = find(name);
    if (level != nullptr) in_use() = level;
    return level != nullptr;
}

void for_each_level(void (*visit)(const char* name, void* data), void* data) {
    for (const Level& level : LEVELS)
        if (level.available()) visit(level.name, data);
}

}  // namespace wassergraph
