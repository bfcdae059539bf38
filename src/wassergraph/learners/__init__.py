"""Kernel methods on distances: SVMs, ridge and support vector regression, Gaussian processes, nearest neighbors.

    distances ──exp(-gamma D)──▶ kernel ──Learner.fit_path──▶ coefficients ──▶ outputs, scores

They know matrices only, and nothing of graphs. ``protocol`` says what a learner is.
"""
