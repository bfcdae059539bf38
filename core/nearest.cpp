#include "nearest.hpp"

#include <algorithm>

#include "arena.hpp"
#include "dispatch.hpp"
#include "memory.hpp"

namespace wassergraph {

namespace {

/// How many graphs are looked at first, for each neighbor that is sought, before all bounds are compared.
constexpr Index FIRST = 2;

ImageMemory take_images(Arena& arena, Index n, Index m, Index width) {
    return {
        arena.take<float>((n + ROWS_AT_ONCE - 1) * width),
        arena.take<float>(padded(m) * width),
        arena.take<float>((n + ROWS_AT_ONCE - 1) * padded(m)),
        arena.take<float>(padded(n)),
        arena.take<float>(padded(m)),
        arena.take<float>(padded(m)),
        arena.take<float>(padded(n)),
        arena.take<float>(KEPT * padded(n)),
    };
}

/// Owns the memory of a search for a query of n nodes among graphs of at most m nodes.
class SearchWorkspace {
public:
    SearchWorkspace(Index n, Index m, Index image_width, const Rules& rules)
        : solver_(n, m, rules, n + m + (rules.counted ? 1 : 0) <= MOST_IN_SETS) {
        Arena counting(nullptr);
        take(counting, n, m, image_width, rules);
        block_.reset(allocate(counting.used()));
        Arena arena(block_.get());
        take(arena, n, m, image_width, rules);
        memory.small = memory.large = solver_.memory;
        memory.small.in_sets = true;
    }

    SearchMemory memory;

private:
    void take(Arena& arena, Index n, Index m, Index image_width, const Rules& rules) {
        const Index n_codes = rules.coded ? rules.n_depths() : 0;
        memory.query = take_graph(arena, n, rules.width, n_codes);
        memory.graph = take_graph(arena, m, rules.width, n_codes);
        memory.image = take_images(arena, n, m, image_width);
        memory.hint = arena.take<double>(n);
    }

    Workspace solver_;
    Block block_;
};

/// Owns the memory of what a search has found.
class FoundMemory {
public:
    FoundMemory(Index k, Index n_graphs) : best_(static_cast<std::size_t>(k), INFINITE) {
        Arena counting(nullptr);
        take(counting, n_graphs);
        block_.reset(allocate(counting.used()));
        Arena arena(block_.get());
        take(arena, n_graphs);
        found.best = {best_.data(), k};
    }

    Found found;

private:
    void take(Arena& arena, Index n_graphs) {
        found.graphs = arena.take<Index>(n_graphs);
        found.values = arena.take<double>(n_graphs);
        found.lower = arena.take<double>(n_graphs);
    }

    std::vector<double> best_;
    Block block_;
};

/// Return the vectors of a library with so many parts, and that of a query.
Vectors vectors_of(const Library& library, const Library& queries, Index position, Index width, Index n_parts) {
    const Index length = width * n_parts;
    const View<const float> own = n_parts == 1 ? queries.means : queries.parts;
    return {{own.data + position * length, length}, n_parts == 1 ? library.means : library.parts, n_parts};
}

View<Bounded> view_of(std::vector<Bounded>& graphs) { return {graphs.data(), static_cast<Index>(graphs.size())}; }

/// Return the bound that some graphs are looked at first for: that of the last of them.
double first_bound(const std::vector<Bounded>& graphs, Index k) {
    std::vector<double> bounds(graphs.size());
    std::transform(graphs.begin(), graphs.end(), bounds.begin(), [](const Bounded& each) { return each.bound; });
    const auto last = bounds.begin() + std::min(static_cast<Index>(graphs.size()), FIRST * (k + 1)) - 1;
    std::nth_element(bounds.begin(), last, bounds.end());
    return *last;
}

}  // namespace

Candidates find_nearest(
    const Library& library, const Library& queries, Index position, const Rules& rules, const ImageRules& images,
    View<const double> bounds, View<const double> apart, Index k, double radius) {
    const Index n_graphs = library.n_graphs();
    Index largest = 1;
    for (Index g = 0; g < n_graphs; ++g) largest = std::max(largest, library.nodes_of(g));
    SearchWorkspace workspace(queries.nodes_of(position), largest, images.width, rules);
    FoundMemory found_memory(k, n_graphs);
    Found& found = found_memory.found;
    core().set_query(queries, position, rules, images, workspace.memory);
    const Search search{library, rules, images, workspace.memory, apart, radius};

    std::vector<Bounded> rough(static_cast<std::size_t>(n_graphs)), chosen;
    for (Index g = 0; g < n_graphs; ++g) rough[static_cast<std::size_t>(g)] = {bounds[g], g};
    const auto add_vectors = [&](std::vector<Bounded>& graphs, Index n_parts) {
        if (!images.use_vectors) return;
        const Vectors vectors = vectors_of(library, queries, position, images.width, n_parts);
        core().add_vector_bounds(vectors, library.reach, images, view_of(graphs));
    };
    add_vectors(rough, 1);

    Candidates result;
    double before = -INFINITE, most = first_bound(rough, k);
    for (int round = 0; round < 2 && result.status == 0; ++round) {
        chosen.clear();
        for (const Bounded& each : rough)
            if (before < each.bound && each.bound <= most) chosen.push_back({bounds[each.graph], each.graph});
        add_vectors(chosen, images.n_parts);
        std::stable_sort(
            chosen.begin(), chosen.end(), [](const Bounded& one, const Bounded& two) { return one.bound < two.bound; });
        result.status = core().visit(search, view_of(chosen), found);
        before = most;
        most = std::min(radius, found.farthest());
    }
    result.failed = found.failed;
    std::copy_n(found.counts, N_SETTLED, result.counts);
    result.counts[BY_VECTORS] = n_graphs - found.counts[BY_IMAGE] - found.counts[BY_CUTOFF] - found.counts[BY_SOLUTION];
    for (Index t = 0; t < found.number; ++t) {
        if (found.lower[t] > most) continue;
        result.graphs.push_back(found.graphs[t]);
        result.values.push_back(found.values[t]);
    }
    return result;
}

}  // namespace wassergraph
