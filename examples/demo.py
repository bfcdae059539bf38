"""Recognize drugs by their structure, and see why: a table, a model, pictures and a page to explore, in ``out/``."""

from pathlib import Path

from sklearn.model_selection import train_test_split

import wassergraph as wg

OUT = Path("out")
#: WWL, two other kernels that look at neighborhoods of atoms, and one that only counts atoms.
METHODS = ("wwl", "wl", "wl-oa", "v")
#: What parameters are chosen from. The default, as in the paper, has more values, and takes a few minutes.
DEPTHS, GAMMAS, CS = range(5), (0.1, 1.0, 10.0), (1.0, 10.0, 100.0)
#: A drug that is not in the set: a benzodiazepine whose ring has its nitrogens in other places than all that are.
CLOBAZAM = "CN1C(=O)CC(=O)N(c2ccccc2)c2cc(Cl)ccc21"


def main() -> None:
    """Run all steps, one after the other."""
    OUT.mkdir(exist_ok=True)
    drugs = wg.datasets.load_drugs()
    families = sorted(set(drugs.y))
    print(f"There are {len(drugs.names)} drugs of {len(families)} families: {', '.join(families)}.")
    evaluation = compare_methods(drugs)
    model = train_and_predict(drugs)
    explain_a_mistake(drugs, model)
    search(drugs)
    compare_two_drugs(drugs)
    draw_all_drugs(drugs, evaluation)
    print(f"\nNow open {OUT / 'report.html'} in a browser; the pictures are beside it.")


def compare_methods(drugs: wg.datasets.Drugs) -> wg.Evaluation:
    """Estimate how often each method finds the family of a drug that it has not seen."""
    print("\n1. How often is the family found?\n")
    model = wg.GraphClassifier(wg.WWL(depth=DEPTHS), GAMMAS, CS)
    evaluation = wg.evaluate(drugs.graphs, drugs.y, METHODS, model=model, n_jobs=-1)
    print(evaluation)
    wg.plot.draw_accuracies(evaluation, path=OUT / "accuracies.png", title="How often the family of a drug is found")
    return evaluation


def train_and_predict(drugs: wg.datasets.Drugs) -> wg.GraphClassifier:
    """Train a model on three quarters of the drugs, save it, and predict the families of the others."""
    print("\n2. A model, trained and saved\n")
    training, test = train_test_split(range(len(drugs.y)), test_size=1 / 4, stratify=drugs.y, random_state=0)
    model = wg.GraphClassifier(wg.WWL(depth=DEPTHS), GAMMAS, CS, n_jobs=-1)
    model.fit(drugs.graphs[training], drugs.y[training], names=drugs.names[training].tolist())
    model.save(OUT / "drugs.wgm")

    predicted = wg.load_model(OUT / "drugs.wgm").predict(drugs.graphs[test])
    n_right = sum(predicted == drugs.y[test])
    print(f"Trained on {len(training)} drugs, it finds the families of {n_right} of {len(test)} others.")
    for name, family, mistake in zip(drugs.names[test], drugs.y[test], predicted, strict=True):
        if mistake != family:
            print(f"It takes {name}, one of the {family}, for one of the {mistake}.")
    return model


def explain_a_mistake(drugs: wg.datasets.Drugs, model: wg.GraphClassifier) -> None:
    """Show which atoms of a drug speak for the family that is predicted, and which for the next best one."""
    print("\n3. Why, atom by atom\n")
    explanation = model.explain(drugs.graphs[position(drugs, "loperamide")])
    print(f"loperamide\n{explanation}")
    wg.plot.draw_explanation(explanation, path=OUT / "explanation.png", title="loperamide")


def search(drugs: wg.datasets.Drugs) -> None:
    """Find the drugs that are nearest to one that is not in the set."""
    print("\n4. The nearest drugs to clobazam, which is not in the set\n")
    index = wg.GraphIndex(drugs.graphs, names=drugs.names.tolist())
    distances, positions = (found[0] for found in index.query(CLOBAZAM, k=3))
    for distance, found in zip(distances, positions, strict=True):
        print(f"{distance:.3f}  {drugs.names[found]}, one of the {drugs.y[found]}")
    plans = [wg.transport_plan(CLOBAZAM, drugs.graphs[found]) for found in positions]
    names = drugs.names[positions].tolist()
    wg.plot.draw_hits(plans, names=names, distances=distances, path=OUT / "hits.png", title="clobazam")


def compare_two_drugs(drugs: wg.datasets.Drugs) -> None:
    """Show what a penicillin and a cephalosporin have in common: all but a ring."""
    print("\n5. What distinguishes ampicillin from cefalexin\n")
    one, other = position(drugs, "ampicillin"), position(drugs, "cefalexin")
    plan = wg.transport_plan(drugs.graphs, one, other)
    n_same = sum(plan.source_costs < 1e-9)
    print(f"{n_same} of {len(plan.source_costs)} atoms have the same surroundings in both, and cost nothing to move.")
    wg.plot.draw_plan(plan, path=OUT / "plan.png", title="ampicillin → cefalexin")


def draw_all_drugs(drugs: wg.datasets.Drugs, evaluation: wg.Evaluation) -> None:
    """Draw a map of the drugs, and make a page with the map, all distances, all plans and all predictions."""
    distances = wg.distances(drugs.graphs, metric=wg.WWL(depth=3), n_jobs=-1)
    title = f"{len(drugs.names)} well-known drugs"
    wg.plot.draw_map(distances, drugs.y, path=OUT / "map.png", title=title)
    wg.explore(
        drugs.graphs,
        {"family": drugs.y},
        metric=wg.WWL(depth=3),
        names=drugs.names.tolist(),
        title=title,
        predicted_by=evaluation,
        distances=distances,
    ).save(OUT / "report.html")


def position(drugs: wg.datasets.Drugs, name: str) -> int:
    """Return where the drug of this name is."""
    return int((drugs.names == name).argmax())


if __name__ == "__main__":
    main()
