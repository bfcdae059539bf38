// Support vector machines for increasing values of C: what their solver gets, and the memory that it works in.
//
// The dual problem of a kernel K (n, n) and classes y of -1 and 1, with signed coefficients alpha as in Bottou and Lin
// (Support vector machine solvers, 2007):
//
//     maximize  y·alpha - ½ alpha·K·alpha   where the sum of alpha is 0, and lower ≤ alpha ≤ upper
//
// The bounds are 0 and C * weight for the class 1, -C * weight and 0 for the other. The gradient is y - K alpha. Two
// coefficients, of which the first may rise and the second may fall, violate the optimality conditions by the difference
// of their gradients; where no pair violates them by the tolerance or more, the problem is solved.
#pragma once

#include "views.hpp"

namespace wassergraph::svm {

/// Members that are at a bound are set aside after at most this many steps.
inline constexpr Index BURST = 1000;
/// They are set aside if at most this share is left, of more members than BURST / 5.
inline constexpr double MAX_PART = 0.6;
/// A Newton step is taken after this many steps without an end.
inline constexpr Index STRETCH = 10'000;
/// No Newton step is taken with more free members than this.
inline constexpr Index MAX_FREE = 1500;
/// Newton steps end when the cubes of the numbers of free members add up to this much work.
inline constexpr double MAX_WORK = 5e8;
/// Kernels of more members than this are checked by LAPACK, outside, where it is faster.
inline constexpr Index MAX_CHECKED = 200;

/// Problems of two classes each; every one has some of the training graphs as its members.
struct Problems {
    Index n_train = 0;
    View<const double> kernel;   // (n_train * n_train)
    View<const Index> ptr;       // (problems + 1) problem p has the members ptr[p] ... ptr[p + 1] - 1
    View<const Index> members;   // training graphs
    View<const double> y;        // (members) 1 or -1
    View<const double> weights;  // (members)

    WG_INLINE Index n_problems() const { return ptr.size - 1; }
    WG_INLINE Index n_members() const { return members.size; }
};

struct Options {
    View<const double> C_values;  // in increasing order
    double tol = 0.0;             // the least violation of a pair that is worth a step
    Index max_iter = 0;           // the most steps for one C
    StopFlag stop = nullptr;
    bool definite = true;        // whether the kernel is known to have no negative eigenvalue
    bool skip_unsolved = false;  // whether other problems are solved after one that was not
};

/// Coefficients that may be near the solutions for the first values of C.
struct Starts {
    View<const double> alpha;    // (values of C * members)
    View<const Index> n_starts;  // (problems) for how many values of C there are some
};

struct Solutions {
    View<double> alpha;       // (values of C * members)
    View<double> intercepts;  // (problems * values of C)
    View<Index> steps;        // (problems * values of C) or a status
    View<bool> skipped;       // (problems) becomes true if the kernel of the members may have a negative eigenvalue
};

/// A square matrix: n rows of `stride` entries, a multiple of eight. Those behind the n-th are 0.
struct Square {
    View<double> entries;
    Index n = 0, stride = 0;

    WG_INLINE View<double> row(Index i) const { return {entries.from(i * stride).data, stride}; }
};

/// One problem for one C, as it is solved. Vectors have `stride` entries; those behind the n-th stay 0.
struct Dual {
    Square kernel;
    View<double> diagonal;  // of the kernel
    View<double> alpha, gradient, lower, upper;
    View<double> up, down;  // 0 where alpha may rise, or fall; otherwise -NEVER, or NEVER

    WG_INLINE Index n() const { return kernel.n; }
    WG_INLINE Index stride() const { return kernel.stride; }
};

/// A triangle L, whose product with its transpose is a matrix; the diagonal is separate, and 0 in the rows.
struct Factor {
    Square rows;
    View<double> diagonal;
};

/// What happens at a pivot that is too small.
enum class SmallPivot { ends, is_left_out };

/// Memory for Newton steps of all free members, those that are not at a bound.
struct Newton {
    View<Index> free;
    Square kernel;
    Factor factor;
    View<double> gradient, least, most;  // how far each may move down and up
    View<double> step;                   // the step that would make all gradients equal
    View<double> ones;                   // the solution of a system of ones
    View<double> cut;                    // the step cut at the bounds
};

/// What problems are solved in, one after the other.
struct Memory {
    Dual whole, part;
    View<Index> kept;  // members that are not set aside
    View<double> other_gradient;
    Newton newton;
};

/// Classifiers of every two classes, and the kernel that they are applied to.
struct Deciders {
    View<const Index> ptr, members;  // as in Problems
    Index n_values = 0;
    View<const double> alpha;       // (values of C * members)
    View<const double> intercepts;  // (problems * values of C)
    Index n_test = 0;
    View<const double> columns;  // (n_train * n_test) the kernel of the training graphs with others
};

}  // namespace wassergraph::svm
