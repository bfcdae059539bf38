"""What tests of stores share: small tiles, the files of a store, and damage to them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from wassergraph.pairwise import api, fill_store
from wassergraph.pairwise.tiles import TileSize

#: Options of two solvers that take few steps.
SINKHORN = {"kind": "continuous", "solver": "sinkhorn", "reg": 0.5, "tol": 1e-3}
SLICED = {"kind": "continuous", "solver": "sliced", "n_projections": 7, "random_state": None}
#: Tiles of 16 pairs with two depths in double precision, however little work they are.
SMALL = TileSize(target=1e18, least=1e18, enough=1, most=1, largest=16 * 2 * 8)


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
