#include "hop_counts.hpp"

#include <algorithm>
#include <cmath>

namespace wassergraph {

namespace {

using Node = BreadthFirst::Node;

/// Return where the entries of paths of b steps begin in a row.
Index first_entry(Index b) { return (b + 1) * (b + 1) / 4; }

/// Return the steps of the paths that an entry of a row belongs to.
Index steps_of(Index entry) {
    auto b = static_cast<Index>(std::sqrt(4.0 * static_cast<double>(entry) + 1.0));
    while (first_entry(b) > entry) --b;
    return b;
}

/// The counts of one graph in a window.
struct Table {
    View<double> counts;
    Index n_rows, begin, width;

    bool has(Index entry) const { return begin <= entry && entry < begin + width; }
    double& at(Index row, Index entry) const {
        const Index t = entry - begin;
        return counts[(t / 8 * n_rows + row) * 8 + t % 8];
    }
};

template <class T>
void resize(std::vector<T>& values, Index size) {
    values.resize(static_cast<std::size_t>(size));
}

template <class T>
View<T> view(std::vector<T>& values) {
    return {values.data(), static_cast<Index>(values.size())};
}

/// Counts positions on the shortest paths of one graph, source by source, in memory linear in its nodes and arcs. All
/// lists number the nodes in the order of the search from the source.
class HopCounter {
public:
    void use(const Adjacency& graphs, Index g) {
        found_.use(graphs, g);
        const Index n = found_.n_nodes();
        for (auto* nodes : {&rank_, &rows_}) resize(*nodes, n);
        for (auto* values : {&paths_, &onward_}) resize(*values, n);
        for (auto* starts : {&levels_, &first_child_}) resize(*starts, n + 1);
        resize(children_, found_.n_arcs());
    }

    Index n_nodes() const { return found_.n_nodes(); }
    /// Return about how many nodes are looked at for one source.
    Index work() const { return 4 * (found_.n_nodes() + found_.n_arcs()); }

    /// Add the paths from a source; `row` has the row of each node, which is counted from `first_row`.
    void count(Node source, View<const Index> row, Index first_row, const Table& table) {
        const Index n_reached = found_.search(source);
        list_levels(n_reached);
        list_children(n_reached);
        for (Index position = 0; position < n_reached; ++position)
            view(rows_)[position] = static_cast<Node>(row[found_.order()[position]] - first_row);
        add_paths(table);
    }

private:
    /// Find the place of every node in the order of the search, and where each level of it begins.
    void list_levels(Index n_reached) {
        const auto order = found_.order(), steps = found_.steps();
        const auto rank = view(rank_);
        const auto levels = view(levels_);
        n_levels_ = 0;
        for (Index position = 0; position < n_reached; ++position) {
            const Node v = order[position];
            rank[v] = static_cast<Node>(position);
            if (steps[v] == n_levels_) levels[n_levels_++] = position;
        }
        levels[n_levels_] = n_reached;
    }

    /// List the neighbors of each node that are one step farther from the source, and count the shortest paths to all.
    void list_children(Index n_reached) {
        const auto order = found_.order(), steps = found_.steps();
        const auto rank = view(rank_), children = view(children_);
        const auto first_child = view(first_child_);
        const auto paths = view(paths_);
        for (Index position = 0; position < n_reached; ++position) paths[position] = 0.0;
        paths[0] = 1.0;
        Index n_children = 0;
        for (Index position = 0; position < n_reached; ++position) {
            const Node v = order[position];
            first_child[position] = n_children;
            for (const Node w : found_.neighbors(v))
                if (steps[w] == steps[v] + 1) {
                    children[n_children++] = rank[w];
                    paths[rank[w]] += paths[position];
                }
        }
        first_child[n_reached] = n_children;
    }

    /// Add the paths to each node, times the ways of c steps on from there, for every c.
    ///
    /// A way of c steps begins with a step to a child. That is as far beyond the source, both steps added, so only
    /// lengths that the window has are followed, and nodes that are at least c steps from the source.
    void add_paths(const Table& table) {
        const auto levels = view(levels_);
        const auto paths = view(paths_), onward = view(onward_);
        const auto rows = view(rows_);
        const Index shortest = steps_of(table.begin);
        const Index longest = std::min(steps_of(table.begin + table.width - 1), n_levels_ - 1);
        for (Index c = 0; c <= longest / 2; ++c)
            for (Index b = std::max(shortest, 2 * c); b <= longest; ++b) {
                const Index first = levels[b - c], last = levels[b - c + 1], entry = first_entry(b) + c;
                step_on(c, first, last);
                if (!table.has(entry)) continue;
                for (Index position = first; position < last; ++position)
                    table.at(rows[position], entry) += paths[position] * onward[position];
            }
    }

    /// Replace the ways of c - 1 steps on from nodes by those of c steps; their children still have c - 1.
    void step_on(Index c, Index first, Index last) {
        const auto onward = view(onward_);
        const auto first_child = view(first_child_);
        const auto children = view(children_);
        for (Index position = first; position < last; ++position) {
            double ways = c == 0 ? 1.0 : 0.0;
            for (Index k = first_child[position]; k < (c == 0 ? 0 : first_child[position + 1]); ++k)
                ways += onward[children[k]];
            onward[position] = ways;
        }
    }

    BreadthFirst found_;
    std::vector<Node> rank_, rows_, children_;
    std::vector<Index> levels_, first_child_;
    std::vector<double> paths_, onward_;
    Index n_levels_ = 0;
};

}  // namespace

bool hop_lengths(const Adjacency& graphs, View<Index> lengths, Interruption interruption) {
    BreadthFirst found;
    for (Index g = 0; g < graphs.n_graphs(); ++g) {
        found.use(graphs, g);
        Index longest = 0;
        for (Index source = 0; source < found.n_nodes(); ++source) {
            const Index n_reached = found.search(static_cast<Node>(source));
            longest = std::max<Index>(longest, found.steps()[found.order()[n_reached - 1]]);
            if (interruption.after(found.n_nodes() + found.n_arcs())) return false;
        }
        lengths[g] = first_entry(longest + 1);
    }
    return true;
}

bool count_hops(const Adjacency& graphs, const HopWindow& window, Interruption interruption) {
    HopCounter counter;
    for (Index g = 0; g < graphs.n_graphs(); ++g) {
        if (window.width[g] == 0) continue;
        counter.use(graphs, g);
        const View<const Index> row = window.row.from(graphs.node_ptr[g]);
        const Index n_rows = window.ptr[g + 1] - window.ptr[g];
        const Table table{window.counts.from(window.start[g]), n_rows, window.begin, window.width[g]};
        for (Index source = 0; source < counter.n_nodes(); ++source) {
            counter.count(static_cast<Node>(source), row, window.ptr[g], table);
            if (interruption.after(counter.work())) return false;
        }
    }
    return true;
}

}  // namespace wassergraph
