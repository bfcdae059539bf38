// Numbers for 64-bit codes, and how often each occurs in every graph, by counting in place of sorting.
//
// Whole numbers need no vector instructions: this is compiled once for all levels.
#pragma once

#include <cstdint>
#include <vector>

#include "views.hpp"

namespace wassergraph {

/// Return the first place of a code in a table of `n_slots` places, a power of 2; others follow it.
std::uint64_t first_slot(std::uint64_t code, std::uint64_t n_slots);

/// Write the number of every code, by where it first occurs, and return the different codes in this order.
std::vector<std::uint64_t> number_codes(View<const std::uint64_t> codes, View<Index> numbers);

/// The numbers that occur in each graph, in any order, and their weights, as a compressed sparse row matrix.
struct Counts {
    std::vector<Index> indices;
    std::vector<double> sums;
};

/// Sum the weights of equal numbers, all below n_distinct, in every graph: graph g has the items ptr[g] ... ptr[g + 1] -
/// 1. Writes where the row of each graph begins in the result, and ends, to indptr (graphs + 1).
Counts count_numbers(
    View<const Index> ptr, View<const Index> numbers, View<const Index> weights, Index n_distinct, View<Index> indptr);

}  // namespace wassergraph
