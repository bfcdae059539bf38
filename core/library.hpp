// What the search for the nearest graphs gets, and the memory that it works in.
#pragma once

#include "problem.hpp"

namespace wassergraph {

/// How a search ends for a graph, in the order of the counts: a bound, or a cut-off, rules it out, or it is solved.
enum Settled { BY_VECTORS, BY_IMAGE, BY_CUTOFF, BY_SOLUTION, N_SETTLED };
/// How many potentials of earlier solutions are kept.
inline constexpr Index KEPT = 4;
/// The relative error of bounds from floats, of those from doubles, and of adding what is no transport.
inline constexpr double SHORT_ERROR = 4e-6, LONG_ERROR = 1e-12, SUM_ERROR = 1e-15;

/// Many graphs, packed for the search. An image is a point of a few coordinates, whose distances never exceed those of
/// the points themselves; the vector of a graph holds, for every coordinate of its image, the means of parts of equal
/// mass of the sorted nodes.
struct Library {
    View<const Index> ptr;            // (graphs + 1)
    View<const Index> mass;           // (nodes)
    View<const Index> total;          // (graphs)
    View<const double> columns;       // (nodes * width) the points, graph by graph and coordinate by coordinate
    View<const std::uint64_t> codes;  // (depths * nodes)
    View<const float> image;          // (nodes * image width), likewise
    View<const float> means;          // (graphs * image width) vectors of one part
    View<const float> parts;          // (graphs * image width * parts) vectors of several parts
    View<const float> reach;          // (graphs) the largest coordinate of an image

    WG_INLINE Index n_graphs() const { return total.size; }
    WG_INLINE Index n_nodes() const { return mass.size; }
    WG_INLINE Index nodes_of(Index g) const { return ptr[g + 1] - ptr[g]; }
};

/// How a query is compared with the images of graphs.
struct ImageRules {
    Index width = 0;     // of an image
    Index n_parts = 1;   // of a vector
    double scale = 1.0;  // the unit of images, times the factor of Euclidean distances
    double reach = 0.0;  // the largest coordinate of the image of the query
    bool use_vectors = false, use_images = false;
};

/// Vectors of graphs, which are compared with that of a query.
struct Vectors {
    View<const float> own;  // (width * parts)
    View<const float> all;  // (graphs * width * parts)
    Index n_parts;
};

/// Costs between the nodes of a query, in rows, and of a graph, in columns, in the unit of images; and their masses.
struct ImageCosts {
    View<float> entries;  // n + 3 rows of `stride` entries, a multiple of eight
    Index n, m, stride;
    View<const float> rows, columns;  // masses, in padded memory; those behind the nodes are 0
};

/// Masses without a partner: what the graph of the columns has too little or too much, and the price of both.
struct Alone {
    double lack = 0.0, excess = 0.0, price = 0.0;
};

/// Memory for the images of a query and of one graph after the other. What belongs to nodes is padded.
struct ImageMemory {
    View<float> own;    // the image of the query, node by node; the last three are none
    View<float> other;  // the image of a graph, coordinate by coordinate
    View<float> costs;
    View<float> rows, columns;  // masses
    View<float> v;              // potentials of the columns
    View<float> zero;           // potentials of the rows that are 0
    View<float> duals;          // (KEPT * padded rows) potentials of earlier solutions
    Index n_duals = 0;
};

/// What a search works in: a pair of graphs that is solved, and its images.
struct SearchMemory {
    WritableGraph query, graph;
    Memory small, large;  // for pairs of up to 128 nodes, and for others
    ImageMemory image;
    View<double> hint;  // (nodes of the query)
};

/// A search, whose query is in the memory.
struct Search {
    const Library& library;
    const Rules& rules;
    const ImageRules& images;
    SearchMemory& memory;
    View<const double> apart;  // (graphs) a part of distances that is no transport
    double radius;
};

/// A graph and a lower bound of its distance.
struct Bounded {
    double bound;
    Index graph;
};

/// What a search has found so far.
struct Found {
    View<double> best;    // (k) the smallest distances, in rising order
    View<Index> graphs;   // (graphs) those that were solved and may be among the nearest
    View<double> values;  // (graphs) the cost of transport to them, without what is no transport
    View<double> lower;   // (graphs) what their distances are at least
    Index number = 0;     // of these
    Index counts[N_SETTLED] = {};
    Index failed = -1;  // the graph whose pair could not be solved

    WG_INLINE double farthest() const { return best[best.size - 1]; }
};

}  // namespace wassergraph
