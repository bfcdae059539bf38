// The table of the functions of one level.
#include "dispatch.hpp"
#include "exact.hpp"
#include "graph_kernels/gaussian_sums.hpp"
#include "graph_kernels/hop_sums.hpp"
#include "graph_kernels/label_sums.hpp"
#include "ground.hpp"

namespace wassergraph::WG_LEVEL {

extern const Functions functions;
const Functions functions = {
    solve_block,
    solve_given,
    add_squares,
    square_roots,
    gaussian_tile,
    hop_tile,
    label_tile,
};

}  // namespace wassergraph::WG_LEVEL
