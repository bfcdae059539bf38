// The search for the nearest graphs, as Python calls it.
#include <algorithm>
#include <limits>
#include <vector>

#include "../dispatch.hpp"
#include "../nearest.hpp"
#include "../quantiles.hpp"
#include "arrays.hpp"
#include "module.hpp"
#include "transport.hpp"

namespace wassergraph {

namespace {

/// More coordinates, or parts of vectors, than arrays can have.
constexpr Index MOST_COORDINATES = Index{1} << 30;

/// Throw an error unless every graph has nodes, and mass. The sums of masses are checked when a pair is solved. This is
/// done for every query, so that the loop has no branches.
void check_graphs(const Library& library) {
    require(library.ptr.size == library.n_graphs() + 1, "ptr must have an entry for every graph, and one more");
    require(library.ptr[0] == 0, "ptr must begin with 0");
    bool nodes = true, mass = true;
    for (Index g = 0; g < library.n_graphs(); ++g) {
        // Without a sign, so that no difference is undefined.
        const auto begin = static_cast<std::uint64_t>(library.ptr[g]),
                   end = static_cast<std::uint64_t>(library.ptr[g + 1]);
        nodes &= end - begin - 1 < static_cast<std::uint64_t>(MOST_NODES - 1);
        mass &= library.total[g] > 0;
    }
    require(nodes, "a graph must have 1 to 1,048,575 nodes");
    require(library.ptr[library.n_graphs()] <= library.n_nodes(), "ptr must end with the number of nodes");
    require(mass, "graphs must have a positive mass");
}

/// Return whether no bound is negative, or undefined.
bool are_bounds(View<const double> bounds) {
    bool all = true;
    for (Index g = 0; g < bounds.size; ++g) all &= bounds[g] >= 0.0;
    return all;
}

/// Read a `Library` of pairwise/layout.py.
Library library_of(nb::handle library, const Rules& rules, const ImageRules& images) {
    const Library result{
        field<const Index>(library, "ptr"),
        field<const Index>(library, "mass"),
        field<const Index>(library, "total"),
        field<const double>(library, "columns"),
        field<const std::uint64_t>(library, "codes"),
        field<const float>(library, "image"),
        field<const float>(library, "means"),
        field<const float>(library, "parts"),
        field<const float>(library, "reach"),
    };
    check_graphs(result);
    const Index n_codes = rules.coded ? rules.n_depths() : 0, length = result.n_graphs() * images.width;
    require(result.columns.size == result.n_nodes() * rules.width, "columns must have all coordinates of all nodes");
    require(result.codes.size == n_codes * result.n_nodes(), "codes must have an entry for every depth and node");
    require(result.image.size == result.n_nodes() * images.width, "image must have all coordinates of all nodes");
    require(result.means.size == length, "means must have all coordinates of all graphs");
    require(length == 0 || images.n_parts <= result.parts.size / length, "parts must have all parts of all graphs");
    require(result.parts.size == length * images.n_parts, "parts must have all parts of all graphs");
    require(result.reach.size == result.n_graphs(), "reach must have an entry for every graph");
    return result;
}

/// Read `ImageRules` of pairwise/layout.py.
ImageRules image_rules_of(nb::handle images) {
    const ImageRules result{
        number<Index>(images, "width"),
        number<Index>(images, "n_parts"),
        number<double>(images, "scale"),
        number<double>(images, "reach"),
        number<bool>(images, "use_vectors"),
        number<bool>(images, "use_images"),
    };
    require(0 <= result.width && result.width < MOST_COORDINATES, "width must be a number of coordinates");
    require(0 < result.n_parts && result.n_parts < MOST_COORDINATES, "n_parts must be positive");
    require(0.0 < result.scale && result.scale < INFINITE, "scale must be positive");
    require(0.0 <= result.reach && result.reach < INFINITE, "reach must not be negative");
    return result;
}

nb::tuple find_candidates(
    nb::handle library_tuple, nb::handle query_tuple, Index position, nb::handle rule_tuple, nb::handle image_tuple,
    const Array<const double>& bounds, const Array<const double>& apart, Index k, double radius,
    const Array<Index>& counts) {
    const Rules rules = rules_of(rule_tuple);
    require(0 <= rules.width && rules.width < MOST_COORDINATES, "width must be a number of coordinates");
    require(n_wanted_of(rules) == 1 && rules.wanted[rules.n_depths() - 1], "the last depth alone must be wanted");
    const ImageRules images = image_rules_of(image_tuple);
    const Library library = library_of(library_tuple, rules, images), queries = library_of(query_tuple, rules, images);
    const Index n_graphs = library.n_graphs();
    require(0 <= position && position < queries.n_graphs(), "position must be that of a query");
    require(0 < k && k <= n_graphs, "k must be from 1 to the number of graphs");
    require(view(bounds).size == n_graphs && view(apart).size == n_graphs, "bounds must have an entry for every graph");
    require(are_bounds(view(bounds)) && are_bounds(view(apart)), "bounds must not be negative");
    require(radius >= 0.0, "the radius must not be negative");
    require(counts.size() == N_SETTLED, "counts must have an entry for each way to settle a graph");
    Candidates found;
    {
        const nb::gil_scoped_release released;
        found = find_nearest(library, queries, position, rules, images, view(bounds), view(apart), k, radius);
    }
    for (Index settled = 0; settled < N_SETTLED; ++settled) view(counts)[settled] += found.counts[settled];
    if (found.failed >= 0) found.graphs.assign(1, found.failed);
    return nb::make_tuple(found.status, to_array(std::move(found.graphs)), to_array(std::move(found.values)));
}

/// Average the nodes of every graph along each coordinate, in parts of equal mass: (graphs * width * parts).
nb::object quantile_means(
    const Array<const Index>& ptr, const Array<const Index>& mass, const Matrix<const float>& points, Index n_parts) {
    require_ascending(view(ptr), view(mass).size, "ptr must ascend to at most the number of nodes");
    require(points.shape(0) == mass.size(), "points must have a row for every node");
    require(0 < n_parts && n_parts < MOST_COORDINATES, "n_parts must be positive");
    const auto width = static_cast<Index>(points.shape(1));
    const Index n_graphs = view(ptr).size - 1, most = std::numeric_limits<std::int32_t>::max();
    require(width <= most && (width == 0 || n_parts <= most / width), "a graph must have fewer means");
    std::vector<float> out(static_cast<std::size_t>(n_graphs * width * n_parts));
    {
        const nb::gil_scoped_release released;
        average_quantiles(
            view(ptr), view(mass), view(points), width, n_parts, {out.data(), static_cast<Index>(out.size())});
    }
    return nb::cast(to_array(std::move(out)));
}

// For tests

std::size_t padded_size(std::size_t length) { return static_cast<std::size_t>(padded(static_cast<Index>(length))); }

View<float> view_of(std::vector<float>& values) { return {values.data(), static_cast<Index>(values.size())}; }

std::vector<float> padded_copy(const float* values, std::size_t size) {
    std::vector<float> result(padded_size(size), 0.0f);
    std::copy_n(values, size, result.data());
    return result;
}

/// Return the bound of potentials u of the rows, the completed one, and the potentials of the columns.
nb::tuple dual_bounds(
    const Matrix<const float>& matrix, const Array<const float>& rows, const Array<const float>& columns,
    const Array<const float>& potentials, double lack, double excess, double price) {
    const std::size_t n = matrix.shape(0), m = matrix.shape(1), stride = padded_size(m);
    require(n > 0 && m > 0, "costs must have rows and columns");
    require(rows.size() == n && potentials.size() == n && columns.size() == m, "masses must fit the costs");
    std::vector<float> entries((n + ROWS_AT_ONCE - 1) * stride, 0.0f), v(stride);
    for (std::size_t i = 0; i < n; ++i) std::copy_n(matrix.data() + i * m, m, entries.data() + i * stride);
    std::vector<float> u = padded_copy(potentials.data(), n);
    std::vector<float> left = padded_copy(rows.data(), n), right = padded_copy(columns.data(), m);
    const ImageCosts costs{
        view_of(entries), static_cast<Index>(n), static_cast<Index>(m), static_cast<Index>(stride), view_of(left),
        view_of(right)};
    const Alone alone{lack, excess, price};
    const double bound = core().dual_bound(costs, view_of(u), alone, view_of(v));
    std::vector<float> found(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(m));
    const double completed = core().completed_bound(costs, view_of(u), alone, view_of(v));
    return nb::make_tuple(bound, completed, to_array(std::move(found)));
}

/// Write the distances (n, m) of images (n, width) and others (m, width).
void image_costs(const Matrix<const float>& own, const Matrix<const float>& others, const Matrix<float>& result) {
    const std::size_t n = own.shape(0), m = others.shape(0), width = own.shape(1), stride = padded_size(m);
    require(others.shape(1) == width, "images must have as many coordinates");
    require(result.shape(0) == n && result.shape(1) == m, "the result must have shape (n, m)");
    std::vector<float> rows((n + ROWS_AT_ONCE - 1) * width, 0.0f), columns(stride * width, 0.0f),
        entries((n + ROWS_AT_ONCE - 1) * stride);
    std::copy_n(own.data(), n * width, rows.data());
    for (std::size_t j = 0; j < m; ++j)
        for (std::size_t c = 0; c < width; ++c) columns[c * stride + j] = others.data()[j * width + c];
    const ImageCosts costs{
        view_of(entries), static_cast<Index>(n), static_cast<Index>(m), static_cast<Index>(stride), {}, {}};
    core().image_costs(view_of(rows), view_of(columns), static_cast<Index>(width), costs);
    for (std::size_t i = 0; i < n; ++i) std::copy_n(entries.data() + i * stride, m, result.data() + i * m);
}

/// Return the bound of two vectors (width, parts), without allowing for rounding.
double vector_bound(const Matrix<const float>& one, const Matrix<const float>& two) {
    require(one.shape(0) == two.shape(0) && one.shape(1) == two.shape(1), "vectors must have the same shape");
    const auto width = static_cast<Index>(one.shape(0)), n_parts = static_cast<Index>(one.shape(1));
    require(n_parts > 0, "vectors must have parts");
    const float none = 0.0f;
    ImageRules images;
    images.width = width;
    Bounded graph{0.0, 0};
    core().add_vector_bounds({view(one), view(two), n_parts}, {&none, 1}, images, {&graph, 1});
    return graph.bound;
}

}  // namespace

void bind_search(nb::module_& module) {
    module.attr("LONG_ERROR") = LONG_ERROR;
    module.def(
        "find_nearest", find_candidates, nb::arg("library"), nb::arg("queries"), nb::arg("position"), nb::arg("rules"),
        nb::arg("images"), nb::arg("bounds").noconvert(), nb::arg("apart").noconvert(), nb::arg("k"), nb::arg("radius"),
        nb::arg("counts").noconvert());
    module.def(
        "quantile_means", quantile_means, nb::arg("ptr").noconvert(), nb::arg("mass").noconvert(),
        nb::arg("points").noconvert(), nb::arg("n_parts"));
    nb::module_ testing = module.def_submodule("testing");
    testing.def(
        "dual_bounds", dual_bounds, nb::arg("costs").noconvert(), nb::arg("rows").noconvert(),
        nb::arg("columns").noconvert(), nb::arg("potentials").noconvert(), nb::arg("lack") = 0.0,
        nb::arg("excess") = 0.0, nb::arg("price") = 0.0);
    testing.def(
        "image_costs", image_costs, nb::arg("own").noconvert(), nb::arg("others").noconvert(),
        nb::arg("result").noconvert());
    testing.def("vector_bound", vector_bound, nb::arg("one").noconvert(), nb::arg("two").noconvert());
}

}  // namespace wassergraph
