// One block of memory, which many views share. Not for files that are compiled per level.
#pragma once

#include <cstddef>
#include <memory>

#include "views.hpp"

namespace wassergraph {

/// Allocate memory that begins at a multiple of 64 bytes; the operating system provides it where it is first used.
void* allocate(std::size_t size);
void release(void* block);

struct Release {
    void operator()(void* block) const { release(block); }
};
using Block = std::unique_ptr<void, Release>;

/// Hands out parts of a block; without one, counts how long it must be.
class Arena {
public:
    explicit Arena(void* block) : block_(static_cast<char*>(block)) {}

    template <class T>
    View<T> take(Index size) {
        const std::size_t first = used_;
        used_ += (static_cast<std::size_t>(size) * sizeof(T) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
        return {block_ == nullptr ? nullptr : reinterpret_cast<T*>(block_ + first), size};
    }
    std::size_t used() const { return used_; }

    static constexpr std::size_t ALIGNMENT = 64;

private:
    char* block_;
    std::size_t used_ = 0;
};

}  // namespace wassergraph
