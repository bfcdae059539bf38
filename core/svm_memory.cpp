#include "svm_memory.hpp"

#include <algorithm>

namespace wassergraph::svm {

namespace {

Square take_square(Arena& arena, Index n) { return {arena.take<double>(n * padded(n)), n, padded(n)}; }

View<double> take_vector(Arena& arena, Index n) { return arena.take<double>(padded(n)); }

Dual take_dual(Arena& arena, Index n) {
    Dual dual;
    dual.kernel = take_square(arena, n);
    for (View<double>* vector :
        {&dual.diagonal, &dual.alpha, &dual.gradient, &dual.lower, &dual.upper, &dual.up, &dual.down})
        *vector = take_vector(arena, n);
    return dual;
}

Newton take_newton(Arena& arena, Index n) {
    Newton newton;
    newton.free = arena.take<Index>(n);
    newton.kernel = take_square(arena, n);
    newton.factor.rows = take_square(arena, n);
    for (View<double>* vector :
        {&newton.factor.diagonal, &newton.gradient, &newton.least, &newton.most, &newton.step, &newton.ones,
            &newton.cut})
        *vector = take_vector(arena, n);
    return newton;
}

Memory take_memory(Arena& arena, Index n) {
    Memory memory;
    memory.whole = take_dual(arena, n);
    memory.part = take_dual(arena, static_cast<Index>(MAX_PART * static_cast<double>(n)));
    memory.kept = arena.take<Index>(n);
    memory.other_gradient = take_vector(arena, n);
    memory.newton = take_newton(arena, std::min(n, MAX_FREE));
    return memory;
}

}  // namespace

Workspace::Workspace(Index n) {
    Arena counting(nullptr);
    take_memory(counting, n);
    block_.reset(allocate(counting.used()));
    Arena arena(block_.get());
    memory = take_memory(arena, n);
}

}  // namespace wassergraph::svm
