"""Kernel methods on distances: SVMs, ridge and support vector regression, Gaussian processes, nearest neighbors.

    distances ──exp(-gamma D)──▶ kernel ──Learner.fit_path──▶ coefficients ──▶ outputs, scores

They know matrices only, and nothing of graphs.

protocol        Learner: what a learner is; number_learner what regressions share
matrices        the matrices that learners are fitted to
svm/            support vector machines, for definite and indefinite kernels
ridge, svr      regression on kernels; tridiagonal the decomposition that serves all penalties
gaussian        Gaussian processes; lapack their decompositions
neighbors       nearest neighbors
effort          limits on the work of a search
"""
