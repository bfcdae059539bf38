// The comparison kernels, as Python calls them.
#include <algorithm>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "../dispatch.hpp"
#include "../graph_kernels/hop_counts.hpp"
#include "../graph_kernels/path_counts.hpp"
#include "arrays.hpp"
#include "module.hpp"
#include "tiles.hpp"

namespace wassergraph {

namespace {

/// Nodes are numbered by 32 bits in a graph.
constexpr Index MOST_NUMBERED = Index{1} << 31;
/// Up to here, squares of steps do not overflow.
constexpr Index MOST_BEGIN = Index{1} << 60;
constexpr Index MOST_KEYS = std::numeric_limits<Index>::max();

/// Return a matrix of results, which must have the shape of a tile.
View<double> tile_values(const Matrix<double>& out, const Tile& tile) {
    const bool fits =
        static_cast<Index>(out.shape(0)) == tile.n_rows() && static_cast<Index>(out.shape(1)) == tile.n_columns();
    require(fits, "out must have the shape of the tile");
    return view(out);
}

Part part_of(bool from_diagonal) { return from_diagonal ? Part::FROM_DIAGONAL : Part::ALL; }

// Points

/// Read `PointSets` of wassergraph.baselines.
PointSets points_of(nb::handle points) {
    PointSets result{
        field<const Index>(points, "ptr"), field<const double>(points, "rows"), field<const double>(points, "columns"),
        number<Index>(points, "width")};
    require(result.ptr.size > 0 && result.width >= 0, "ptr must not be empty, and width not be negative");
    return result;
}

/// Throw an error if points of the graphs begin ... end - 1 are not where they should be; return the nodes of the
/// largest.
Index check_points(const PointSets& points, Index begin, Index end) {
    const Index most_rows = points.width > 0 ? points.rows.size / points.width : MOST_NUMBERED + ROWS_AT_ONCE;
    Index largest = 0;
    for (Index g = begin; g < end; ++g) {
        const Index first = points.ptr[g], last = points.ptr[g + 1];
        require(0 <= first && first <= last && last < MOST_NUMBERED, "ptr must ascend from 0");
        require(last + ROWS_AT_ONCE - 1 <= most_rows, "rows must have three more points than nodes");
        const Index behind = points.first_column(g) + padded(last - first) * points.width;
        require(behind <= points.columns.size, "columns must have all padded graphs");
        largest = std::max(largest, last - first);
    }
    return largest;
}

void gaussian_tile(
    nb::handle tile_tuple, bool from_diagonal, nb::handle left_points, nb::handle right_points, double gamma,
    const Array<const bool>& stop_flag, const Matrix<double>& out) {
    const PointSets left = points_of(left_points), right = points_of(right_points);
    const Tile tile = tile_of(tile_tuple, part_of(from_diagonal), left.ptr.size - 1, right.ptr.size - 1);
    const View<double> values = tile_values(out, tile);
    const StopFlag stop = stop_of(stop_flag);
    require(left.width == right.width, "points must have the same features");
    check_points(left, tile.row_begin, tile.row_end);
    const Index most = padded(check_points(right, tile.column_begin, tile.column_end));
    const nb::gil_scoped_release released;
    std::vector<double> memory(static_cast<std::size_t>(ROWS_AT_ONCE * most));
    core().gaussian_tile(tile, left, right, gamma, stop, {memory.data(), ROWS_AT_ONCE * most}, values);
}

// GraphHopper

/// Read `HopTables` of wassergraph.baselines.
HopTables hop_tables_of(nb::handle tables) {
    HopTables result{
        points_of(tables.attr("points")), field<const Index>(tables, "labels"), field<const Index>(tables, "widths"),
        field<const Index>(tables, "starts"), field<const double>(tables, "counts")};
    const Index n_graphs = result.points.ptr.size - 1;
    require(result.widths.size == n_graphs, "widths must have an entry for every graph");
    require(result.starts.size == n_graphs + 1, "starts must have one entry more than graphs");
    return result;
}

/// Throw an error if tables of the graphs begin ... end - 1 are not where they should be; return the rows of the
/// largest.
Index check_tables(const HopTables& tables, const HopRules& rules, Index begin, Index end) {
    const Index largest = check_points(tables.points, begin, end);
    for (Index g = begin; g < end; ++g) {
        const Index width = tables.widths[g], start = tables.starts[g];
        require(0 <= width && width <= rules.weights.size, "there must be a weight for every position");
        require(0 <= start && start <= tables.counts.size, "starts must be places of counts");
        const Index size = tables.points.nodes_of(g) * padded(width);
        require(start + size <= tables.counts.size, "counts must have all padded rows");
        require(
            rules.kernel != NodeKernel::DIRAC || tables.points.ptr[g + 1] <= tables.labels.size,
            "labels must have an entry for every row");
    }
    return largest;
}

HopRules hop_rules_of(const Array<const double>& weights, int kernel, double gamma, const Array<const bool>& stop) {
    require(0 <= kernel && kernel <= static_cast<int>(NodeKernel::DIRAC), "there is no such kernel");
    require(weights.size() % LANES == 0, "weights must be padded to a multiple of eight");
    return {static_cast<NodeKernel>(kernel), gamma, view(weights), stop_of(stop)};
}

void hop_tile(
    nb::handle tile_tuple, bool from_diagonal, nb::handle left_tables, nb::handle right_tables,
    const Array<const double>& weights, int kernel, double gamma, const Array<const bool>& stop,
    const Matrix<double>& out) {
    const HopTables left = hop_tables_of(left_tables), right = hop_tables_of(right_tables);
    const HopRules rules = hop_rules_of(weights, kernel, gamma, stop);
    const Tile tile = tile_of(tile_tuple, part_of(from_diagonal), left.widths.size, right.widths.size);
    const View<double> values = tile_values(out, tile);
    require(left.points.width == right.points.width, "points must have the same features");
    check_tables(left, rules, tile.row_begin, tile.row_end);
    const Index most = padded(check_tables(right, rules, tile.column_begin, tile.column_end));
    const nb::gil_scoped_release released;
    std::vector<double> memory(static_cast<std::size_t>(HOP_ROWS * most));
    core().hop_tile(tile, left, right, rules, {memory.data(), HOP_ROWS * most}, values);
}

// Labels

void count_tile(
    nb::handle tile_tuple, bool from_diagonal, bool intersect, nb::handle left_histogram, nb::handle right_histogram,
    const Array<const bool>& stop_flag, const Matrix<double>& out) {
    const Histogram left = histogram_of(left_histogram), right = histogram_of(right_histogram);
    const Tile tile = tile_of(tile_tuple, part_of(from_diagonal), left.n_graphs, right.n_graphs);
    const View<double> values = tile_values(out, tile);
    const StopFlag stop = stop_of(stop_flag);
    for (Index g = tile.row_begin; g < tile.row_end; ++g) require_labels(left, g);
    bool valid;
    {
        const nb::gil_scoped_release released;
        const KeptLists kept(tile, right);
        const ColumnLists lists{right, tile.column_begin, tile.column_end, kept.view()};
        valid = core().count_tile(tile, intersect, left, lists, stop, values);
    }
    require(valid, "labels must have lists of graphs, which ascend");
}

// Shortest paths

/// Return whether the user wants to stop; Python has set an error then.
bool interrupted() {
    const nb::gil_scoped_acquire held;
    return PyErr_CheckSignals() != 0;
}

/// Return graphs whose arrays are as a GraphBatch has them.
Adjacency adjacency_of(
    const Array<const Index>& node_ptr, const Array<const Index>& indptr, const Array<const Index>& indices) {
    const Adjacency graphs{view(node_ptr), view(indptr), view(indices)};
    require_ascending(graphs.node_ptr, graphs.indptr.size - 1, "node_ptr must ascend from 0 to the number of nodes");
    require_ascending(graphs.indptr, graphs.indices.size, "indptr must ascend from 0 to the number of arcs");
    for (Index g = 0; g < graphs.n_graphs(); ++g) {
        const Index first = graphs.node_ptr[g], last = graphs.node_ptr[g + 1];
        require(last - first < MOST_NUMBERED, "a graph must have fewer than 2,147,483,648 nodes");
        for (Index k = graphs.indptr[first]; k < graphs.indptr[last]; ++k)
            require(first <= graphs.indices[k] && graphs.indices[k] < last, "neighbors must be in the same graph");
    }
    return graphs;
}

nb::tuple checked_count_pairs(
    const Array<const Index>& node_ptr, const Array<const Index>& indptr, const Array<const Index>& indices,
    const Array<const Index>& labels, Index n_labels, Index n_steps, bool all_pairs) {
    const Adjacency graphs = adjacency_of(node_ptr, indptr, indices);
    const PairKeys pairs{view(labels), n_labels, n_steps, all_pairs};
    require(pairs.labels.size == graphs.indptr.size - 1, "labels must have an entry for every node");
    require_below(pairs.labels, n_labels, "labels must be from 0 to n_labels - 1");
    for (Index g = 0; g < graphs.n_graphs(); ++g)
        require(graphs.nodes_of(g) < n_steps, "n_steps must exceed the nodes of every graph");
    require(
        n_labels == 0 || (n_steps <= MOST_KEYS / n_labels && n_labels * n_steps <= MOST_KEYS / n_labels),
        "there are too many different labels, or graphs are too large, for keys of 64 bits");
    std::optional<PairCounts> counted;
    {
        const nb::gil_scoped_release released;
        counted = count_pairs(graphs, pairs, Interruption(interrupted));
    }
    if (!counted) throw nb::python_error();
    return nb::make_tuple(
        to_array(std::move(counted->ptr)), to_array(std::move(counted->keys)), to_array(std::move(counted->counts)));
}

nb::ndarray<nb::numpy, Index, nb::ndim<1>> checked_hop_lengths(
    const Array<const Index>& node_ptr, const Array<const Index>& indptr, const Array<const Index>& indices) {
    const Adjacency graphs = adjacency_of(node_ptr, indptr, indices);
    std::vector<Index> lengths(static_cast<std::size_t>(graphs.n_graphs()));
    bool finished;
    {
        const nb::gil_scoped_release released;
        finished = hop_lengths(graphs, {lengths.data(), graphs.n_graphs()}, Interruption(interrupted));
    }
    if (!finished) throw nb::python_error();
    return to_array(std::move(lengths));
}

/// Throw an error if a window has not the rows and the counts of all graphs.
void check_window(const Adjacency& graphs, const HopWindow& window) {
    const Index n_graphs = graphs.n_graphs(), n_nodes = graphs.indptr.size - 1;
    require(0 <= window.begin && window.begin < MOST_BEGIN, "begin must be the first entry of a window");
    require(window.ptr.size == n_graphs + 1, "ptr must have one entry more than graphs");
    require(window.start.size == n_graphs + 1, "starts must have one entry more than graphs");
    require(window.width.size == n_graphs, "widths must have an entry for every graph");
    require(window.row.size == n_nodes, "row must have an entry for every node");
    for (Index g = 0; g < n_graphs; ++g) {
        const Index first = window.ptr[g], last = window.ptr[g + 1], width = window.width[g], start = window.start[g];
        require(0 <= first && first <= last && last <= n_nodes, "ptr must ascend, and have no more rows than nodes");
        require(0 <= width && width <= window.counts.size, "counts must have all padded rows");
        require(0 <= start && start <= window.counts.size, "starts must be places of counts");
        require((last - first) * padded(width) <= window.counts.size - start, "counts must have all padded rows");
        for (Index v = graphs.node_ptr[g]; v < graphs.node_ptr[g + 1]; ++v)
            require(first <= window.row[v] && window.row[v] < last, "row must have rows of the same graph");
    }
}

void checked_count_hops(
    Index begin, const Array<const Index>& node_ptr, const Array<const Index>& indptr,
    const Array<const Index>& indices, const Array<const Index>& ptr, const Array<const Index>& row,
    const Array<const Index>& widths, const Array<const Index>& starts, const Array<double>& counts) {
    const Adjacency graphs = adjacency_of(node_ptr, indptr, indices);
    const HopWindow window{begin, view(ptr), view(row), view(widths), view(starts), view(counts)};
    check_window(graphs, window);
    bool finished;
    {
        const nb::gil_scoped_release released;
        finished = count_hops(graphs, window, Interruption(interrupted));
    }
    if (!finished) throw nb::python_error();
}

}  // namespace

void bind_graph_kernels(nb::module_& module) {
    module.def(
        "gaussian_tile", gaussian_tile, nb::arg("tile"), nb::arg("from_diagonal"), nb::arg("left"), nb::arg("right"),
        nb::arg("gamma"), nb::arg("stop").noconvert(), nb::arg("out").noconvert());
    module.def(
        "hop_tile", hop_tile, nb::arg("tile"), nb::arg("from_diagonal"), nb::arg("left"), nb::arg("right"),
        nb::arg("weights").noconvert(), nb::arg("kernel"), nb::arg("gamma"), nb::arg("stop").noconvert(),
        nb::arg("out").noconvert());
    module.def(
        "count_tile", count_tile, nb::arg("tile"), nb::arg("from_diagonal"), nb::arg("intersect"), nb::arg("left"),
        nb::arg("right"), nb::arg("stop").noconvert(), nb::arg("out").noconvert());
    module.def(
        "count_pairs", checked_count_pairs, nb::arg("node_ptr").noconvert(), nb::arg("indptr").noconvert(),
        nb::arg("indices").noconvert(), nb::arg("labels").noconvert(), nb::arg("n_labels"), nb::arg("n_steps"),
        nb::arg("all_pairs"));
    module.def(
        "hop_lengths", checked_hop_lengths, nb::arg("node_ptr").noconvert(), nb::arg("indptr").noconvert(),
        nb::arg("indices").noconvert());
    module.def(
        "count_hops", checked_count_hops, nb::arg("begin"), nb::arg("node_ptr").noconvert(),
        nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(), nb::arg("ptr").noconvert(),
        nb::arg("row").noconvert(), nb::arg("widths").noconvert(), nb::arg("starts").noconvert(),
        nb::arg("counts").noconvert());
}

}  // namespace wassergraph
