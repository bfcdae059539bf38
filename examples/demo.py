"""The main job on the embedded data set: load it, look at its numbers, draw it, compare its graphs."""

from pathlib import Path

import wassergraph as wg


def main() -> None:
    """Print the statistics of the demo set, draw a page of its graphs, and say what their distances tell."""
    graphs, y = wg.load_dataset("demo")
    print(graphs)
    print()
    print(graphs.summary())

    picture = Path("out") / "demo.png"
    picture.parent.mkdir(exist_ok=True)
    wg.draw_graphs(graphs[:24], y[:24], path=picture)
    print(f"\n24 of the graphs are drawn in {picture}")

    distances = wg.wwl_distances(graphs, depth=range(3), n_jobs=-1)
    same = y[:, None] == y
    print("\ndepth   mean distance within a class   between classes")
    for depth, matrix in enumerate(distances):
        within = matrix[same].sum() / (same.sum() - len(graphs))  # a graph's distance to itself is left out
        print(f"{depth:>5}   {within:>29.3f}   {matrix[~same].mean():>15.3f}")
    print(f"\nThe kernel exp(-D) at depth 2: {wg.definiteness(wg.laplacian_kernel(distances[2], 1.0))}")


if __name__ == "__main__":
    main()
