"""
Graphs like proteins: labels, attributes, or both?
==================================================

In the data sets ENZYMES and PROTEINS a node is a helix, a sheet or a turn of a protein, with attributes such as its
length, and edges join neighbors along the chain and in space. Here are three made-up classes of such graphs, which show
when labels are enough, when attributes are, and when it takes both.
"""

# %%
# Every protein is a chain of helices (label 0) and sheets (label 1), as many of one as of the other, with two
# attributes, length and hydrophobicity. Edges join neighbors along the chain, and each element with its nearest ones
# in space.
#
# - *alternating*: helix, sheet, helix, sheet, …; the sheets are hydrophobic;
# - *segregated*: first all helices, then all sheets; the sheets are hydrophobic;
# - *inverted*: alternating, but the helices are hydrophobic.

import networkx as nx
import numpy as np

import wassergraph as wg

rng = np.random.default_rng(0)


def protein(kind: str) -> nx.Graph:
    """Return a made-up protein of one of the three classes."""
    half = int(rng.integers(4, 9))
    label = np.tile([0, 1], half) if kind != "segregated" else np.repeat([0, 1], half)
    place = np.cumsum(rng.normal(size=(2 * half, 3)), axis=0)  # a random walk in space
    length = np.where(label == 0, 12.0, 9.0) + rng.normal(scale=3.0, size=2 * half)
    hydrophobicity = np.where(label == (0 if kind == "inverted" else 1), 1.4, 0.0) + rng.normal(size=2 * half)
    graph = nx.path_graph(2 * half)
    distances = np.linalg.norm(place[:, None] - place, axis=2)
    graph.add_edges_from((i, int(j)) for i in range(2 * half) for j in np.argsort(distances[i])[1:3])
    for node in graph:
        graph.nodes[node].update(element=int(label[node]), values=[length[node], hydrophobicity[node]])
    return graph


classes = np.repeat(["alternating", "segregated", "inverted"], 40)
graphs = wg.from_networkx([protein(kind) for kind in classes], node_labels="element", node_attributes="values")
pictures = wg.plot.draw_graphs(graphs[[0, 1, 40, 41, 80, 81]], classes[[0, 1, 40, 41, 80, 81]], columns=6)
graphs

# %%
# The kinds of WWL on the same folds: "categorical" refines labels, "continuous" averages attributes over neighbors, and
# "joint" does both.

for kind in ("categorical", "continuous", "joint"):
    model = wg.GraphClassifier(wg.WWL(depth=[0, 1, 2, 3], kind=kind), cv=4)
    row = wg.evaluate(graphs, classes, model=model, folds=5).rows["wwl"]
    depths = [parameters["depth"] for parameters in row.parameters[0]]
    print(f"{kind:<12} {row.mean:.1%}, depths {depths}")

# %%
# Two maps of the collection. Labels tell the segregated class from the others, but not the alternating from the
# inverted one, whose labels are arranged in the same way. Where labels and attributes count, all three come apart.

labels_only = wg.plot.draw_map(
    wg.distances(graphs, metric=wg.WWL(depth=2, kind="categorical")), classes, title="labels, depth 2"
)
both = wg.plot.draw_map(
    wg.distances(graphs, metric=wg.WWL(depth=2, kind="joint", standardize=True)),
    classes,
    title="labels and attributes, depth 2",
)

# %%
# Not sure? ``GraphClassifier()`` chooses the kind as well, inside the same folds (see :doc:`/choosing`).
# sphinx_gallery_thumbnail_number = 3
