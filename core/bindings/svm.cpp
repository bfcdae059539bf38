// Support vector machines, as Python calls them.
#include "../svm.hpp"

#include <algorithm>
#include <vector>

#include "../dispatch.hpp"
#include "../svm_memory.hpp"
#include "arrays.hpp"
#include "module.hpp"

namespace wassergraph {

namespace {

using FloatMatrix = Matrix<const double>;

Index rows_of(const FloatMatrix& matrix) { return static_cast<Index>(matrix.shape(0)); }
Index columns_of(const FloatMatrix& matrix) { return static_cast<Index>(matrix.shape(1)); }

/// Read the part of `Problems` (learners/svm/smo.py) that lists members, and check it.
void check_members(View<const Index> ptr, View<const Index> members, Index n_train) {
    require_ascending(ptr, members.size, "ptr must ascend from 0 to the number of members");
    require(ptr[0] == 0 && ptr[ptr.size - 1] == members.size, "ptr must ascend from 0 to the number of members");
    require_below(members, n_train, "members must be numbers of training graphs");
}

svm::Problems problems_of(const FloatMatrix& kernel, nb::handle problems) {
    const svm::Problems result{
        rows_of(kernel),
        view(kernel),
        field<const Index>(problems, "ptr"),
        field<const Index>(problems, "members"),
        field<const double>(problems, "signs"),
        field<const double>(problems, "weights"),
    };
    require(rows_of(kernel) == columns_of(kernel), "kernel must be square");
    check_members(result.ptr, result.members, result.n_train);
    for (const Index size : {result.y.size, result.weights.size})
        require(size == result.n_members(), "signs and weights must have an entry for every member");
    return result;
}

svm::Options options_of(nb::handle options) {
    const View<const bool> stop = field<const bool>(options, "stop");
    require(stop.size == 1, "stop must be one flag");
    return {
        field<const double>(options, "C_values"),
        number<double>(options, "tol"),
        number<Index>(options, "max_iter"),
        stop.data,
        number<bool>(options, "definite"),
        number<bool>(options, "skip_unsolved"),
    };
}

svm::Starts starts_of(nb::handle starts, const svm::Problems& problems, Index n_values) {
    const svm::Starts result{field<const double>(starts, "coefficients"), field<const Index>(starts, "n_starts")};
    require(result.n_starts.size == problems.n_problems(), "n_starts must have an entry for every problem");
    Index most = 0;
    for (Index p = 0; p < result.n_starts.size; ++p) most = std::max(most, std::min(result.n_starts[p], n_values));
    require(most * problems.n_members() <= result.alpha.size, "starts must have coefficients for every member");
    return result;
}

svm::Solutions solutions_of(nb::handle solutions, const svm::Problems& problems, Index n_values) {
    const svm::Solutions result{
        field<double>(solutions, "coefficients"),
        field<double>(solutions, "intercepts"),
        field<Index>(solutions, "steps"),
        field<bool>(solutions, "skipped"),
    };
    const Index n_fits = problems.n_problems() * n_values;
    require(result.alpha.size == n_values * problems.n_members(), "coefficients must have shape (n_C, n_members)");
    require(result.intercepts.size == n_fits && result.steps.size == n_fits, "steps must have shape (n_problems, n_C)");
    require(result.skipped.size == problems.n_problems(), "skipped must have an entry for every problem");
    return result;
}

void solve_problems(
    const FloatMatrix& kernel, nb::handle problem_tuple, nb::handle option_tuple, nb::handle start_tuple,
    nb::handle solution_tuple) {
    const svm::Problems problems = problems_of(kernel, problem_tuple);
    const svm::Options options = options_of(option_tuple);
    const svm::Starts starts = starts_of(start_tuple, problems, options.C_values.size);
    const svm::Solutions solutions = solutions_of(solution_tuple, problems, options.C_values.size);
    const nb::gil_scoped_release released;
    Index largest = 0;
    for (Index p = 0; p < problems.n_problems(); ++p)
        largest = std::max(largest, problems.ptr[p + 1] - problems.ptr[p]);
    const svm::Workspace workspace(largest);
    core().solve_svm_problems(problems, options, starts, workspace.memory, solutions);
}

/// More values of C than anybody tries.
constexpr Index MOST_VALUES = Index{1} << 20;

svm::Deciders deciders_of(nb::handle deciders, Index n_values, Index n_test) {
    FloatMatrix columns;
    if (!nb::try_cast(deciders.attr("columns"), columns, false))
        throw nb::type_error("columns must be a contiguous matrix of floats");
    const nb::object problems = deciders.attr("problems");
    const svm::Deciders result{
        field<const Index>(problems, "ptr"),
        field<const Index>(problems, "members"),
        n_values,
        field<const double>(deciders, "coefficients"),
        field<const double>(deciders, "intercepts"),
        n_test,
        view(columns),
    };
    check_members(result.ptr, result.members, rows_of(columns));
    require(columns_of(columns) == n_test, "decisions must have a column for every test graph");
    require(0 <= n_values && n_values < MOST_VALUES, "there must not be so many values of C");
    require(result.alpha.size == n_values * result.members.size, "coefficients must have shape (n_C, n_members)");
    require(result.intercepts.size == n_values * (result.ptr.size - 1), "intercepts must have shape (n_problems, n_C)");
    return result;
}

/// Compute the decisions (problems, values of C, n_test) of problems and values of C, from the first ones on.
void decide_problems(
    nb::handle decider_tuple, Index all_values, Index first_problem, Index first_value,
    const nb::ndarray<double, nb::ndim<3>, nb::c_contig, nb::device::cpu>& decisions) {
    const Index n_problems = static_cast<Index>(decisions.shape(0)), n_values = static_cast<Index>(decisions.shape(1));
    const svm::Deciders deciders = deciders_of(decider_tuple, all_values, static_cast<Index>(decisions.shape(2)));
    require(
        0 <= first_problem && first_problem < deciders.ptr.size - n_problems && 0 <= first_value &&
            first_value <= all_values - n_values,
        "decisions must be those of problems and values of C");
    const nb::gil_scoped_release released;
    const Index size = n_values * deciders.n_test;
    for (Index p = 0; p < n_problems; ++p)
        core().decide_problem(
            deciders, first_problem + p, first_value, n_values, {view(decisions).from(p * size).data, size});
}

/// Add the votes (values of C, classes, n_test) of all problems, of whose two classes each votes for one.
void count_votes(
    nb::handle decider_tuple, const Matrix<const Index>& classes,
    const nb::ndarray<std::int32_t, nb::ndim<3>, nb::c_contig, nb::device::cpu>& votes) {
    const Index n_values = static_cast<Index>(votes.shape(0)), n_classes = static_cast<Index>(votes.shape(1));
    const svm::Deciders deciders = deciders_of(decider_tuple, n_values, static_cast<Index>(votes.shape(2)));
    require(static_cast<Index>(classes.size()) == 2 * (deciders.ptr.size - 1), "every problem must have two classes");
    require_below(view(classes), n_classes, "classes must be those of votes");
    const nb::gil_scoped_release released;
    std::vector<double> decisions(static_cast<std::size_t>(n_values * deciders.n_test));
    core().count_votes(
        deciders, view(classes), n_classes, {decisions.data(), static_cast<Index>(decisions.size())}, view(votes));
}

/// Compute decisions (n_rows, problems) for rows of the kernel (n_rows, n_train), by coefficients (problems, n_train).
void decide_rows(
    const FloatMatrix& kernel, const FloatMatrix& coefficients, const Array<const double>& intercepts,
    const Matrix<double>& decisions) {
    const Index n_train = columns_of(kernel), n_problems = static_cast<Index>(intercepts.size());
    require(columns_of(coefficients) == n_train, "kernel must have a column for every coefficient");
    require(rows_of(coefficients) == n_problems, "there must be an intercept for every problem");
    require(
        static_cast<Index>(decisions.shape(0)) == rows_of(kernel) &&
            static_cast<Index>(decisions.shape(1)) == n_problems,
        "decisions must have shape (n_rows, n_problems)");
    const nb::gil_scoped_release released;
    std::vector<Index> support(static_cast<std::size_t>(n_train));
    core().decide_rows(
        n_train, view(kernel), view(coefficients), view(intercepts), {support.data(), n_train}, view(decisions));
}

// The inside of the solver, for tests.

svm::Square copy_padded(const FloatMatrix& matrix, svm::Square memory) {
    const Index n = rows_of(matrix);
    require(n == columns_of(matrix), "the matrix must be square");
    for (Index i = 0; i < n; ++i) {
        std::fill_n(memory.row(i).data, memory.stride, 0.0);
        std::copy_n(matrix.data() + i * n, n, memory.row(i).data);
    }
    return memory;
}

void copy_padded(View<const double> vector, View<double> memory) {
    std::fill_n(memory.data, memory.size, 0.0);
    std::copy_n(vector.data, vector.size, memory.data);
}

void newton_steps(
    const FloatMatrix& kernel, const Array<double>& alpha, const Array<double>& gradient,
    const Array<const double>& lower, const Array<const double>& upper) {
    const Index n = rows_of(kernel);
    for (const std::size_t size : {alpha.size(), gradient.size(), lower.size(), upper.size()})
        require(static_cast<Index>(size) == n, "vectors must have an entry for every row of the kernel");
    const svm::Workspace workspace(n);
    const svm::Dual& dual = workspace.memory.whole;
    copy_padded(kernel, dual.kernel);
    copy_padded(view(alpha), dual.alpha);
    copy_padded(view(gradient), dual.gradient);
    copy_padded(view(lower), dual.lower);
    copy_padded(view(upper), dual.upper);
    const bool stop = false;
    core().take_newton_steps(dual, workspace.memory.newton, &stop);
    std::copy_n(dual.alpha.data, n, alpha.data());
    std::copy_n(dual.gradient.data, n, gradient.data());
}

bool solve_system(const FloatMatrix& matrix, double added, double least, bool leave_out, const Array<double>& values) {
    const Index n = rows_of(matrix);
    require(static_cast<Index>(values.size()) == n, "values must have an entry for every row");
    require(n <= svm::MAX_FREE, "the matrix is too large");
    const svm::Workspace workspace(n);
    const svm::Newton& memory = workspace.memory.newton;
    const svm::SmallPivot small = leave_out ? svm::SmallPivot::is_left_out : svm::SmallPivot::ends;
    const bool complete = core().factorize(copy_padded(matrix, memory.kernel), added, least, small, memory.factor);
    if (!complete && !leave_out) return false;
    copy_padded(view(values), memory.step);
    core().solve_factored(memory.factor, memory.step);
    std::copy_n(memory.step.data, n, values.data());
    return complete;
}

}  // namespace

void bind_svm(nb::module_& module) {
    module.def(
        "solve_svm_problems", solve_problems, nb::arg("kernel").noconvert(), nb::arg("problems"), nb::arg("options"),
        nb::arg("starts"), nb::arg("solutions"));
    module.def(
        "decide_problems", decide_problems, nb::arg("deciders"), nb::arg("n_values"), nb::arg("first_problem"),
        nb::arg("first_value"), nb::arg("decisions").noconvert());
    module.def(
        "count_votes", count_votes, nb::arg("deciders"), nb::arg("classes").noconvert(), nb::arg("votes").noconvert());
    module.def(
        "decide_rows", decide_rows, nb::arg("kernel").noconvert(), nb::arg("coefficients").noconvert(),
        nb::arg("intercepts").noconvert(), nb::arg("decisions").noconvert());
    nb::module_ testing = module.def_submodule("testing");
    testing.def(
        "newton_steps", newton_steps, nb::arg("kernel").noconvert(), nb::arg("alpha").noconvert(),
        nb::arg("gradient").noconvert(), nb::arg("lower").noconvert(), nb::arg("upper").noconvert());
    testing.def(
        "solve_system", solve_system, nb::arg("matrix").noconvert(), nb::arg("added"), nb::arg("least"),
        nb::arg("leave_out"), nb::arg("values").noconvert());
}

}  // namespace wassergraph
