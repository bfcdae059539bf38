"""Run the command line inside of a test."""

from __future__ import annotations

from wassergraph.cli.main import main


def run(capsys, *arguments):
    """Return the exit code of a command, its output, and its messages."""
    code = main([str(argument) for argument in arguments])
    out, err = capsys.readouterr()
    return code, out, err
