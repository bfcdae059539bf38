// The table of the functions of one level.
#include "dispatch.hpp"
#include "exact.hpp"
#include "ground.hpp"

namespace wassergraph::WG_LEVEL {

extern const Functions functions;
const Functions functions = {
    solve_block,
    solve_given,
    add_squares,
    square_roots,
};

}  // namespace wassergraph::WG_LEVEL
