"""Made-up results of experiments, and the tables of a page that shows them."""

from __future__ import annotations

import numpy as np

from wassergraph.evaluation.repetition import Repetition
from wassergraph.files.provenance import Provenance
from wassergraph.reproduction.results import Run, RunResult, write_result

PARAMETERS = tuple({"depth": fold % 4, "gamma": 0.1 if fold else 1.0, "C": 100.0} for fold in range(10))
MADE_BY = Provenance("abc1234", {"numpy": "2.1.0", "python": "3.12"})


def make(key, mean, std=1.0, repetitions=10, *, parameters=PARAMETERS, provenance=MADE_BY, matrices=None):
    """Return made-up results whose repetitions have that mean and standard deviation, in percent."""
    signs = np.resize([-1.0, 1.0], repetitions) if repetitions % 2 == 0 else np.zeros(repetitions)
    seconds = {"selection": 36.0, "training and test": 36.0} | ({} if matrices is None else {"matrices": matrices})
    return [
        RunResult(
            Run(*key, i),
            Repetition({"accuracy": ((mean + sign * std) / 100,) * 10}, tuple(parameters), 0.25, 100, i, 5, 0, seconds),
            provenance,
        )
        for i, sign in enumerate(signs)
    ]


def save(results, folder):
    for result in results:
        write_result(folder, result.run, result.scores)


def rows_of(text, heading):
    """Return the cells of the first table after a heading, row by row."""
    lines = text.split(f"\n{heading}", 1)[1].split("\n")
    first = next(i for i, line in enumerate(lines) if line.startswith("|"))
    rows = []
    for line in lines[first:]:
        if not line.startswith("|"):
            break
        rows.append([part.strip() for part in line.strip("|").split("|")])
    return rows[:1] + rows[2:]
