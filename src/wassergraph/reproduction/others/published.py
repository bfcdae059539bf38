"""The numbers that were published for benchmarks; the files say where each is from."""

from __future__ import annotations

import csv
import functools
from collections.abc import Iterator, Mapping
from importlib import resources
from types import MappingProxyType
from typing import NamedTuple

#: Descriptors that tell methods with the same algorithm apart; others are what the algorithm always has.
_DESCRIPTORS = ("ECFP", "MACCS", "PHYSCHEM", "WHIM")


class Errors(NamedTuple):
    """The RMSE on a set, and on its molecules on activity cliffs."""

    rmse: float
    cliff_rmse: float


class PublishedAccuracy(NamedTuple):
    """An accuracy in percent, as mean and standard deviation over ten folds."""

    mean: float
    std: float


#: The mean over all 30 sets of MoleculeACE, from https://github.com/JacksonBurns/chemeleon, of a method for which no
#: number by set is at hand.
MEANS_ELSEWHERE: Mapping[str, Errors] = MappingProxyType({"CheMeleon": Errors(0.666, 0.765)})


@functools.cache
def published_errors() -> dict[str, dict[str, Errors]]:
    """Return the errors on MoleculeACE, by method and set."""
    found: dict[str, dict[str, Errors]] = {}
    for line in _lines("moleculeace"):
        name = f"{line['algorithm']} {line['descriptor']}" if line["descriptor"] in _DESCRIPTORS else line["algorithm"]
        errors = Errors(float(line["rmse"]), float(line["cliff_rmse"]))
        found.setdefault(name, {})[line["dataset"]] = errors
    return found


@functools.cache
def published_accuracies() -> dict[str, dict[str, PublishedAccuracy]]:
    """Return the accuracies on the folds of Errica et al., by method and set."""
    found: dict[str, dict[str, PublishedAccuracy]] = {}
    for line in _lines("errica"):
        accuracy = PublishedAccuracy(float(line["mean"]), float(line["std"]))
        found.setdefault(line["method"], {})[line["set"]] = accuracy
    return found


def _lines(name: str) -> Iterator[dict[str, str]]:
    """Yield the lines of a table, without the comments above it."""
    file = resources.files("wassergraph.reproduction.others").joinpath(f"{name}.csv")
    lines = file.read_text(encoding="utf-8").splitlines()
    yield from csv.DictReader(line for line in lines if not line.startswith("#"))
