"""Pictures of graphs, collections of graphs, plans, kernels, accuracies and calibration, with matplotlib.

style.py       the palette, new figures, and saving of figures
graphs.py      draw_graphs: every graph of a batch on one page; layout.py places the nodes, large_layout.py those of
               large graphs, colors.py colors them
molecules.py   molecules, drawn by RDKit; kekule.py places the double bonds of aromatic rings
plans.py       draw_plan: two graphs and the moves between them; plan_graphs.py draws nodes as circles,
               plan_molecules.py molecules, plan_page.py what is around them; alignment.py turns the second graph,
               place_colors.py colors nodes by place
hits.py        draw_hits: a graph and its nearest ones, with the places of their nodes in the first
thumbnails.py  the first graphs of a batch, for notebooks
map_figures.py draw_map: every graph as a point; maps.py has the places and their quality, matrices.py the checks
ordering.py    an order of graphs in which similar ones are neighbors
kernels.py     draw_kernel: a matrix with the graphs ordered by class and similarity
explanations.py  draw_explanation: a graph with its nodes colored by their scores in a prediction
accuracies.py  draw_accuracies: a box, or a few points, for each method
calibration.py draw_calibration: the share of targets in intervals of every level
"""
