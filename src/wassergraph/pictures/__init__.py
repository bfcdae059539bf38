"""Pictures of graphs, kernels and accuracies, with matplotlib.

style.py       the palette, new figures, and saving of figures
graphs.py      draw_graphs: every graph of a batch on one page; layout.py places the nodes
kernels.py     draw_kernel: a matrix with the graphs ordered by class
accuracies.py  draw_accuracies: a box for each method
"""
