"""Explanations of distances: the optimal transport plan between two graphs, and what it costs where.

    two graphs ──transport──▶ TransportPlan: moves, costs by node, label and depth, potentials that prove the optimum

plan.py       TransportPlan
transport.py  transport_plan, which computes it
plan_table.py a plan as a table to print, with node_names.py
"""
