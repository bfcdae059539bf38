#include "path_counts.hpp"

namespace wassergraph {

namespace {

/// Counts keys, one graph after the other, in a table with open addressing.
class KeyCounter {
public:
    KeyCounter() : slots_(std::size_t{1} << bits_) { result_.ptr.push_back(0); }

    void add(Index key) {
        const std::size_t found = find(key);
        Slot& slot = slots_[found];
        if (slot.key == key) {
            ++result_.counts[slot.place];
            return;
        }
        slot = {key, result_.keys.size()};
        result_.keys.push_back(key);
        result_.counts.push_back(1);
        used_.push_back(found);
        if (2 * used_.size() > slots_.size()) grow();
    }

    /// Begin with the keys of the next graph.
    void end_graph() {
        result_.ptr.push_back(static_cast<Index>(result_.keys.size()));
        for (const std::size_t slot : used_) slots_[slot] = Slot{};
        used_.clear();
    }

    PairCounts result() && { return std::move(result_); }

private:
    static constexpr Index FREE = -1;

    struct Slot {
        Index key = FREE;
        std::size_t place = 0;  // of the key in the result
    };

    /// Return the place of a key in the table, or the free one where it belongs.
    std::size_t find(Index key) const {
        const std::size_t last = slots_.size() - 1;
        // Multiplied with an odd number, all bits of a key have an influence on the highest ones.
        std::size_t slot = (static_cast<std::uint64_t>(key) * 0x9E3779B97F4A7C15u) >> (64 - bits_);
        while (slots_[slot].key != FREE && slots_[slot].key != key) slot = (slot + 1) & last;
        return slot;
    }

    void grow() {
        std::vector<Slot> old(std::size_t{1} << ++bits_);
        old.swap(slots_);
        for (std::size_t& slot : used_) {
            const Slot moved = old[slot];
            slot = find(moved.key);
            slots_[slot] = moved;
        }
    }

    PairCounts result_;
    int bits_ = 8;  // the logarithm of the length of the table
    std::vector<Slot> slots_;
    std::vector<std::size_t> used_;  // the places in the table of the keys of this graph
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
        counter.end_graph();
    }
    return std::move(counter).result();
}

}  // namespace wassergraph
