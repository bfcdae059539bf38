"""Results as files: one for each repetition of a method on a data set."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

from wassergraph.errors import InputError
from wassergraph.evaluation.repetition import Repetition
from wassergraph.files.atomic import atomic_file
from wassergraph.files.provenance import Provenance, current_provenance
from wassergraph.reproduction.others.benchmarks import OTHERS


class Key(NamedTuple):
    """A method on a data set: one cell of a table."""

    dataset: str
    method: str
    kind: str


@dataclass(frozen=True)
class Run:
    """One repetition of a method on a data set: the smallest piece of work whose result is kept."""

    dataset: str
    method: str
    kind: str
    repetition: int

    def __str__(self) -> str:
        return f"{self.method} on {self.dataset} ({self.kind}), repetition {self.repetition}"

    @property
    def key(self) -> Key:
        """The method and the data set."""
        return Key(self.dataset, self.method, self.kind)

    def path(self, results: Path) -> Path:
        """Return the file of the result, in the folder of all results."""
        return results / self.kind / self.dataset / self.method / f"{self.repetition:02}.json"

    def is_done(self, results: Path) -> bool:
        """Return whether the result exists."""
        return self.path(results).is_file()


@dataclass(frozen=True)
class RunResult:
    """The result of a run.

    Attributes
    ----------
    run : Run
        What was run.
    scores : Repetition
        Accuracies, chosen parameters and times.
    provenance : Provenance
        The commit and the versions that computed them.
    """

    run: Run
    scores: Repetition
    provenance: Provenance

    def to_dict(self) -> dict[str, Any]:
        """Return all fields as one dictionary, ready for JSON."""
        run = {name: getattr(self.run, name) for name in ("dataset", "kind", "method", "repetition")}
        return {**run, **self.scores.to_dict(), **asdict(self.provenance)}

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> RunResult:
        """Return the result that :meth:`to_dict` wrote."""
        run = Run(*(content[name] for name in ("dataset", "method", "kind", "repetition")))
        provenance = Provenance(content["commit"], dict(content["versions"]))
        scores = Repetition.from_dict(content)
        if "accuracy" not in scores.scores:
            raise LookupError("accuracy")
        return cls(run, scores, provenance)


def write_result(results: Path, run: Run, scores: Repetition) -> RunResult:
    """Write the result of a run into the folder of all results, completely or not at all, and return it."""
    result = RunResult(run, scores, current_provenance())
    write_fields(run.path(results), result.to_dict())
    return result


def write_fields(path: Path, fields: Mapping[str, Any]) -> None:
    """Write the fields of a result as JSON, one on each line: small differences in version control."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [f"  {json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}" for name, value in fields.items()]
    with atomic_file(path, "w") as file:
        file.write("{\n" + ",\n".join(lines) + "\n}\n")


def read_results(results: Path) -> list[RunResult]:
    """Read all results of experiments of the paper in a folder, sorted by kind, data set, method and repetition.

    Those on benchmarks that others have set are in a folder of their own, and are not among them.

    Raises
    ------
    ValueError
        If a JSON file is not a result, or its place does not agree with its content.
    """
    paths = sorted(results.rglob("*.json"))
    return [_read(path, results) for path in paths if path.relative_to(results).parts[0] != OTHERS]


def _read(path: Path, results: Path) -> RunResult:
    try:
        result = RunResult.from_dict(json.loads(path.read_text(encoding="utf-8")))
        expected = result.run.path(results)
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        remedy = "remove it and run the experiment again"
        raise InputError("this is not a result of an experiment", remedy=remedy, file=path) from error
    if path != expected:
        raise InputError(f"this is the result of {result.run}", remedy=f"move it to {expected}", file=path)
    return result
