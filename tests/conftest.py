"""Where the tests find the real data sets, and what happens when they are not there."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def data_folder() -> Path | None:
    """Give the folder with the archives of the paper's data sets, if there is one."""
    given = os.environ.get("WASSERGRAPH_DATA")
    folder = Path(given) if given else ROOT.parent / "shared" / "datasets"
    if not folder.is_absolute():
        folder = ROOT / folder
    return folder if folder.is_dir() else None


@pytest.fixture(scope="session")
def data_home() -> Path:
    folder = data_folder()
    if folder is None:
        message = "the real data sets are absent: set WASSERGRAPH_DATA to a folder with their archives"
        if os.environ.get("WASSERGRAPH_REQUIRE_DATA"):
            pytest.fail(message)
        pytest.skip(message)
    return folder


@pytest.fixture(autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the tests away from the user's cache, and from what the environment says of data."""
    cache = tmp_path_factory.mktemp("cache")
    for variable in ("XDG_CACHE_HOME", "LOCALAPPDATA", "HOME"):
        monkeypatch.setenv(variable, str(cache))
    monkeypatch.delenv("WASSERGRAPH_DATA", raising=False)
