"""The graph container.

batch.py        GraphBatch: any number of graphs in a few flat arrays
fields.py       the arrays of a batch: their types and dimensions
invariants.py   the checks that a batch runs once, when it is made
line_graph.py   edges as nodes
packing.py      listed nodes and edges → GraphBatch; every reader ends here
saved_graphs.py a batch as arrays of a file, and back
saved_values.py numbers and arrays of a file, checked
slices.py       positions in flat arrays
summary.py      counts and sizes of a batch
texts.py        one text per graph
to_networkx.py  conversion to networkx
vocabulary.py   the names of labels and attributes; elements.py those of elements and bonds
"""
