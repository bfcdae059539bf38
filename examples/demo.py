"""Compare methods on the built-in data set, train a model, save it, draw pictures, and make a page to explore."""

from pathlib import Path

from sklearn.model_selection import train_test_split

import wassergraph as wg

#: WWL on attributes, WWL on labels and attributes, and three other kernels for comparison.
METHODS = ("wwl", "wwl+joint", "wl", "rbf-wl", "v")


def main() -> None:
    """Evaluate methods, train a model and test it on new graphs; save the model, pictures and a page in ``out/``."""
    folder = Path("out")
    folder.mkdir(exist_ok=True)
    graphs, y = wg.load_dataset("demo")
    report = wg.evaluate(graphs, y, method=METHODS, n_jobs=-1)
    print(f"{report}\n")
    print(
        "The graphs of all three classes have the same node labels, arranged differently, so that label counts (V) do"
    )
    print("not help. V is even worse than chance: the graphs most similar to a test graph are in the other classes.\n")
    wg.draw_accuracies(report, path=folder / "accuracies.png", title="demo: accuracy of five methods")

    training, test = train_test_split(range(len(graphs)), test_size=1 / 3, stratify=y, random_state=0)
    model = wg.WWLClassifier(kind="joint", n_jobs=-1).fit(graphs[training], y[training])
    model.save(folder / "demo.wgm")
    correct = wg.load_model(folder / "demo.wgm").predict(graphs[test]) == y[test]
    print(f"A model trained on {len(training)} graphs classifies {correct.sum()} of {len(test)} new graphs correctly.")

    depth, gamma = model.best_params_["depth"], model.best_params_["gamma"]
    distances = wg.wwl_distances(graphs, depth=depth, kind="joint", standardize=True, n_jobs=-1)
    kernel = wg.laplacian_kernel(distances, gamma)
    wg.draw_kernel(kernel, y, path=folder / "kernel.png", title=f"demo: WWL kernel, depth {depth}, gamma {gamma:g}")
    wg.draw_graphs(graphs[:24], y[:24], path=folder / "demo.png")
    print(f"The model is in {folder / 'demo.wgm'}. To use it: wassergraph predict {folder / 'demo.wgm'} NEW")
    print(f"Pictures: {folder / 'accuracies.png'}, {folder / 'kernel.png'}, {folder / 'demo.png'} (24 of the graphs)")

    page = wg.report(
        graphs,
        y,
        title="demo",
        evaluation=report,
        method="wwl+joint",
        distances=distances,
        depth=depth,
        kind="joint",
        standardize=True,
        path=folder / "demo.html",
    )
    print(f"A page to explore the {page.n_graphs} graphs: open {folder / 'demo.html'} in a browser.")


if __name__ == "__main__":
    main()
