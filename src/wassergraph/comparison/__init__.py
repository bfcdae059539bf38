"""Comparison of groups of graphs: whether they differ, and which labels and iterations carry the difference.

    groups of graphs ──groups──▶ GroupComparison: a test whether they differ, mean costs by label and depth

results.py       GroupComparison, PairwiseComparisons
groups.py        compare_groups, which computes them
permutations.py  the test: energy statistic, permutations, Holm's method
group_costs.py   mean costs over pairs of graphs, by label and depth
"""
