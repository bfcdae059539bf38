#include "lines.hpp"

#include <cmath>

namespace wassergraph::WG_LEVEL {

namespace {

/// Return the distance of two graphs on a line: mass is moved in order, from the left end to the right end.
double line_distance(const Line& left, const Line& right, Index g, Index h) {
    const Index unit = common_total(left.total[g], right.total[h]);
    const Index scale = unit / left.total[g], other_scale = unit / right.total[h];
    Index i = left.ptr[g], j = right.ptr[h], moved = 0;
    Index supply = left.mass[i] * scale, demand = right.mass[j] * other_scale;
    double result = 0.0;
    while (true) {
        const Index amount = least_of(supply, demand);
        result += static_cast<double>(amount) * std::fabs(left.coordinates[i] - right.coordinates[j]);
        moved += amount;
        if (moved == unit) return result / static_cast<double>(unit);
        supply -= amount;
        demand -= amount;
        if (supply == 0) supply = left.mass[++i] * scale;
        if (demand == 0) demand = right.mass[++j] * other_scale;
    }
}

}  // namespace

void add_line(View<const Index> pairs, const Line& left, const Line& right, StopFlag stop, View<double> out) {
    for (Index t = 0; t < out.size; ++t) {
        if (*stop) return;
        out[t] += line_distance(left, right, pairs[2 * t], pairs[2 * t + 1]);
    }
}

}  // namespace wassergraph::WG_LEVEL
