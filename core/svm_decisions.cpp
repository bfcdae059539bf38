#include "svm_decisions.hpp"

namespace wassergraph::WG_LEVEL {

namespace {

using svm::Deciders;

/// So many rows are decided at once: their sums do not wait for each other.
constexpr Index ROWS = 8;

/// Find the coefficients that are not zero; return their number.
Index find_support(View<const double> alpha, View<Index> support) {
    Index n_support = 0;
    for (Index t = 0; t < alpha.size; ++t)
        if (alpha[t] != 0.0) support[n_support++] = t;
    return n_support;
}

/// Compute the decisions of n_rows rows, at most ROWS, by one problem.
template <Index n_rows>
WG_INLINE void decide_some(
    View<const double> rows, View<const double> alpha, View<const Index> support, double intercept,
    View<double> decisions, Index stride) {
    double sums[n_rows] = {};
    for (Index u = 0; u < support.size; ++u) {
        const Index t = support[u];
        for (Index r = 0; r < n_rows; ++r) sums[r] += rows[r * alpha.size + t] * alpha[t];
    }
    for (Index r = 0; r < n_rows; ++r) decisions[r * stride] = sums[r] + intercept;
}

}  // namespace

void decide_problem(const Deciders& deciders, Index p, Index first, Index n_values, View<double> decisions) {
    const Index n_test = deciders.n_test;
    for (Index k = 0; k < n_values; ++k) {
        const double intercept = deciders.intercepts[p * deciders.n_values + first + k];
        for (Index t = 0; t < n_test; ++t) decisions[k * n_test + t] = intercept;
    }
    for (Index member = deciders.ptr[p]; member < deciders.ptr[p + 1]; ++member) {
        const View<const double> column = deciders.columns.from(deciders.members[member] * n_test);
        for (Index k = 0; k < n_values; ++k) {
            const double alpha = deciders.alpha[(first + k) * deciders.members.size + member];
            if (alpha == 0.0) continue;  // as almost all are with many classes
            const View<double> row = decisions.from(k * n_test);
            for (Index t = 0; t < n_test; ++t) row[t] += alpha * column[t];
        }
    }
}

void count_votes(
    const Deciders& deciders, View<const Index> classes, Index n_classes, View<double> decisions,
    View<std::int32_t> votes) {
    const Index n_test = deciders.n_test;
    for (Index p = 0; p + 1 < deciders.ptr.size; ++p) {
        decide_problem(deciders, p, 0, deciders.n_values, decisions);
        for (Index k = 0; k < deciders.n_values; ++k) {
            const View<const double> row = decisions.from(k * n_test);
            const View<std::int32_t> first = votes.from((k * n_classes + classes[2 * p]) * n_test);
            const View<std::int32_t> second = votes.from((k * n_classes + classes[2 * p + 1]) * n_test);
            for (Index t = 0; t < n_test; ++t) first[t] += row[t] > 0.0 ? 1 : 0;
            for (Index t = 0; t < n_test; ++t) second[t] += row[t] > 0.0 ? 0 : 1;
        }
    }
}

void decide_rows(
    Index n_train, View<const double> kernel, View<const double> alpha, View<const double> intercepts,
    View<Index> support, View<double> decisions) {
    const Index n_problems = intercepts.size, n_rows = n_problems > 0 ? decisions.size / n_problems : 0;
    for (Index p = 0; p < n_problems; ++p) {
        const View<const double> own{alpha.from(p * n_train).data, n_train};
        const View<const Index> used{support.data, find_support(own, support)};
        Index i = 0;
        for (; i + ROWS <= n_rows; i += ROWS)
            decide_some<ROWS>(
                kernel.from(i * n_train), own, used, intercepts[p], decisions.from(i * n_problems + p), n_problems);
        for (; i < n_rows; ++i)
            decide_some<1>(
                kernel.from(i * n_train), own, used, intercepts[p], decisions.from(i * n_problems + p), n_problems);
    }
}

}  // namespace wassergraph::WG_LEVEL
