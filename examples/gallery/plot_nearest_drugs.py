"""
The nearest drugs of a molecule
===============================

A :class:`wassergraph.GraphIndex` finds the nearest graphs of a new one, exactly, and computes only the few distances
that matter. The picture shows which part of each hit corresponds to which part of the query.
"""

# %%
# Oxymorphone is an opioid that is not in the collection.

import wassergraph as wg

oxymorphone = "CN1CCC23C4C(=O)CCC2(C1CC5=C3C(=C(C=C5)O)O4)O"
drugs = wg.datasets.load_drugs()
index = wg.GraphIndex(drugs.graphs, wg.WWL(depth=2), names=list(drugs.names))
distances, positions = index.query(oxymorphone, k=5)
for distance, number in zip(distances[0], positions[0], strict=True):
    print(f"{distance:.3f}  {drugs.names[number]} ({drugs.y[number]})")
print(index.last_counts)

# %%
# Atoms of the query are colored by their place, and atoms of the others by the place that they correspond to. Rings
# mark what is different, the wider the more.

plans = [wg.transport_plan(oxymorphone, drugs.smiles[number], metric=wg.WWL(depth=2)) for number in positions[0]]
figure = wg.plot.draw_hits(plans, names=list(drugs.names[positions[0]]), distances=distances[0], title="oxymorphone")

# %%
# Neighbors are a simple classifier, too: what would each drug be taken for, judging by its three nearest others? The
# index compares its own graphs with each other, without themselves.

_, neighbors = index.kneighbors(k=3)
agreement = (drugs.y[neighbors] == drugs.y[:, None]).mean(axis=1)
print(f"share of the three nearest that are of the same family: {agreement.mean():.0%}")
for number in agreement.argsort(kind="stable")[:5]:
    print(f"{drugs.names[number]} ({drugs.y[number]}): {', '.join(drugs.names[neighbors[number]])}")
