from __future__ import annotations

import errno
import json
import os
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from command_line import run
from tu_files import make_folder, make_zip
from wassergraph.cli.main import main
from wassergraph.cli.messages import as_flag
from wassergraph.datasets.catalogue import CATALOGUE
from wassergraph.datasets.download import DownloadError
from wassergraph.errors import InputError, InputTypeError, MissingFileError, Option


def test_list(capsys, tmp_path):
    make_zip(tmp_path / "TINY.zip")
    code, out, err = run(capsys, "datasets", "--data-home", tmp_path)
    assert (code, err) == (0, "")
    assert "ENZYMES" in out
    assert str(tmp_path / "TINY.zip") in out
    code, out, _ = run(capsys, "datasets", "--data-home", tmp_path, "--json")
    assert {entry["name"] for entry in json.loads(out)["entries"]} == {"drugs", "demo", "TINY", *CATALOGUE}


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
    assert err.startswith(
        "wassergraph: error: TINY_graph_indicator.txt: the largest graph id is 2, but there are targets for 3"
    )
    assert "--empty-graphs drop" in err
    code, _, err = run(capsys, "datasets", folder, "--empty-graphs", "drop")
    assert code == 2
    assert "graph 0, node 0: the edge to node 1 has no edge back" in err
    assert "pass --symmetrize to add the missing ones" in err
    flags = ("--empty-graphs", "drop", "--symmetrize", "--self-loops", "drop", "--repeats", "last", "--json")
    code, out, _ = run(capsys, "datasets", folder, *flags)
    assert (code, json.loads(out)["n_edges"], json.loads(out)["n_self_loops"]) == (0, 1, 0)


def test_exit_code_of_wrong_input(capsys, tmp_path):
    code, out, err = run(capsys, "datasets", tmp_path / "absent.zip")
    assert (code, out) == (2, "")
    assert err.startswith("wassergraph: error: ")
    assert err.count("\n") == 1
    with pytest.raises(SystemExit) as exit_:
        main(["nonsense"])
    assert exit_.value.code == 2


def test_exit_code_of_an_interrupt(capsys, monkeypatch):
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("wassergraph.datasets.description.describe_dataset", interrupt)
    code, _, err = run(capsys, "datasets", "demo")
    assert (code, err) == (130, "\nwassergraph: interrupted\n")


INTERRUPTIBLE = """
import signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # also if the parent ignores SIGINT
from wassergraph.cli.main import main
from wassergraph.datasets import description

def wait(*_):
    print("ready", flush=True)
    time.sleep(600)

description.list_datasets = wait
sys.exit(main(["datasets"]))
"""


@pytest.mark.skipif(os.name == "nt", reason="signals are different on Windows")
def test_exit_code_of_an_interrupted_process():
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", INTERRUPTIBLE], stdout=pipe, stderr=pipe, text=True) as process:
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130
        assert process.stderr.read() == "\nwassergraph: interrupted\n"


@pytest.mark.parametrize(
    ("error", "code", "line"),
    [
        (InputError("{} is wrong", options=[Option("inner_folds")]), 2, "error: --inner-folds is wrong"),
        (
            InputError("the node is wrong", remedy="pass {}", options=[Option("standardize", True)], graph=3, node=1),
            2,
            "error: graph 3, node 1: the node is wrong; pass --standardize yes",
        ),
        (
            InputTypeError("'symmetrize=True' is the name of a file"),
            2,
            "error: 'symmetrize=True' is the name of a file",
        ),
        (MissingFileError("it does not exist", file="a.csv"), 2, "error: a.csv: it does not exist"),
        (DownloadError("it could not be downloaded"), 2, "error: it could not be downloaded"),
        (ValueError("inner_folds is wrong"), 2, "error: inner_folds is wrong"),
        (FileNotFoundError(2, "No such file or directory", "a.csv"), 2, "error: a.csv: No such file or directory"),
        (OSError(errno.ENOSPC, "No space left on device", "a.wgm"), 1, "error: a.wgm: No space left on device"),
        (RuntimeError("no convergence"), 1, "failed: no convergence"),
        (MemoryError(), 1, "failed: out of memory"),
    ],
)
def test_errors_name_flags_from_their_fields(capsys, monkeypatch, error, code, line):
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr("wassergraph.datasets.description.describe_dataset", fail)
    assert run(capsys, "datasets", "demo") == (code, "", f"wassergraph: {line}\n")


def test_flags_of_options_exist():
    """Every option that an error of a reader names is a flag of the commands that read graphs."""
    flags = shell("train", "--help").stdout
    options = [Option(name) for name in ("data_home", "target", "smiles_column", "labels_file", "node_labels")]
    options += [Option("edge_weights"), Option("symmetrize", True), Option("C"), Option("n_jobs"), Option("cv")]
    options += [Option("self_loops", "drop"), Option("repeats", "last"), Option("empty_graphs", "drop")]
    options += [Option("invalid", "skip"), Option("task", "classification")]
    for option in options:
        assert re.search(rf"{as_flag(option).split()[0]}\b", flags)


@pytest.mark.parametrize("command", ["", "datasets", "compare", "evaluate", "train", "predict", "explain", "reproduce"])
def test_help_of_every_command(command):
    result = shell(*command.split(), "--help")
    assert (result.returncode, result.stderr) == (0, "")
    assert f"usage: wassergraph {command}".strip() in result.stdout
    assert "example" in result.stdout


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
    for heavy in ("sklearn", "scipy", "numpy"):
        assert f" {heavy}\n" not in loaded


def test_the_installed_command_runs():
    command = Path(sys.executable).parent / "wassergraph"
    result = subprocess.run([command, "datasets", "demo"], capture_output=True, text=True, check=True)
    assert "60" in result.stdout


@pytest.mark.skipif(os.name == "nt", reason="pipes end differently on Windows")
def test_a_closed_pipe_is_not_a_traceback():
    code = f"{shlex.quote(sys.executable)} -m wassergraph datasets --json | true; echo ${{PIPESTATUS[0]}}"
    result = subprocess.run(["bash", "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout == "0\n"
    assert result.stderr == ""


@pytest.mark.skipif(os.name == "nt", reason="streams are closed differently on Windows")
@pytest.mark.parametrize(("closed", "data"), [(">&-", "demo"), ("2>&-", "demo"), ("2>&-", "absent.zip")])
def test_closed_streams_are_not_tracebacks(closed, data):
    code = f"{shlex.quote(sys.executable)} -m wassergraph datasets {data} {closed}"
    result = subprocess.run(["bash", "-c", code], capture_output=True, text=True, check=False)
    assert result.returncode == (0 if data == "demo" else 2)
    assert "Traceback" not in result.stdout + result.stderr
    assert data == "demo" or result.stdout == ""


def test_terminal_without_unicode():
    result = shell("datasets", "demo", env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert result.returncode == 0
    assert "edge labels      ?" in result.stdout
