"""Metrics: how graphs are compared, and what they learn from graphs (paper, section 3.1).

    graphs ──WWL.learn──▶ Scheme ──embed.embed_all──▶ NodeEmbedding ──upto, take──▶ a part of it

    wwl.py        WWL: the metric, an estimator; solvers.py its solvers; depths.py one depth or several
    metric.py     Metric: the members that everything which compares graphs asks for
    decisions.py  what a metric decides by the graphs that it learns from; not_compared.py what it leaves out
    scheme.py     Scheme: what was learned, by which graphs are embedded; saved_scheme.py writes it to files
    embed.py      one batch, several batches in the same way, or new graphs
    labels.py     the categorical embedding: labels refined, as 64-bit codes
    stereoisomers.py
                  molecules that differ in stereochemistry only
    attributes.py the continuous embedding: attributes averaged over neighbors
    weights.py    the masses of the nodes

A :class:`~wassergraph.metrics.scheme.Scheme` contains what is learned from the training graphs: the kind of
embedding, the known labels, the mean and scale of the attributes, the price of a node without a partner.
"""
