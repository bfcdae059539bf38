from __future__ import annotations

import pytest

from wassergraph import optional
from wassergraph.optional import require


@pytest.mark.parametrize("library", optional._EXTRAS)
def test_installed_library_passes(library):
    pytest.importorskip(library)
    require(library)


@pytest.mark.parametrize(("library", "extra"), optional._EXTRAS.items())
def test_a_missing_library_raises_with_its_extra(monkeypatch, library, extra):
    monkeypatch.setattr(optional, "find_spec", lambda _: None)
    with pytest.raises(ModuleNotFoundError, match=rf'this needs {library}: pip install "wassergraph\[{extra}\]"'):
        require(library)


def test_every_extra_is_one_of_the_project():
    import tomllib
    from pathlib import Path

    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert set(optional._EXTRAS.values()) <= set(project["optional-dependencies"])
