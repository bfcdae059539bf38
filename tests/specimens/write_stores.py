"""Write a store of distances of the present format and algorithm into this folder.

    python tests/specimens/write_stores.py

Run it once when the format of stores, or the algorithm, changes. Stores of earlier ones are never written again: they
show what an earlier version of the library wrote.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from unittest import mock

import wassergraph as wg
from wassergraph.files.content_keys import ALGORITHM
from wassergraph.pairwise import fill_store
from wassergraph.pairwise.store import FORMAT
from wassergraph.pairwise.tiles import TileSize

FOLDER = Path(__file__).parent
SPECIMEN = FOLDER / f"distances-v{FORMAT}-algorithm{ALGORITHM}.zarr"
#: Two by two graphs, at two depths.
TILES = TileSize(target=1e18, least=1e18, enough=1, most=1, largest=4 * 2 * 8)


def specimen_graphs() -> wg.GraphBatch:
    """Return four small graphs, whose numbers are the same on every computer."""
    return wg.from_edges(
        [[(0, 1)], [(0, 1), (1, 2)], [(0, 1), (1, 2), (2, 0)], [(0, 1), (1, 2), (2, 3)]],
        n_nodes=[2, 3, 3, 5],
        node_labels=[[0, 1], [0, 1, 1], [0, 0, 1], [0, 1, 2, 1, 0]],
        node_attributes=[
            [[0.0], [1.0]],
            [[0.25], [1.0], [0.5]],
            [[0.0], [0.5], [2.0]],
            [[1.0], [0.25], [1.5], [0.75], [3.0]],
        ],
        symmetrize=True,
    )


def write_store(path: Path = SPECIMEN) -> None:
    shutil.rmtree(path, ignore_errors=True)
    with mock.patch.object(fill_store, "ON_DISK", TILES):
        wg.distances(specimen_graphs(), metric=wg.WWL(depth=[0, 2], kind="joint"), out=path)


if __name__ == "__main__":
    write_store()
