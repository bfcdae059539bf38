"""The main job on the embedded data set: train on a part of it, test on the rest, and keep the model and a picture."""

from pathlib import Path

from sklearn.model_selection import train_test_split

import wassergraph as wg
from wassergraph.learning.summary import training_table


def main() -> None:
    """Train, print what was chosen and how well new graphs are classified, and write the model and the kernel."""
    graphs, y = wg.load_dataset("demo")
    print(f"{graphs}, 3 classes\n")
    training, test = train_test_split(range(len(graphs)), test_size=1 / 3, stratify=y, random_state=0)

    model = wg.WWLClassifier(kind="joint", n_jobs=-1, random_state=0).fit(graphs[training], y[training])
    print(training_table(model))
    correct = model.predict(graphs[test]) == y[test]
    print(f"\nnew graphs      {correct.sum()} of {len(test)} are classified correctly: {correct.mean():.2%}")
    print("                (always the largest class: 33.33%; no histogram tells these classes apart)\n")

    folder = Path("out")
    folder.mkdir(exist_ok=True)
    model.save(folder / "demo.wgm")
    again = wg.load_model(folder / "demo.wgm")
    assert (again.predict(graphs[test]) == model.predict(graphs[test])).all()
    print(f"The model is in {folder / 'demo.wgm'}: wassergraph predict {folder / 'demo.wgm'} NEW")

    depth, gamma = model.best_params_["depth"], model.best_params_["gamma"]
    distances = wg.wwl_distances(graphs, depth=depth, kind="joint", standardise=True, n_jobs=-1)
    kernel = wg.laplacian_kernel(distances, gamma)
    wg.draw_kernel(kernel, y, path=folder / "kernel.png", title=f"demo: WWL kernel, depth {depth}, gamma {gamma:g}")
    wg.draw_graphs(graphs[:24], y[:24], path=folder / "demo.png")
    print(f"Its kernel is drawn in {folder / 'kernel.png'}, 24 of the graphs in {folder / 'demo.png'}")


if __name__ == "__main__":
    main()
