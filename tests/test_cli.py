from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from test_archive import make_folder, make_zip

from wassergraph.cli.main import main
from wassergraph.datasets.catalogue import CATALOGUE


def run(capsys, *arguments):
    code = main([str(argument) for argument in arguments])
    out, err = capsys.readouterr()
    return code, out, err


def test_list(capsys, tmp_path):
    make_zip(tmp_path / "TINY.zip")
    code, out, err = run(capsys, "datasets", "--data-home", tmp_path)
    assert (code, err) == (0, "")
    assert "ENZYMES" in out
    assert str(tmp_path / "TINY.zip") in out
    code, out, _ = run(capsys, "datasets", "--data-home", tmp_path, "--json")
    assert {entry["name"] for entry in json.loads(out)["entries"]} == {"demo", "TINY", *CATALOGUE}


def test_describe(capsys, tmp_path):
    code, out, _ = run(capsys, "datasets", make_folder(tmp_path / "TINY"))
    assert code == 0
    assert "classes          2 (-1: 1, 1: 1)" in out
    code, out, _ = run(capsys, "datasets", "demo", "--json")
    assert (code, json.loads(out)["n_graphs"], json.loads(out)["classes"]) == (0, 60, {"0": 20, "1": 20, "2": 20})


def test_describe_real_data(capsys, data_home):
    code, out, _ = run(capsys, "datasets", "MUTAG", "--data-home", data_home)
    assert code == 0
    assert "17.93 on average" in out
    assert "19.79 on average" in out


def test_options(capsys, tmp_path):
    folder = make_folder(tmp_path / "TINY")
    (folder / "TINY_A.txt").write_text("1, 2\n1, 1\n")
    (folder / "TINY_graph_labels.txt").write_text("1\n-1\n5\n")
    code, out, err = run(capsys, "datasets", folder)
    assert (code, out) == (2, "")
    assert err.startswith("wassergraph: error: TINY has 3 rows of graph labels")
    code, _, err = run(capsys, "datasets", folder, "--empty-graphs", "drop")
    assert code == 2
    assert "pass --symmetrize" in err
    flags = ("--empty-graphs", "drop", "--symmetrize", "--self-loops", "drop", "--repeats", "last", "--json")
    code, out, _ = run(capsys, "datasets", folder, *flags)
    assert (code, json.loads(out)["n_edges"], json.loads(out)["n_self_loops"]) == (0, 1, 0)


def test_errors_are_one_line_and_code_2(capsys, tmp_path):
    code, out, err = run(capsys, "datasets", tmp_path / "absent.zip")
    assert (code, out) == (2, "")
    assert err.startswith("wassergraph: error: ")
    assert err.count("\n") == 1
    with pytest.raises(SystemExit) as exit_:
        main(["nonsense"])
    assert exit_.value.code == 2


def test_an_interrupt_is_code_130(capsys, monkeypatch):
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("wassergraph.datasets.description.describe_dataset", interrupt)
    code, _, err = run(capsys, "datasets", "demo")
    assert (code, err) == (130, "\nwassergraph: interrupted\n")


def shell(*arguments, **options):
    return subprocess.run(
        [sys.executable, "-m", "wassergraph", *arguments], capture_output=True, text=True, check=False, **options
    )


def test_help_and_version_show_an_example_and_load_nothing_heavy():
    result = shell("--help")
    assert result.returncode == 0
    assert "wassergraph datasets ENZYMES" in result.stdout
    assert "example:" in shell("datasets", "--help").stdout
    assert shell("--version").stdout.startswith("wassergraph 0.")
    loaded = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "wassergraph", "--help"], capture_output=True, text=True, check=True
    ).stderr
    for heavy in ("numba", "sklearn", "scipy", "numpy"):
        assert f" {heavy}\n" not in loaded


def test_the_installed_command_runs():
    command = Path(sys.executable).parent / "wassergraph"
    result = subprocess.run([command, "datasets", "demo"], capture_output=True, text=True, check=True)
    assert "60" in result.stdout


@pytest.mark.skipif(os.name == "nt", reason="pipes end differently on Windows")
def test_a_closed_pipe_is_not_a_traceback():
    code = f"{sys.executable} -m wassergraph datasets --json | true; echo ${{PIPESTATUS[0]}}"
    result = subprocess.run(["bash", "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout == "0\n"
    assert result.stderr == ""


@pytest.mark.skipif(os.name == "nt", reason="streams are closed differently on Windows")
@pytest.mark.parametrize(("closed", "data"), [(">&-", "demo"), ("2>&-", "demo"), ("2>&-", "absent.zip")])
def test_closed_streams_are_not_tracebacks(closed, data):
    code = f"{sys.executable} -m wassergraph datasets {data} {closed}"
    result = subprocess.run(["bash", "-c", code], capture_output=True, text=True, check=False)
    assert result.returncode == (0 if data == "demo" else 2)
    assert "Traceback" not in result.stdout + result.stderr
    assert data == "demo" or result.stdout == ""


def test_a_terminal_without_our_characters():
    result = shell("datasets", "demo", env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert result.returncode == 0
    assert "edge labels      ?" in result.stdout
