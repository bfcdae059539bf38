"""
A plan between two drugs
========================

The distance of two molecules is the least cost of moving the atoms of one onto those of the other. The plan shows which
atom goes where, and what it costs.
"""

# %%
# Two painkillers, morphine and codeine, differ in one methyl group. Atoms are colored by their cost: what is not
# colored has a counterpart with the same neighborhood in the other molecule.

import numpy as np

import wassergraph as wg

drugs = wg.datasets.load_drugs()
at = {str(name): number for number, name in enumerate(drugs.names)}
plan = wg.transport_plan(drugs.graphs, at["morphine"], at["codeine"], metric=wg.WWL(depth=3))
near = wg.plot.draw_plan(plan, title="morphine and codeine")

# %%
# At depth 3 an atom is compared with all that is within three bonds. The cost is highest at the oxygen that carries the
# methyl group in codeine, and fades with the number of bonds from there.

print(plan.depth_costs.round(4))  # elements alone, then one, two and three bonds around them

# %%
# Diazepam calms, and imipramine lifts the mood. Both have two aromatic rings and a ring of seven between or beside
# them, but these are joined differently, so that nearly everything costs something.

far_plan = wg.transport_plan(drugs.graphs, at["diazepam"], at["imipramine"], metric=wg.WWL(depth=3))
far = wg.plot.draw_plan(far_plan, title="diazepam and imipramine")

# %%
# The nearest and the farthest drugs of morphine by the same distance:

D = wg.distances(drugs.graphs[[at["morphine"]]], drugs.graphs, metric=wg.WWL(depth=3))[0]
order = np.argsort(D)
for number in [*order[1:5], *order[-2:]]:
    print(f"{D[number]:.3f}  {drugs.names[number]} ({drugs.y[number]})")
