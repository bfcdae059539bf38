"""The levels of the compiled core: the choice at import, what the command line shows of it, and errors."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

import wassergraph
from wassergraph import _core
from wassergraph.cli.main import main


def start(level, *arguments):
    """Run Python with a level in the environment."""
    return subprocess.run(
        [sys.executable, *arguments],
        env={**os.environ, "WASSERGRAPH_ISA": level},
        capture_output=True,
        text=True,
        check=False,
    )


def test_levels_are_in_rising_order():
    levels = _core.levels()
    assert levels
    assert levels == [level for level in ("base", "v2", "v3", "v4") if level in levels]


@pytest.mark.parametrize("level", _core.levels())
def test_the_environment_chooses_the_level(level):
    assert start(level, "-c", "from wassergraph import _core; print(_core.level())").stdout.strip() == level


def test_the_highest_level_is_used_without_a_choice():
    assert start("", "-c", "from wassergraph import _core; print(_core.level())").stdout.strip() == _core.levels()[-1]


def test_an_unknown_level_is_an_error_at_import():
    result = start("v9", "-c", "import wassergraph._core")
    message = f"WASSERGRAPH_ISA is 'v9', which is no level of this processor; it has {', '.join(_core.levels())}"
    assert result.stderr.splitlines()[-1] == f"ImportError: {message}"
    with pytest.raises(ValueError, match="no level v9"):
        _core.use_level("v9")


@pytest.mark.parametrize("command", [["--version"], ["duplicates", "demo"]])
def test_the_command_line_says_so_without_a_traceback(command):
    result = start("v9", "-m", "wassergraph", *command)
    assert result.returncode == 2
    assert result.stderr.startswith("wassergraph: error: WASSERGRAPH_ISA is 'v9'")
    assert result.stdout == ""


def test_the_version_is_printed_with_the_level(capsys):
    with pytest.raises(SystemExit, match="0"):
        main(["--version"])
    level = _core.level() if _core.level() == "base" else f"x86-64-{_core.level()}"
    assert capsys.readouterr().out == f"wassergraph {wassergraph.__version__} (core: {level})\n"
