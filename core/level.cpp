// The table of the functions of one level.
#include "dispatch.hpp"
#include "exact.hpp"
#include "ground.hpp"
#include "svm_decisions.hpp"
#include "svm_path.hpp"
#include "svm_steps.hpp"

namespace wassergraph::WG_LEVEL {

extern const Functions functions;
const Functions functions = {
    solve_block,
    solve_given,
    add_squares,
    square_roots,
    solve_svm_problems,
    decide_problem,
    count_votes,
    decide_rows,
    take_newton_steps,
    factorize,
    solve_factored,
};

}  // namespace wassergraph::WG_LEVEL
