// Look at the graphs that may be among the nearest of a query.
//
// Better bounds follow those by which graphs are ordered, the cheaper ones first, and the last one is the network simplex
// itself, which is abandoned as soon as its potentials prove that the distance is too large:
//
//     image      relaxed transport and potentials of earlier solutions, on costs between images (bounds.hpp)
//     cutoff     potentials on ground costs: earlier ones, then those of the simplex from time to time
//     solution   the simplex, to its end
//
// Images are floats, since bounds need not be exact; SHORT_ERROR makes up for their rounding.
#pragma once

#include "library.hpp"

namespace wassergraph::WG_LEVEL {

/// Copy a graph of a library to the memory of a search, as its query.
void set_query(const Library& queries, Index g, const Rules& rules, const ImageRules& images, SearchMemory& memory);

/// Look at graphs, in rising order of their bounds, until these are too large; return 0, or the status of a pair that
/// could not be solved.
Index visit(const Search& search, View<const Bounded> graphs, Found& found);

}  // namespace wassergraph::WG_LEVEL
