"""
Which atoms decide? A prediction, explained
===========================================

A classifier of drug families, and the atoms that its decision is made of. The scores of all atoms sum to the decision,
exactly.
"""

# %%
# The model is trained on all drugs but five, and chooses depth, γ and C by cross-validation.

import numpy as np

import wassergraph as wg

drugs = wg.datasets.load_drugs()
held_out = ["promethazine", "diclofenac", "cefalexin", "temazepam", "naloxone"]
test = np.isin(drugs.names, held_out)
model = wg.GraphClassifier(wg.WWL(depth=[1, 2, 3]), n_jobs=-1)
model.fit(drugs.graphs[~test], drugs.y[~test], names=list(drugs.names[~test]))
print(model.best_params_)
for name, family, predicted in zip(drugs.names[test], drugs.y[test], model.predict(drugs.graphs[test]), strict=True):
    print(f"{name}: {predicted}" + ("" if predicted == family else f", but it is one of the {family}"))

# %%
# Promethazine is an antihistamine whose skeleton is that of the tricyclics. The decision between the two families is
# positive for tricyclics: blue atoms speak for them, and orange ones for antihistamines.

at = {str(name): number for number, name in enumerate(drugs.names)}
explanation = model.explain(drugs.graphs[at["promethazine"]], classes=("tricyclics", "antihistamines"))
figure = wg.plot.draw_explanation(explanation, title="promethazine: tricyclic or antihistamine?")
print(explanation)

# %%
# Diclofenac among the NSAIDs, against the sulfonamides:

other = model.explain(drugs.graphs[at["diclofenac"]], classes=("NSAIDs", "sulfonamides"))
second = wg.plot.draw_explanation(other, title="diclofenac: NSAID or sulfonamide?")
