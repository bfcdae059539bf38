// wassergraph._core.testing: the inside of the solvers, for tests and for the pictures of the documentation.
#include "../testing.hpp"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <string>
#include <vector>

#include "../dispatch.hpp"
#include "../memory.hpp"
#include "arrays.hpp"
#include "module.hpp"

namespace wassergraph {

namespace {

struct NamedOperation {
    const char* name;
    LaneOperation operation;
};

constexpr NamedOperation OPERATIONS[] = {
    {"add", LaneOperation::add},
    {"subtract", LaneOperation::subtract},
    {"multiply", LaneOperation::multiply},
    {"multiply_add", LaneOperation::multiply_add},
    {"square_root", LaneOperation::square_root},
    {"absolute", LaneOperation::absolute},
    {"smaller", LaneOperation::smaller},
    {"larger", LaneOperation::larger},
    {"keep", LaneOperation::keep},
    {"keep_above", LaneOperation::keep_above},
    {"smallest", LaneOperation::smallest},
    {"largest", LaneOperation::largest},
    {"total", LaneOperation::total},
};

template <class T>
using NumpyArray = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

/// Return a copy of the first entries of a view as an array of NumPy.
template <class T>
NumpyArray<T> copy_of(View<T> values, Index size) {
    return to_array(std::vector<T>(values.data, values.data + size));
}

void lane_operation(
    const std::string& name, const Array<const double>& a, const Array<const double>& b, const Array<const double>& c,
    std::uint64_t bits, const Array<double>& out) {
    for (const auto& array : {a, b, c}) require(array.size() == LANES, "arrays must have eight entries");
    require(out.size() == LANES, "arrays must have eight entries");
    for (const NamedOperation& each : OPERATIONS)
        if (name == each.name)
            return core().inner.lane_operation(each.operation, view(a), view(b), view(c), bits, view(out));
    require(false, "there is no such operation");
}

/// A problem of the network simplex that is solved step by step. Supplies and demands are perturbed (simplex.hpp).
class Simplex {
public:
    Simplex(const Matrix<const double>& cost, const Array<const Index>& supply, const Array<const Index>& demand)
        : rules_{one_depth()},
          n_(static_cast<Index>(cost.shape(0))),
          m_(static_cast<Index>(cost.shape(1))),
          workspace_(n_, m_, rules_, n_ + m_ <= MOST_IN_SETS) {
        require(n_ > 0 && m_ > 0, "cost must have rows and columns");
        set(cost, supply, demand);
    }

    Index start() {
        const Index status = core().inner.start(costs(INFINITE), memory());
        started_ = status == 0;
        return status;
    }
    bool restart(
        const Matrix<const double>& cost, const Array<const Index>& supply, const Array<const Index>& demand,
        Index unit) const {
        require(started_ && !in_sets(), "there must be a tree of more than 128 nodes");
        set(cost, supply, demand);
        return core().inner.restart(costs(INFINITE), memory(), unit);
    }
    void set_potentials(double bound) const {
        require(started_, "there must be a tree");
        core().inner.set_potentials(costs(bound), memory().tree);
    }
    Index optimize(double bound, double tolerance, Index max_iter) const {
        require(started_, "there must be a tree");
        const bool stop = false;
        return core().inner.optimize(costs(bound), memory(), tolerance, max_iter, INFINITE, &stop);
    }
    double total_cost(Index unit) const {
        require(started_, "there must be a tree");
        return core().inner.total_cost(costs(INFINITE), memory().tree, unit);
    }
    double largest_cost() const { return core().inner.largest_cost(costs(INFINITE)); }
    /// What is behind the columns of the costs has no meaning.
    void fill_behind(double value) const {
        for (Index i = 0; i < n_; ++i)
            for (Index j = m_; j < stride(); ++j) memory().cost[i * stride() + j] = value;
    }

