"""What tests of stores share: arguments of distances, small tiles, the files of a store, and damage to them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import wassergraph as wg
from wassergraph.pairwise import api, fill_store
from wassergraph.pairwise.tiles import TileSize

#: Options of two solvers that take few steps.
SINKHORN = {"kind": "continuous", "solver": "sinkhorn", "reg": 0.5, "tol": 1e-3}
SLICED = {"kind": "continuous", "solver": "sliced", "n_projections": 7, "random_state": None}
#: Tiles of 16 pairs with two depths in double precision, however little work they are.
SMALL = TileSize(target=1e18, least=1e18, enough=1, most=1, largest=16 * 2 * 8)

GRAPHS = wg.datasets.make_demo()[0]


def arguments(n, m=None, *, weighted="", degrees=False, **options):
    """Return arguments of distances for n graphs, or for n against m others, at the depths 2 and 0."""
    graphs = GRAPHS.degree_attributes() if degrees else GRAPHS
    sides = [graphs[:n]] if m is None else [graphs[:n], graphs[20 : 20 + m]]
    random = np.random.default_rng(0)
    masses = [random.uniform(0.1, 3, side.n_nodes) for side in sides]
    if "left" in weighted:
        options["weights"] = masses[0]
    if "right" in weighted:
        options["other_weights"] = masses[1]
    return {"graphs": sides[0], "others": sides[1] if m is not None else None, "depth": [2, 0], **options}


#: Arguments of distances of every kind, which have at least four tiles but for those of few graphs.
CASES = {
    "categorical": arguments(13, kind="categorical"),
    "continuous": arguments(13, kind="continuous"),
    "joint": arguments(13, kind="joint", label_weight=0.3),
    "standardized": arguments(13, kind="continuous", standardize=True),
    "degrees on a line": arguments(13, kind="continuous", degrees=True, depth=0),
    "sinkhorn": arguments(9, **SINKHORN),
    "sliced": arguments(13, **{**SLICED, "random_state": 3}),
    "weights": arguments(13, kind="joint", weighted="left"),
    "weights of labels": arguments(13, kind="categorical", weighted="left"),
    "weights on the left": arguments(9, 6, kind="continuous", weighted="left"),
    "weights on the right": arguments(9, 6, kind="continuous", weighted="right"),
    "weights on both sides": arguments(9, 6, kind="categorical", weighted="left right"),
    "one depth": arguments(13, kind="categorical", depth=2),
    "a list of one depth": arguments(13, kind="continuous", depth=[1]),
    "a depth twice": arguments(9, kind="continuous", depth=[1, 0, 1]),
    "float32": arguments(13, kind="continuous", dtype=np.float32),
    "float32 labels": arguments(13, 11, kind="categorical", dtype="float32"),
    "rectangle": arguments(13, 11, kind="joint"),
    "rectangle of Sinkhorn": arguments(5, 7, **SINKHORN),
    "rectangle of lines": arguments(11, 13, **{**SLICED, "random_state": 3}),
    "thin": arguments(13, 1, kind="categorical"),
    "flat": arguments(1, 40, kind="continuous"),
    "one graph": arguments(1, kind="continuous"),
    "one graph with entropy": arguments(1, **SINKHORN),
    "no graphs": arguments(0, kind="categorical"),
    "no graphs on the left": arguments(0, 5, kind="categorical"),
    "no graphs on the right": arguments(5, 0, kind="categorical"),
    "equal graphs": {"graphs": GRAPHS[[4] * 11], "kind": "categorical", "depth": [0, 1]},
}


def use_small_tiles(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a matrix of few graphs have many tiles."""
    for module in (api, fill_store):
        monkeypatch.setattr(module, "ON_DISK", SMALL)


def assert_identical(distances, expected) -> None:
    """Check that two arrays, or stores, are equal to the last bit."""
    assert distances.shape == expected.shape
    assert distances.dtype == expected.dtype
    assert np.asarray(distances).tobytes() == np.asarray(expected).tobytes()


def tile_file(path: Path, row: int, column: int) -> Path:
    """Return the file of a tile."""
    return path / "distances" / "c" / "0" / str(row) / str(column)


def tile_files(path: Path) -> list[Path]:
    """Return the files of all tiles, also those below the diagonal, and of tiles that are not complete."""
    return sorted(file for file in (path / "distances" / "c").rglob("*") if file.is_file())


def stamps(path: Path) -> dict[Path, tuple[int, int, bytes]]:
    """Return when and where each tile was written, and its content."""
    return {file: (file.stat().st_mtime_ns, file.stat().st_ino, file.read_bytes()) for file in tile_files(path)}


def flip(file: Path, position: int = 0) -> None:
    """Change one bit of a file."""
    content = bytearray(file.read_bytes())
    content[position] ^= 1
    file.write_bytes(content)


def edit_attributes(path: Path, **changes: object) -> None:
    """Change what a store says about itself; None removes an entry."""
    document = json.loads((path / "zarr.json").read_text(encoding="utf-8"))
    changed = {**document["attributes"], **changes}
    document["attributes"] = {name: value for name, value in changed.items() if value is not None}
    (path / "zarr.json").write_text(json.dumps(document), encoding="utf-8")
