"""The main job on the embedded data set: load it, look at its numbers, draw it."""

from pathlib import Path

import wassergraph as wg


def main() -> None:
    """Print the statistics of the demo set and draw a page of its graphs."""
    graphs, y = wg.load_dataset("demo")
    print(graphs)
    print()
    print(graphs.summary())

    picture = Path("out") / "demo.png"
    picture.parent.mkdir(exist_ok=True)
    wg.draw_graphs(graphs[:24], y[:24], path=picture)
    print(f"\n24 of the graphs are drawn in {picture}")


if __name__ == "__main__":
    main()
