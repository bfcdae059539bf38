"""Pictures of graphs, kernels, accuracies and calibration, with matplotlib.

style.py       the palette, new figures, and saving of figures
graphs.py      draw_graphs: every graph of a batch on one page; layout.py places the nodes, colors.py colors them
molecules.py   molecules, drawn by RDKit; kekule.py places the double bonds of aromatic rings
thumbnails.py  the first graphs of a batch, for notebooks
kernels.py     draw_kernel: a matrix with the graphs ordered by class
explanations.py  draw_explanation: a graph with its nodes colored by their scores in a prediction
accuracies.py  draw_accuracies: a box for each method
calibration.py draw_calibration: the share of targets in intervals of every level
"""
