#include "bounds.hpp"

#include "floats.hpp"

namespace wassergraph::WG_LEVEL {

namespace {

/// The potential of columns that are none: no row is nearest to them.
constexpr float FAR_BELOW = -3e38f;

/// Return the sum of the products of masses and potentials, both in padded memory.
double weighted_sum(Index length, View<const float> masses, View<const float> potentials) {
    Lanes sum = repeat(0.0);
    for (Index k = 0; k < length; k += LANES) sum = sum + widened(masses, k) * widened(potentials, k);
    return total(sum);
}

WG_INLINE double greatest_of(Index length, View<const float> values) {
    float greatest = values[0];
    for (Index k = 1; k < length; ++k) greatest = values[k] > greatest ? values[k] : greatest;
    return static_cast<double>(greatest);
}

/// Return how far two graphs are apart along one coordinate, times the number of parts.
WG_INLINE float difference(Index n_parts, View<const float> one, View<const float> two) {
    Floats sums = repeat_float(0.0f);
    Index b = 0;
    for (; b + LANES <= n_parts; b += LANES) sums = sums + absolute(load_floats(one, b) - load_floats(two, b));
    float result = total(sums);
    for (; b < n_parts; ++b) result += std::fabs(one[b] - two[b]);
    return result;
}

/// Return the bound from vectors of one part.
double mean_bound(Index width, View<const float> one, View<const float> two) {
    Floats squares = repeat_float(0.0f);
    Index c = 0;
    for (; c + LANES <= width; c += LANES) {
        const Floats apart = load_floats(one, c) - load_floats(two, c);
        squares = squares + apart * apart;
    }
    float result = total(squares);
    for (; c < width; ++c) result += (one[c] - two[c]) * (one[c] - two[c]);
    return std::sqrt(static_cast<double>(result));
}

/// Return the bound from vectors of several parts.
double part_bound(Index width, Index n_parts, View<const float> one, View<const float> two) {
    float squares = 0.0f;
    for (Index c = 0; c < width; ++c) {
        const float apart = difference(n_parts, one.from(c * n_parts), two.from(c * n_parts));
        squares += apart * apart;
    }
    return std::sqrt(static_cast<double>(squares)) / static_cast<double>(n_parts);
}

}  // namespace

void image_costs(View<const float> own, View<const float> other, Index width, const ImageCosts& costs) {
    const Index stride = costs.stride;
    for (Index i = 0; i < costs.n; i += ROWS_AT_ONCE) {
        const View<const float> x0 = own.from(i * width), x1 = x0.from(width), x2 = x1.from(width), x3 = x2.from(width);
        for (Index j = 0; j < stride; j += LANES) {
            const Floats none = repeat_float(0.0f);
            Floats s0 = none, s1 = none, s2 = none, s3 = none;
            for (Index c = 0; c < width; ++c) {
                const Floats column = load_floats(other, c * stride + j);
                const Floats d0 = repeat_float(x0[c]) - column, d1 = repeat_float(x1[c]) - column;
                const Floats d2 = repeat_float(x2[c]) - column, d3 = repeat_float(x3[c]) - column;
                s0 = s0 + d0 * d0;
                s1 = s1 + d1 * d1;
                s2 = s2 + d2 * d2;
                s3 = s3 + d3 * d3;
            }
            const Index at = i * stride + j;
            store_floats(costs.entries, at, square_root(s0));
            store_floats(costs.entries, at + stride, square_root(s1));
            store_floats(costs.entries, at + 2 * stride, square_root(s2));
            store_floats(costs.entries, at + 3 * stride, square_root(s3));
        }
    }
}

double dual_bound(const ImageCosts& costs, View<const float> u, const Alone& alone, View<float> v) {
    const Index stride = costs.stride;
    const float most = alone.excess > 0.0 ? static_cast<float>(alone.price) : std::numeric_limits<float>::infinity();
    for (Index j = 0; j < stride; j += LANES) {
        Floats least = repeat_float(most);
        for (Index i = 0; i < costs.n; ++i)
            least = smaller(load_floats(costs.entries, i * stride + j) - repeat_float(u[i]), least);
        store_floats(v, j, least);
    }
    const Index n = padded(costs.n);
    double result = weighted_sum(n, costs.rows, u) + weighted_sum(stride, costs.columns, v);
    if (alone.lack > 0.0) result += alone.lack * (alone.price - greatest_of(costs.n, u));
    return result;
}

double completed_bound(const ImageCosts& costs, View<const float> u, const Alone& alone, View<float> v) {
    dual_bound(costs, u, alone, v);
    const Index stride = costs.stride;
    for (Index j = costs.m; j < stride; ++j) v[j] = FAR_BELOW;
    const double greatest = greatest_of(costs.n, u);
    const float most = alone.lack > 0.0 ? static_cast<float>(greatest) : std::numeric_limits<float>::infinity();
    double result = weighted_sum(stride, costs.columns, v);
    for (Index i = 0; i < costs.n; ++i) {
        Floats least = repeat_float(most);
        for (Index j = 0; j < stride; j += LANES)
            least = smaller(load_floats(costs.entries, i * stride + j) - load_floats(v, j), least);
        result += static_cast<double>(costs.rows[i]) * static_cast<double>(smallest(least));
    }
    if (alone.lack > 0.0) result += alone.lack * (alone.price - greatest);
    if (alone.excess > 0.0) result += alone.excess * (alone.price - greatest_of(costs.m, v));
    return result;
}

void add_vector_bounds(
    const Vectors& vectors, View<const float> reach, const ImageRules& images, View<Bounded> graphs) {
    const Index length = images.width * vectors.n_parts;
    for (Index t = 0; t < graphs.size; ++t) {
        const Index g = graphs[t].graph;
        const View<const float> other = vectors.all.from(g * length);
        const double raw = vectors.n_parts == 1 ? mean_bound(images.width, vectors.own, other)
                                                : part_bound(images.width, vectors.n_parts, vectors.own, other);
        const double bound = raw - SHORT_ERROR * (images.reach + static_cast<double>(reach[g]));
        graphs[t].bound += bound > 0.0 ? bound * images.scale : 0.0;
    }
}

}  // namespace wassergraph::WG_LEVEL
