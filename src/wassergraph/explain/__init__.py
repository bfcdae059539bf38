"""Explanations of distances: the optimal transport plan between two graphs, and what it costs where.

    two graphs ──transport──▶ TransportPlan: moves, costs by node, label and depth, potentials that prove the optimum
    groups of graphs ──groups──▶ GroupComparison: a test whether they differ, mean costs by label and depth

plan.py          TransportPlan
transport.py     transport_plan, which computes it
comparison.py    GroupComparison, PairwiseComparisons
groups.py        compare_groups, which computes them
permutations.py  the test: energy statistic, permutations, Holm's method
group_costs.py   mean costs over pairs of graphs, by label and depth
"""
