"""Results on benchmarks as files: one for each method on each split of a set."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from wassergraph.errors import InputError
from wassergraph.files.provenance import Provenance
from wassergraph.reproduction.others.benchmarks import ENTRIES, OTHERS, BenchmarkEntry
from wassergraph.reproduction.results import write_fields

_SIZES, _PARTS = ("n_train", "n_test", "n_cliffs"), ("scores", "parameters", "seconds")


@dataclass(frozen=True)
class EntryResult:
    """The result of a method on a split.

    Attributes
    ----------
    entry : BenchmarkEntry
        What was run.
    n_train, n_test, n_cliffs : int
        The numbers of examples, and of those among the test examples that are on activity cliffs.
    scores : dict
        The measures of the predictions for the test part by name; None where one is not defined.
    parameters : dict
        What was chosen on the training part.
    seconds : dict of float
        The time of each step.
    provenance : Provenance
        The commit and the versions that computed the result.
    """

    entry: BenchmarkEntry
    n_train: int
    n_test: int
    n_cliffs: int
    scores: Mapping[str, float | None]
    parameters: Mapping[str, Any]
    seconds: Mapping[str, float]
    provenance: Provenance

    def to_dict(self) -> dict[str, Any]:
        """Return all fields as one dictionary, ready for JSON."""
        own = {name: getattr(self, name) for name in (*_SIZES, *_PARTS)}
        return {**self.entry._asdict(), **own, **asdict(self.provenance)}

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> EntryResult:
        """Return the result that :meth:`to_dict` wrote."""
        entry = BenchmarkEntry(*(content[name] for name in BenchmarkEntry._fields))
        if entry not in ENTRIES:
            raise LookupError(str(entry))
        scores, parameters, seconds = (dict(content[name]) for name in _PARTS)
        n_train, n_test, n_cliffs = (int(content[name]) for name in _SIZES)
        provenance = Provenance(content["commit"], dict(content["versions"]))
        return cls(entry, n_train, n_test, n_cliffs, scores, parameters, seconds, provenance)


def write_entry(results: Path, result: EntryResult) -> None:
    """Write a result into the folder of all results, completely or not at all."""
    write_fields(result.entry.path(results), result.to_dict())


def read_entries(results: Path) -> list[EntryResult]:
    """Read all results on benchmarks, in the order in which they are run.

    Raises
    ------
    ValueError
        If a JSON file is not such a result, or its place does not agree with its content.
    """
    found = [_read(path, results) for path in sorted((results / OTHERS).rglob("*.json"))]
    return sorted(found, key=lambda result: ENTRIES.index(result.entry))


def _read(path: Path, results: Path) -> EntryResult:
    try:
        result = EntryResult.from_dict(json.loads(path.read_text(encoding="utf-8")))
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        remedy = "remove it and run the experiment again"
        raise InputError("this is not a result on a benchmark", remedy=remedy, file=path) from error
    expected = result.entry.path(results)
    if path != expected:
        raise InputError(f"this is the result of {result.entry}", remedy=f"move it to {expected}", file=path)
    return result
