// The table of the functions of one level.
#include "bounds.hpp"
#include "dispatch.hpp"
#include "elementwise.hpp"
#include "exact.hpp"
#include "graph_kernels/gaussian_sums.hpp"
#include "graph_kernels/hop_sums.hpp"
#include "graph_kernels/label_sums.hpp"
#include "ground.hpp"
#include "labels.hpp"
#include "lines.hpp"
#include "search.hpp"
#include "simplex.hpp"
#include "sinkhorn.hpp"
#include "svm_decisions.hpp"
#include "svm_path.hpp"
#include "svm_steps.hpp"

namespace wassergraph::WG_LEVEL {

// testing.cpp
void lane_operation(
    LaneOperation operation, View<const double> a, View<const double> b, View<const double> c, std::uint64_t bits,
    View<double> out);
Index number_of_smallest(View<const double> a, Index first);

extern const Functions functions;
const Functions functions = {
    solve_block,
    solve_given,
    add_squares,
    square_roots,
    {
        lane_operation,
        number_of_smallest,
        start,
        restart,
        set_potentials,
        optimize,
        total_cost,
        largest_cost,
    },
    gaussian_tile,
    hop_tile,
    count_tile,
    solve_svm_problems,
    decide_problem,
    count_votes,
    decide_rows,
    take_newton_steps,
    factorize,
    solve_factored,
    sinkhorn_block,
    find_plan,
    label_tile,
    label_pairs,
    add_line,
    set_query,
    visit,
    add_vector_bounds,
    image_costs,
    dual_bound,
    completed_bound,
    logarithm,
    decay,
    decay_short,
    take_block,
    take_short_block,
    add_differences,
};

}  // namespace wassergraph::WG_LEVEL
