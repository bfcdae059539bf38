"""The graph container.

batch.py        GraphBatch: any number of graphs; flat_graphs.py the flat arrays that it consists of
fields.py       the arrays of a batch: their types and dimensions
invariants.py   the checks that a batch runs once, when it is made
joining.py      several batches as one
line_graph.py   edges as nodes
one_hot.py      labels as attributes
packing.py      listed nodes and edges → GraphBatch; every reader ends here
saved_graphs.py a batch as arrays of a file, and back
saved_values.py numbers and arrays of a file, checked
slices.py       positions in flat arrays
stereo.py       the stereochemistry of molecules, as a part of labels
subgraphs.py    some of the graphs, or of their edges
summary.py      counts and sizes of a batch
texts.py        one text per graph
to_networkx.py  conversion to networkx
vocabulary.py   the names of labels and attributes; elements.py those of elements and bonds
"""
