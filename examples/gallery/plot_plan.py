"""
A plan between two graphs
=========================
"""

# %%
# The plan moves the nodes of one graph onto those of another.
import wassergraph as wg

graphs, y = wg.load_dataset("demo")
figure = wg.draw_plan(wg.transport_plan(graphs, 0, -1))
