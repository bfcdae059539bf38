"""Write index files of the present format version, and what they find, into this folder.

    python tests/specimens/write_indexes.py

Run it once when INDEX_VERSION grows. Files of earlier versions are never written again: they show that what an earlier
version of the library saved can still be opened.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import wassergraph as wg
from wassergraph.search.index_files import INDEX_VERSION

FOLDER = Path(__file__).parent
#: Alcohols, each with both forms of its center; the last are queries.
ALCOHOLS = [form for n in range(1, 7) for form in (f"{'C' * n}[C@H](O)F", f"{'C' * n}[C@@H](O)F")]


def write_indexes(folder: Path = FOLDER) -> None:
    graphs = wg.datasets.make_demo(4)[0]
    bare = replace(graphs, node_labels=None, node_attributes=None)
    names = [f"graph {number}" for number in range(9)]
    indexes = {
        "labels": (wg.GraphIndex(graphs[:9], wg.WWL(depth=2, kind="categorical"), names=names), graphs),
        "transport": (wg.GraphIndex(graphs[:9], wg.WWL(depth=1, kind="joint", standardize=True), names=names), graphs),
        "source": (
            wg.GraphIndex(
                graphs[:9], wg.WWL(depth=1, kind="categorical"), source={"node_labels": "kind", "impute": "mean"}
            ),
            graphs,
        ),
        "stereo": (wg.GraphIndex(ALCOHOLS[:9], wg.WWL(depth=1, stereo="use")), wg.from_smiles(ALCOHOLS)),
        "lines": (wg.GraphIndex(bare[:9], wg.WWL(depth=0, kind="continuous", size_weight=0.5)), bare),
    }
    for kind, (index, all_graphs) in indexes.items():
        path = folder / f"index-v{INDEX_VERSION}-{kind}.wgi"
        index.save(path)
        distances, positions = index.query(all_graphs[9:], k=4)
        expected = {
            "repr": repr(index),
            "names": index.names.tolist(),
            "source": index.source,
            "distances": distances.tolist(),
            "positions": positions.tolist(),
        }
        path.with_suffix(".json").write_text(json.dumps(expected, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    write_indexes()
