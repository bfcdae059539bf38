"""The main job on the embedded data set: which method classifies best, and a model to keep, with pictures of all."""

from pathlib import Path

from sklearn.model_selection import train_test_split

import wassergraph as wg

#: WWL on attributes alone, and on labels and attributes; beside it three of the kernels that the paper compares with.
METHODS = ("wwl", "wwl+joint", "wl", "rbf-wl", "v")


def main() -> None:
    """Evaluate the methods, print their table, then train a model, try it on new graphs, and write it and pictures."""
    folder = Path("out")
    folder.mkdir(exist_ok=True)
    graphs, y = wg.load_dataset("demo")
    report = wg.evaluate(graphs, y, method=METHODS, n_jobs=-1)
    print(f"{report}\n")
    print("All three classes are made of the same atoms, in another order, so a histogram (V) cannot tell them apart;")
    print("it even does worse than chance, for the graphs most like a test graph are of the other two classes.\n")
    wg.draw_accuracies(report, path=folder / "accuracies.png", title="demo: accuracy of five methods")

    training, test = train_test_split(range(len(graphs)), test_size=1 / 3, stratify=y, random_state=0)
    model = wg.WWLClassifier(kind="joint", n_jobs=-1).fit(graphs[training], y[training])
    model.save(folder / "demo.wgm")
    correct = wg.load_model(folder / "demo.wgm").predict(graphs[test]) == y[test]
    print(f"A model, trained on {len(training)} graphs, classifies {correct.sum()} of {len(test)} new ones correctly.")

    depth, gamma = model.best_params_["depth"], model.best_params_["gamma"]
    distances = wg.wwl_distances(graphs, depth=depth, kind="joint", standardize=True, n_jobs=-1)
    kernel = wg.laplacian_kernel(distances, gamma)
    wg.draw_kernel(kernel, y, path=folder / "kernel.png", title=f"demo: WWL kernel, depth {depth}, gamma {gamma:g}")
    wg.draw_graphs(graphs[:24], y[:24], path=folder / "demo.png")
    print(f"It is in {folder / 'demo.wgm'}: wassergraph predict {folder / 'demo.wgm'} NEW")
    print(f"Pictures: {folder / 'accuracies.png'}, {folder / 'kernel.png'}, {folder / 'demo.png'} (24 of the graphs)")


if __name__ == "__main__":
    main()
