#include "codes.hpp"

namespace wassergraph {

namespace {

/// The length of the first table; a power of 2. One that is half full is replaced by one of twice its length.
constexpr std::uint64_t FIRST_LENGTH = 1024;
constexpr Index FREE = -1;

/// The numbers of codes, at the places of these.
class CodeTable {
public:
    /// Return the number of a code, which is a new one if the code is.
    Index number(std::uint64_t code) {
        const std::size_t slot = find(code);
        if (slots_[slot] != FREE) return slots_[slot];
        const auto number = static_cast<Index>(distinct_.size());
        slots_[slot] = number;
        distinct_.push_back(code);
        if (2 * distinct_.size() > slots_.size()) grow();
        return number;
    }

    std::vector<std::uint64_t> distinct() && { return std::move(distinct_); }

private:
    /// Return the place of a code, or the free one where it belongs.
    std::size_t find(std::uint64_t code) const {
        std::size_t slot = first_slot(code, slots_.size());
        while (slots_[slot] != FREE && distinct_[static_cast<std::size_t>(slots_[slot])] != code)
            slot = (slot + 1) & (slots_.size() - 1);
        return slot;
    }

    void grow() {
        slots_.assign(2 * slots_.size(), FREE);
        for (std::size_t number = 0; number < distinct_.size(); ++number)
            slots_[find(distinct_[number])] = static_cast<Index>(number);
    }

    std::vector<Index> slots_ = std::vector<Index>(FIRST_LENGTH, FREE);
    std::vector<std::uint64_t> distinct_;
};

}  // namespace

/// Both halves of a code are scrambled by odd numbers below 2^32.
std::uint64_t first_slot(std::uint64_t code, std::uint64_t n_slots) {
    std::uint64_t scrambled = ((code & 0xFFFFFFFF) * 0x9E3779B1) ^ ((code >> 32) * 0x85EBCA6B);
    scrambled ^= scrambled >> 32;
    return (scrambled ^ (scrambled >> 16)) & (n_slots - 1);
}

std::vector<std::uint64_t> number_codes(View<const std::uint64_t> codes, View<Index> numbers) {
    CodeTable table;
    for (Index t = 0; t < codes.size; ++t) numbers[t] = table.number(codes[t]);
    return std::move(table).distinct();
}

Counts count_numbers(
    View<const Index> ptr, View<const Index> numbers, View<const Index> weights, Index n_distinct, View<Index> indptr) {
    Counts counts;
    std::vector<double> totals(static_cast<std::size_t>(n_distinct));
    std::vector<Index> last_graph(static_cast<std::size_t>(n_distinct), -1);
    indptr[0] = 0;
    for (Index g = 0; g + 1 < ptr.size; ++g) {
        for (Index t = ptr[g]; t < ptr[g + 1]; ++t) {
            const auto number = static_cast<std::size_t>(numbers[t]);
            if (last_graph[number] != g) {
                last_graph[number] = g;
                totals[number] = 0.0;
                counts.indices.push_back(numbers[t]);
            }
            totals[number] += static_cast<double>(weights[t]);
        }
        for (std::size_t k = counts.sums.size(); k < counts.indices.size(); ++k)
            counts.sums.push_back(totals[static_cast<std::size_t>(counts.indices[k])]);
        indptr[g + 1] = static_cast<Index>(counts.indices.size());
    }
    return counts;
}

}  // namespace wassergraph
