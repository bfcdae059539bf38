// Operations on eight doubles, one at a time, as tests call them.
#include "testing.hpp"
#include "simd.hpp"

namespace wassergraph::WG_LEVEL {

Index number_of_smallest(View<const double> a, Index first) {
    return number_of(smallest(with_numbers(load(a, 0), first)));
}

void lane_operation(
    LaneOperation operation, View<const double> a, View<const double> b, View<const double> c, std::uint64_t bits,
    View<double> out) {
    const Lanes x = load(a, 0), y = load(b, 0), z = load(c, 0);
    switch (operation) {
        case LaneOperation::add: return store(out, 0, x + y);
        case LaneOperation::subtract: return store(out, 0, x - y);
        case LaneOperation::multiply: return store(out, 0, x * y);
        case LaneOperation::multiply_add: return store(out, 0, multiply_add(x, y, z));
        case LaneOperation::square_root: return store(out, 0, square_root(x));
        case LaneOperation::absolute: return store(out, 0, absolute(x));
        case LaneOperation::smaller: return store(out, 0, smaller(x, y));
        case LaneOperation::larger: return store(out, 0, larger(x, y));
        case LaneOperation::keep: return store(out, 0, keep(bits, x));
        case LaneOperation::keep_above: return store(out, 0, keep_above(x, y, z));
        case LaneOperation::smallest: return store(out, 0, repeat(smallest(x)));
        case LaneOperation::largest: return store(out, 0, repeat(largest(x)));
        case LaneOperation::total: return store(out, 0, repeat(total(x)));
    }
}

}  // namespace wassergraph::WG_LEVEL
