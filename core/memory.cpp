// The memory of solvers: one block, which the views of a Memory share.
#include <algorithm>
#include <cstdlib>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include "memory.hpp"

namespace wassergraph {

namespace {

constexpr std::size_t LARGE = std::size_t{1} << 22;  // from here on, large pages save time

Tree take_tree(Arena& arena, Index most) {
    const Index nodes = 2 * most, in_sets = std::min(nodes, MOST_IN_SETS);
    return {
        arena.take<Node>(nodes),
        arena.take<Index>(nodes),
        arena.take<double>(nodes + LANES),
        arena.take<std::uint64_t>(in_sets),
        arena.take<std::uint64_t>(in_sets),
        arena.take<Node>(nodes),
        arena.take<Index>(most),
        arena.take<bool>(nodes),
        arena.take<double>(most + LANES),
        arena.take<double>(nodes),
    };
}

Lists take_lists(Arena& arena, Index most) {
    return {
        arena.take<Node>(2 * most),
        arena.take<Node>(2 * most),
        arena.take<Node>(2 * most),
        arena.take<Node>(2 * most),
        arena.take<std::int32_t>(most * SHORT),
        arena.take<double>(most * SHORT),
        arena.take<Node>(2 * most),
        arena.take<Index>(2 * most),
    };
}

/// At one depth, sums of squares become costs in place.
Memory take_memory(Arena& arena, Index n, Index m, const Rules& rules, bool in_sets) {
    Index n_wanted = 0;
    for (Index depth = 0; depth < rules.n_depths(); ++depth) n_wanted += rules.wanted[depth];
    const Index most = std::max(n, m) + 1;  // either graph may have the sources, and there may be one more
    const Index size = (n + LANES) * (m + LANES);
    Memory memory;
    memory.in_sets = in_sets;
    memory.tree = take_tree(arena, most);
    memory.cost = arena.take<double>(size);
    memory.squares = rules.coded || n_wanted > 1 ? arena.take<double>(size) : memory.cost;
    memory.mismatches = arena.take<double>(rules.coded ? size : 0);
    memory.supply = arena.take<Index>(most);
    memory.demand = arena.take<Index>(most);
    if (in_sets) return memory;
    memory.lists = take_lists(arena, most);
    const bool merges = n_wanted > 1 || (n_wanted == 1 && !rules.wanted[rules.n_depths() - 1]);
    const Index width = merges ? rules.width : 0, n_codes = merges && rules.coded ? rules.n_depths() : 0;
    memory.merged_one = take_graph(arena, merges ? most : 0, width, n_codes);
    memory.merged_two = take_graph(arena, merges ? most : 0, width, n_codes);
    return memory;
}

Balance take_balance(Arena& arena, Index n, Index m) {
    const Index columns = m + LANES;
    return {
        arena.take<double>(n),
        arena.take<double>(columns),
        arena.take<double>(n),
        arena.take<double>(columns),
        arena.take<double>(n),
        arena.take<double>(columns),
        arena.take<double>(columns),
        arena.take<double>(columns),
        arena.take<double>(n * columns),
    };
}

}  // namespace

WritableGraph take_graph(Arena& arena, Index nodes, Index width, Index n_codes) {
    return {
        arena.take<Index>(2),
        arena.take<Index>(nodes),
        arena.take<Index>(1),
        arena.take<double>((nodes + ROWS_AT_ONCE - 1) * width),
        arena.take<double>((nodes + LANES) * width),
        arena.take<std::uint64_t>(nodes * n_codes),
    };
}

void* allocate(std::size_t size) {
    constexpr std::size_t unit = Arena::ALIGNMENT;
    const std::size_t whole = std::max((size + unit - 1) / unit * unit, unit);
#if defined(_MSC_VER)
    void* block = _aligned_malloc(whole, unit);
#else
    void* block = std::aligned_alloc(unit, whole);
#endif
    if (block == nullptr) throw std::bad_alloc();
#if defined(__linux__)
    if (whole >= LARGE) {
        const std::size_t rest = 4096 - reinterpret_cast<std::uintptr_t>(block) % 4096;  // up to the next page
        madvise(static_cast<char*>(block) + rest, whole - 4096, MADV_HUGEPAGE);          // only advice: it may fail
    }
#endif
    return block;
}

void release(void* block) {
#if defined(_MSC_VER)
    _aligned_free(block);
#else
    std::free(block);
#endif
}

Workspace::Workspace(Index n, Index m, const Rules& rules, bool in_sets) {
    Arena counting(nullptr);
    take_memory(counting, n, m, rules, in_sets);
    block_.reset(allocate(counting.used()));
    Arena arena(block_.get());
    memory = take_memory(arena, n, m, rules, in_sets);
}

BalanceWorkspace::BalanceWorkspace(Index n, Index m) {
    Arena counting(nullptr);
    take_balance(counting, n, m);
    block_.reset(allocate(counting.used()));
    Arena arena(block_.get());
    balance = take_balance(arena, n, m);
}

}  // namespace wassergraph
