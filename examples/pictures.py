"""Draw the two pictures of the README: docs/pictures/plan.svg and docs/pictures/map.svg."""

from pathlib import Path

import wassergraph as wg

FOLDER = Path(__file__).parents[1] / "docs" / "pictures"


def main() -> None:
    """Draw the plan from morphine to oxycodone, and a map of all drugs."""
    drugs = wg.datasets.load_drugs()
    morphine, oxycodone = (drugs.names.tolist().index(name) for name in ("morphine", "oxycodone"))
    plan = wg.transport_plan(drugs.graphs, morphine, oxycodone, metric=wg.WWL(depth=2))
    wg.plot.draw_plan(plan, path=FOLDER / "plan.svg", title="morphine → oxycodone")
    distances = wg.distances(drugs.graphs, metric=wg.WWL(depth=2), n_jobs=-1)
    title = f"{len(drugs.names)} drugs of {len(set(drugs.y))} families"
    wg.plot.draw_map(distances, drugs.y, path=FOLDER / "map.svg", title=title)


if __name__ == "__main__":
    main()
