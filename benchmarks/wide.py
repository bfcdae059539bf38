"""Compare the cost of the wide search with that of the paper's, as ratios measured in one run.

    WASSERGRAPH_DATA=path/to/archives .venv/bin/python benchmarks/wide.py [--repeat 2] [--only NAME …]

Each side fits a GraphClassifier to a whole data set, prepared as in the paper, on one thread: embedding, distances for
all depths, and the choice of parameters in five folds. Both take turns, and the least time of the processor counts. A
full run writes its table to ``RESULTS.md``.
"""

from __future__ import annotations

import argparse
import time
import warnings

import wassergraph as wg
from reporting import circumstances, duration, markdown, save, times
from wassergraph.metrics.decisions import Kind
from wassergraph.metrics.node_embedding import EmbeddingKind
from wassergraph.reproduction.setups import SETUPS
from wassergraph.tuning.wide import Search

HEADING = "## Wide search"
PACKAGES = ("wassergraph", "scikit-learn", "numpy", "scipy")
SEARCHES: tuple[Search, ...] = ("metric", "wide")
#: Sets of the paper, with the kind of the paper's search; the wide one compares everything, or labels alone.
DATASETS: tuple[tuple[str, EmbeddingKind], ...] = (
    ("MUTAG", "categorical"),
    ("PTC_MR", "categorical"),
    ("ENZYMES", "categorical"),
    ("PROTEINS", "categorical"),
    ("BZR_MD", "continuous"),
    ("COX2_MD", "continuous"),
    ("BZR", "continuous"),
    ("COX2", "continuous"),
    ("ENZYMES", "continuous"),
    ("Synthie", "continuous"),
    ("SYNTHETICnew", "continuous"),
    ("IMDB-BINARY", "continuous"),
)


def measure(dataset: str, kind: EmbeddingKind, repeat: int) -> list[str]:
    """Return a line of the table: seconds of both searches for distances and selection, and the ratio of all."""
    graphs, y = wg.load_dataset(dataset)
    setup = SETUPS[dataset, kind]
    graphs = setup.prepare(graphs)
    best: dict[Search, tuple[float, wg.GraphClassifier]] = {}
    for _ in range(repeat):
        for search in SEARCHES:
            compared: Kind = "auto" if search == "wide" and kind == "continuous" else kind
            model = wg.GraphClassifier(
                wg.WWL(kind=compared, mass="auto", standardize=setup.standardize), search=search, n_jobs=1
            )
            begin = time.process_time()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                model.fit(graphs, y)
            seconds = time.process_time() - begin
            if search not in best or seconds < best[search][0]:
                best[search] = seconds, model
    (paper, simple), (wide, chosen) = (best[search] for search in SEARCHES)
    parts = [
        f"{duration(model.seconds_['distances'])} + {duration(model.seconds_['selection'])}"
        for model in (simple, chosen)
    ]
    return [dataset, kind, *parts, times(wide / paper)]


def main() -> None:
    """Measure the data sets."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=2, help="how often each side is measured")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="data sets to measure")
    options = parser.parse_args()
    wg.GraphClassifier(wg.WWL(depth=[0, 1]), search="wide").fit(*wg.load_dataset("demo"))  # imports what it needs
    lines = []
    for dataset, kind in DATASETS:
        if options.only is None or dataset in options.only:
            lines.append(measure(dataset, kind, options.repeat))
            print(*lines[-1], sep="  ", flush=True)
    columns = ["set", "kind", "paper: distances + selection", "wide: distances + selection", "wide / paper"]
    text = (
        'The cost of `search="wide"` next to that of the search of the paper, on one thread: the least '
        f"time of the processor in {options.repeat} turn{'s' if options.repeat > 1 else ''}."
    )
    section = "\n\n".join([circumstances(PACKAGES), text, markdown(columns, lines)])
    if options.only is None:
        save(HEADING, section)


if __name__ == "__main__":
    main()
