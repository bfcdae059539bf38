#include "search.hpp"

#include "bounds.hpp"
#include "exact.hpp"
#include "simplex.hpp"

namespace wassergraph::WG_LEVEL {

namespace {

/// A bound below this share of what is needed is not completed.
constexpr double NEARLY = 0.7;

/// How wrong the bounds of a graph may be, in the unit of the points.
struct Errors {
    double of_images, of_points;
};

Errors errors_of(const Search& search, Index g) {
    const Rules& rules = search.rules;
    const ImageRules& images = search.images;
    const double price = rules.counted ? rules.prices[rules.n_depths() - 1] : 0.0;
    const double dearest = rules.label_cost > price ? rules.label_cost : price;
    const Index own = search.memory.query.total[0], total = search.library.total[g];
    const double weight = rules.counted ? static_cast<double>(most_of(own, total)) : 1.0;
    const double reach = (images.reach + static_cast<double>(search.library.reach[g])) * images.scale;
    const double diagonal = std::sqrt(static_cast<double>(images.width)) * reach;
    return {SHORT_ERROR * (reach + dearest) * weight, LONG_ERROR * weight * (diagonal + dearest)};
}

/// Copy a graph, stored coordinate by coordinate, as the exact solver has it.
void copy_graph(const Library& library, Index g, const Rules& rules, const WritableGraph& result) {
    const Index first = library.ptr[g], n = library.nodes_of(g), width = rules.width, stride = padded(n);
    result.ptr[0] = 0;
    result.ptr[1] = n;
    result.total[0] = library.total[g];
    for (Index i = 0; i < n; ++i) result.mass[i] = library.mass[first + i];
    for (Index depth = 0; depth < (rules.coded ? rules.n_depths() : 0); ++depth)
        for (Index i = 0; i < n; ++i)
            result.codes[depth * result.mass.size + i] = library.codes[depth * library.n_nodes() + first + i];
    for (Index c = 0; c < width; ++c) {
        for (Index i = 0; i < n; ++i) {
            const double coordinate = library.columns[first * width + c * n + i];
            result.rows[i * width + c] = result.columns[c * stride + i] = coordinate;
        }
        for (Index i = n; i < stride; ++i) result.columns[c * stride + i] = 0.0;
    }
    for (Index k = n * width; k < (n + ROWS_AT_ONCE - 1) * width; ++k) result.rows[k] = 0.0;
}

/// Set the masses of a graph as floats, with zeros behind them.
void set_masses(const Library& library, Index g, bool counted, View<float> masses) {
    const Index first = library.ptr[g], n = library.nodes_of(g);
    const double unit = counted ? 1.0 : static_cast<double>(library.total[g]);
    for (Index i = 0; i < padded(n); ++i)
        masses[i] = i < n ? static_cast<float>(static_cast<double>(library.mass[first + i]) / unit) : 0.0f;
}

/// Add the costs of labels: each depth at which they differ has its share of the cost.
void add_labels(const Search& search, Index g, const ImageCosts& costs) {
    const Library& library = search.library;
    const WritableGraph& query = search.memory.query;
    const auto n_codes = static_cast<double>(search.rules.n_depths());
    const float share = static_cast<float>(search.rules.label_cost / search.images.scale / n_codes);
    for (Index depth = 0; depth < search.rules.n_depths(); ++depth) {
        const View<const std::uint64_t> codes = library.codes.from(depth * library.n_nodes() + library.ptr[g]);
        for (Index i = 0; i < costs.n; ++i) {
            const std::uint64_t code = query.codes[depth * query.mass.size + i];
            const View<float> row = costs.entries.from(i * costs.stride);
            for (Index j = 0; j < costs.m; ++j) row[j] += code != codes[j] ? share : 0.0f;
        }
    }
}

/// Compute costs between the images of the query and of a graph, with those of labels, cut at twice the price.
ImageCosts costs_of_images(const Search& search, Index g, double price) {
    const Library& library = search.library;
    const ImageMemory& memory = search.memory.image;
    const Index m = library.nodes_of(g), stride = padded(m), width = search.images.width;
    const View<const float> image = library.image.from(library.ptr[g] * width);
    for (Index c = 0; c < width; ++c)
        for (Index j = 0; j < stride; ++j) memory.other[c * stride + j] = j < m ? image[c * m + j] : 0.0f;
    set_masses(library, g, search.rules.counted, memory.columns);
    const ImageCosts costs{memory.costs, search.memory.query.ptr[1], m, stride, memory.rows, memory.columns};
    image_costs(memory.own, memory.other, width, costs);
    if (search.rules.coded) add_labels(search, g, costs);
    if (search.rules.counted) {
        const float most = static_cast<float>(2.0 * price);
        for (Index k = 0; k < costs.n * stride; ++k)
            costs.entries[k] = costs.entries[k] < most ? costs.entries[k] : most;
    }
    return costs;
}

/// Return one of the potentials of earlier solutions.
WG_INLINE View<float> dual(const ImageMemory& memory, Index position) {
    const Index length = memory.zero.size;
    return {memory.duals.data + position * length, length};
}

/// Move potentials before all others, since they will often serve again.
void move_to_front(const ImageMemory& memory, Index position) {
    for (Index i = 0; i < (position > 0 ? memory.zero.size : 0); ++i) {
        const float kept = dual(memory, position)[i];
        for (Index later = position; later > 0; --later) dual(memory, later)[i] = dual(memory, later - 1)[i];
        dual(memory, 0)[i] = kept;
    }
}

/// Return whether earlier potentials, or a relaxed problem, prove that transport costs more than `most`; false if it is
/// stopped.
bool proves(const ImageCosts& costs, const Alone& alone, double most, StopFlag stop, const ImageMemory& memory) {
    double best = -INFINITE;
    Index position = -1;
    for (Index t = 0; t < memory.n_duals; ++t) {
        if (*stop) return false;
        const double bound = dual_bound(costs, dual(memory, t), alone, memory.v);
        if (bound > most) {
            move_to_front(memory, t);
            return true;
        }
        if (bound > best) {
            best = bound;
            position = t;
        }
    }
    if (completed_bound(costs, memory.zero, alone, memory.v) > most) return true;
    if (position < 0 || best < NEARLY * most) return false;
    move_to_front(memory, position);
    return completed_bound(costs, dual(memory, 0), alone, memory.v) > most;
}

/// Return whether transport between images costs more than `most`, which is in the unit of the points.
bool images_exceed(const Search& search, Index g, double most) {
    const Rules& rules = search.rules;
    const double price = rules.counted ? rules.prices[rules.n_depths() - 1] / search.images.scale : 0.0;
    const auto lack = static_cast<double>(search.memory.query.total[0] - search.library.total[g]);
    const Alone alone = rules.counted ? Alone{lack > 0.0 ? lack : 0.0, lack < 0.0 ? -lack : 0.0, price} : Alone{};
    return proves(
        costs_of_images(search, g, price), alone, most / search.images.scale, rules.stop, search.memory.image);
}

/// Keep the potentials of the nodes of the query, in place of the oldest ones; if they are sinks, behind the sources.
void keep_potentials(const Search& search, Index g, bool from_query, const Tree& tree) {
    SearchMemory& memory = search.memory;
    const Index n = memory.query.ptr[1], m = search.library.nodes_of(g);
    const bool one_more = search.rules.counted && search.library.total[g] < memory.query.total[0];
    const Index first = from_query ? 0 : m + (one_more ? 1 : 0);
    const double factor = (from_query ? 1.0 : -1.0) / search.images.scale;
    if (memory.image.n_duals < KEPT) ++memory.image.n_duals;
    move_to_front(memory.image, memory.image.n_duals - 1);
    const View<float> kept = dual(memory.image, 0);
    for (Index i = 0; i < kept.size; ++i)
        kept[i] = i < n ? static_cast<float>(factor * tree.potential[first + i]) : 0.0f;
}

/// Solve the query and a graph, or until they are proved to cost more than the cutoff; returns a status.
Index solve(const Search& search, Index g, double most, double& value) {
    SearchMemory& memory = search.memory;
    const Index n = memory.query.ptr[1];
    copy_graph(search.library, g, search.rules, memory.graph);
    const Index total = memory.graph.total[0], m = memory.graph.ptr[1];
    const bool fits = masses_fit(memory.query.total[0], total, search.rules.counted, most_of(n, m));
    if (!fits || !sum_to({memory.graph.mass.data, m}, total)) return status::NOT_STARTED;
    const bool hinted = memory.image.n_duals > 0;
    for (Index i = 0; i < (hinted ? n : 0); ++i)
        memory.hint[i] = static_cast<double>(dual(memory.image, 0)[i]) * search.images.scale;
    Cutoff cutoff{most, {memory.hint.data, hinted ? n : 0}};
    const Index nodes = n + m + (search.rules.counted ? 1 : 0);
    const Memory& solver = nodes <= MOST_IN_SETS ? memory.small : memory.large;
    NodeGround ground(memory.query.graphs(), memory.graph.graphs(), search.rules, solver);
    const Index status = solve_pair(ground, 0, 0, search.rules, cutoff, solver, {&value, 1});
    if (status >= 0) keep_potentials(search, g, cutoff.from_left, solver.tree);
    return status;
}

/// Enter a graph that was solved, unless it is too far away.
void enter(Index g, double value, double apart, double cutoff, Found& found) {
    const double distance = value + apart, lower = distance * (1.0 - SUM_ERROR);
    if (lower > cutoff) return;
    found.graphs[found.number] = g;
    found.values[found.number] = value;
    found.lower[found.number] = lower;
    ++found.number;
    Index place = found.best.size - 1;
    if (distance >= found.best[place]) return;
    for (; place > 0 && found.best[place - 1] > distance; --place) found.best[place] = found.best[place - 1];
    found.best[place] = distance;
}

}  // namespace

void set_query(const Library& queries, Index g, const Rules& rules, const ImageRules& images, SearchMemory& memory) {
    copy_graph(queries, g, rules, memory.query);
    const Index n = queries.nodes_of(g), width = images.width;
    const View<const float> image = queries.image.from(queries.ptr[g] * width);
    const ImageMemory& own = memory.image;
    for (Index i = 0; i < n + ROWS_AT_ONCE - 1; ++i)
        for (Index c = 0; c < width; ++c) own.own[i * width + c] = i < n ? image[c * n + i] : 0.0f;
    set_masses(queries, g, rules.counted, own.rows);
    for (Index i = 0; i < own.zero.size; ++i) own.zero[i] = 0.0f;
    memory.image.n_duals = 0;
}

Index visit(const Search& search, View<const Bounded> graphs, Found& found) {
    for (Index t = 0; t < graphs.size; ++t) {
        const Index g = graphs[t].graph;
        const double farthest = found.farthest(), cutoff = farthest < search.radius ? farthest : search.radius;
        if (graphs[t].bound > cutoff) return 0;
        if (*search.rules.stop) return status::STOPPED;
        const double apart = search.apart[g];
        const Errors errors = errors_of(search, g);
        if (search.images.use_images && images_exceed(search, g, cutoff - apart + errors.of_images)) {
            ++found.counts[BY_IMAGE];
            continue;
        }
        double value = 0.0;
        const Index result = solve(search, g, cutoff - apart + errors.of_points, value);
        if (result == status::ABANDONED) {
            ++found.counts[BY_CUTOFF];
            continue;
        }
        if (result < 0) {
            found.failed = g;
            return result;
        }
        ++found.counts[BY_SOLUTION];
        enter(g, value, apart, cutoff, found);
    }
    return 0;
}

}  // namespace wassergraph::WG_LEVEL
