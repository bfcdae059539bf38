#include "path_counts.hpp"

#include <algorithm>

namespace wassergraph {

namespace {

/// Counts keys, one graph after the other, in a table with open addressing.
class KeyCounter {
public:
    KeyCounter() { begin_graph(); }

    void add(Index key) {
        const std::size_t slot = find(key);
        if (slots_[slot] == FREE) {
            slots_[slot] = static_cast<Index>(result_.keys.size() - first_);
            result_.keys.push_back(key);
            result_.counts.push_back(1);
            if (2 * (result_.keys.size() - first_) > slots_.size()) grow();
        } else {
            ++result_.counts[first_ + static_cast<std::size_t>(slots_[slot])];
        }
    }

    /// Begin a table for the keys of the next graph.
    void begin_graph() {
        first_ = result_.keys.size();
        result_.ptr.push_back(static_cast<Index>(first_));
        set_length(FIRST_BITS);
    }

    PairCounts result() && { return std::move(result_); }

private:
    static constexpr Index FREE = -1;
    static constexpr int FIRST_BITS = 8;

    void set_length(int bits) {
        bits_ = bits;
        slots_.assign(std::size_t{1} << bits, FREE);
    }

    /// Return the place of a key in the table, or the free one where it belongs.
    std::size_t find(Index key) const {
        const std::size_t last = slots_.size() - 1;
        // Multiplied with an odd number, all bits of a key have an influence on the highest ones.
        std::size_t slot = (static_cast<std::uint64_t>(key) * 0x9E3779B97F4A7C15u) >> (64 - bits_);
        while (slots_[slot] != FREE && result_.keys[first_ + static_cast<std::size_t>(slots_[slot])] != key)
            slot = (slot + 1) & last;
        return slot;
    }

    void grow() {
        set_length(bits_ + 1);
        for (std::size_t item = first_; item < result_.keys.size(); ++item)
            slots_[find(result_.keys[item])] = static_cast<Index>(item - first_);
    }

    PairCounts result_;
    std::size_t first_ = 0;     // where the keys of this graph begin
    std::vector<Index> slots_;  // which key of this graph is there, or FREE
    int bits_ = 0;              // the logarithm of the length of the table
};

/// Count the pairs of one source, from which the graph was searched.
void count_source(
    const BreadthFirst& found, Index n_reached, View<const Index> labels, const PairKeys& pairs, KeyCounter& counter) {
    const auto order = found.order(), steps = found.steps();
    const Index tail = labels[order[0]] * pairs.n_steps + 1;
    for (Index position = pairs.all_pairs ? 0 : 1; position < n_reached; ++position) {
        const Index v = order[position];
        counter.add((tail + steps[v]) * pairs.n_labels + labels[v]);
    }
    if (!pairs.all_pairs || n_reached == steps.size) return;
    for (Index v = 0; v < steps.size; ++v)
        if (steps[v] < 0) counter.add((tail - 1) * pairs.n_labels + labels[v]);
}

}  // namespace

std::optional<PairCounts> count_pairs(const Adjacency& graphs, const PairKeys& pairs, Interruption interruption) {
    KeyCounter counter;
    BreadthFirst found;
    for (Index g = 0; g < graphs.n_graphs(); ++g) {
        found.use(graphs, g);
        const View<const Index> labels = pairs.labels.from(graphs.node_ptr[g]);
        for (Index source = 0; source < found.n_nodes(); ++source) {
            const Index n_reached = found.search(static_cast<BreadthFirst::Node>(source));
            count_source(found, n_reached, labels, pairs, counter);
            if (interruption.after(found.n_nodes() + found.n_arcs())) return std::nullopt;
        }
        counter.begin_graph();
    }
    return std::move(counter).result();
}

}  // namespace wassergraph
