#include "quantiles.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace wassergraph {

namespace {

struct Weighted {
    double value, mass;
};

/// Compare values; what is no number comes last.
bool comes_first(const Weighted& one, const Weighted& two) {
    return one.value < two.value || (std::isnan(two.value) && !std::isnan(one.value));
}

/// Average sorted values over parts of equal mass.
void average_parts(const std::vector<Weighted>& nodes, double total, View<float> out) {
    const auto n_parts = static_cast<double>(out.size);
    const double size = total / n_parts;
    Index part = 0;
    double room = size, sum = 0.0;
    for (const Weighted& node : nodes) {
        double left = node.mass;
        for (; part + 1 < out.size && left >= room; ++part) {
            out[part] = static_cast<float>((sum + room * node.value) * n_parts / total);
            left -= room;
            room = size;
            sum = 0.0;
        }
        sum += left * node.value;
        room -= left;
    }
    for (; part < out.size; ++part) {
        const double mean = size > room ? sum / (size - room) : nodes.back().value;
        out[part] = static_cast<float>(mean);
        room = size;
    }
}

}  // namespace

void average_quantiles(
    View<const Index> ptr, View<const Index> mass, View<const float> points, Index width, Index n_parts,
    View<float> out) {
    std::vector<Weighted> nodes;
    for (Index g = 0; g + 1 < ptr.size; ++g) {
        if (ptr[g] == ptr[g + 1]) continue;
        double total = 0.0;
        for (Index i = ptr[g]; i < ptr[g + 1]; ++i) total += static_cast<double>(mass[i]);
        for (Index c = 0; c < width; ++c) {
            nodes.clear();
            for (Index i = ptr[g]; i < ptr[g + 1]; ++i)
                nodes.push_back({static_cast<double>(points[i * width + c]), static_cast<double>(mass[i])});
            std::stable_sort(nodes.begin(), nodes.end(), comes_first);
            average_parts(nodes, total, {out.data + (g * width + c) * n_parts, n_parts});
        }
    }
}

}  // namespace wassergraph
