"""Pictures of graphs, plans, kernels, accuracies and calibration, with matplotlib.

style.py       the palette, new figures, and saving of figures
graphs.py      draw_graphs: every graph of a batch on one page; layout.py places the nodes, large_layout.py those of
               large graphs, colors.py colors them
molecules.py   molecules, drawn by RDKit; kekule.py places the double bonds of aromatic rings
plans.py       draw_plan: two graphs and the moves between them; plan_graphs.py draws nodes as circles,
               plan_molecules.py molecules, plan_page.py what is around them; alignment.py turns the second graph,
               place_colors.py colors nodes by place
thumbnails.py  the first graphs of a batch, for notebooks
maps.py        places of all graphs of a collection in the plane, and their quality
ordering.py    an order of graphs in which similar ones are neighbors
kernels.py     draw_kernel: a matrix with the graphs ordered by class
explanations.py  draw_explanation: a graph with its nodes colored by their scores in a prediction
accuracies.py  draw_accuracies: a box for each method
calibration.py draw_calibration: the share of targets in intervals of every level
"""
