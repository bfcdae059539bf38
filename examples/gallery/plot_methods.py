"""
WWL and other kernels on the same folds
=======================================

:func:`wassergraph.evaluate` compares methods by nested cross-validation: parameters are chosen on the training part of
each fold, and all methods have the same folds.
"""

# %%
# Which family does a drug belong to? WWL with labels, bonds and attributes of atoms; WL and WL-OA with labels and
# bonds; counts of elements (V); and, for chemists, Morgan fingerprints with Tanimoto similarity.

import wassergraph as wg

drugs = wg.datasets.load_drugs()
methods = ["wwl", "wl", "wl-oa", "tanimoto", "v"]
model = wg.GraphClassifier(wg.WWL(depth=[1, 2, 3]), cv=4)
evaluation = wg.evaluate(drugs.graphs, drugs.y, methods, model=model, molecules=list(drugs.smiles), folds=5, n_jobs=-1)
figure = wg.plot.draw_accuracies(evaluation, title="152 drugs, eight families")
print(evaluation)