    bool in_sets() const { return memory().in_sets; }
    auto parent() const { return copy_of(memory().tree.parent, n_ + m_); }
    auto flow() const { return copy_of(memory().tree.flow, n_ + m_); }
    auto potential() const { return copy_of(memory().tree.potential, n_ + m_); }
    auto low() const { return copy_of(memory().tree.low, in_sets() ? n_ + m_ : 0); }
    auto high() const { return copy_of(memory().tree.high, in_sets() ? n_ + m_ : 0); }
    auto size() const { return copy_of(memory().lists.size, in_sets() ? 0 : n_ + m_); }
    auto following() const { return copy_of(memory().lists.following, in_sets() ? 0 : n_ + m_); }
    auto preceding() const { return copy_of(memory().lists.preceding, in_sets() ? 0 : n_ + m_); }
    auto last() const { return copy_of(memory().lists.last, in_sets() ? 0 : n_ + m_); }

private:
    static Rules one_depth() {
        static const bool wanted = true;
        Rules rules;
        rules.wanted = {&wanted, 1};
        return rules;
    }
    void set(
        const Matrix<const double>& cost, const Array<const Index>& supply, const Array<const Index>& demand) const {
        require(
            static_cast<Index>(cost.shape(0)) == n_ && static_cast<Index>(cost.shape(1)) == m_, "cost must be (n, m)");
        require(
            static_cast<Index>(supply.size()) == n_ && static_cast<Index>(demand.size()) == m_, "masses do not fit");
        for (Index i = 0; i < n_; ++i) std::copy_n(cost.data() + i * m_, m_, memory().cost.data + i * stride());
        fill_behind(0.0);
        std::copy_n(supply.data(), n_, memory().supply.data);
        std::copy_n(demand.data(), m_, memory().demand.data);
    }
    Index stride() const { return (m_ + LANES - 1) / LANES * LANES; }
    Costs costs(double bound) const { return {memory().cost, n_, m_, stride(), bound}; }
    const Memory& memory() const { return workspace_.memory; }

    Rules rules_;
    Index n_, m_;
    Workspace workspace_;
    bool started_ = false;  // whether there is a tree
};

}  // namespace

void bind_testing(nb::module_& module) {
    nb::module_ testing = module.def_submodule("testing", "The inside of the solvers, for tests.");
    testing.def(
        "lane_operation", lane_operation, nb::arg("name"), nb::arg("a").noconvert(), nb::arg("b").noconvert(),
        nb::arg("c").noconvert(), nb::arg("bits"), nb::arg("out").noconvert());
    testing.def(
        "number_of_smallest",
        [](const Array<const double>& a, Index first) {
            require(a.size() == LANES, "arrays must have eight entries");
            return core().inner.number_of_smallest(view(a), first);
        },
        nb::arg("a").noconvert(), nb::arg("first"));
    nb::class_<Simplex>(testing, "Simplex")
        .def(
            nb::init<const Matrix<const double>&, const Array<const Index>&, const Array<const Index>&>(),
            nb::arg("cost").noconvert(), nb::arg("supply").noconvert(), nb::arg("demand").noconvert())
        .def("start", &Simplex::start)
        .def(
            "restart", &Simplex::restart, nb::arg("cost").noconvert(), nb::arg("supply").noconvert(),
            nb::arg("demand").noconvert(), nb::arg("unit"))
        .def("set_potentials", &Simplex::set_potentials, nb::arg("bound") = INFINITE)
        .def(
            "optimize", &Simplex::optimize, nb::kw_only(), nb::arg("bound") = INFINITE, nb::arg("tolerance"),
            nb::arg("max_iter"))
        .def("total_cost", &Simplex::total_cost, nb::arg("unit"))
        .def("largest_cost", &Simplex::largest_cost)
        .def("fill_behind", &Simplex::fill_behind, nb::arg("value"))
        .def_prop_ro("in_sets", &Simplex::in_sets)
        .def_prop_ro("parent", &Simplex::parent, nb::rv_policy::automatic)
        .def_prop_ro("flow", &Simplex::flow, nb::rv_policy::automatic)
        .def_prop_ro("potential", &Simplex::potential, nb::rv_policy::automatic)
        .def_prop_ro("low", &Simplex::low, nb::rv_policy::automatic)
        .def_prop_ro("high", &Simplex::high, nb::rv_policy::automatic)
        .def_prop_ro("size", &Simplex::size, nb::rv_policy::automatic)
        .def_prop_ro("following", &Simplex::following, nb::rv_policy::automatic)
        .def_prop_ro("preceding", &Simplex::preceding, nb::rv_policy::automatic)
        .def_prop_ro("last", &Simplex::last, nb::rv_policy::automatic);
}

}  // namespace wassergraph
