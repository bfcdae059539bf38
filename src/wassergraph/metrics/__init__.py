"""The Weisfeiler–Lehman embedding: from a batch of graphs to one vector per node (paper, section 3.1).

    graphs ──scheme.learn_scheme──▶ Scheme ──embed.embed_all──▶ NodeEmbedding ──upto, take──▶ a part of it
                                      │
                                      ├── labels.py      categorical: labels refined, as 64-bit codes
                                      ├── attributes.py  continuous: attributes averaged over neighbors
                                      └── weights.py     the masses of the nodes

A :class:`~wassergraph.metrics.scheme.Scheme` contains what is learned from the training graphs: the kind of
embedding, the known labels, the mean and scale of the attributes. saved_scheme.py turns it into what a
file can hold, and back. line_graph.py turns edges into nodes.
"""
