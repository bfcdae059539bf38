"""The verdict on every cell of the paper: as the paper describes it, and as its files and code are.

    cell, number of the paper ──judge──▶ "reproduced", "above" or "below"
    the same, readings ────────Finding──▶ one of four verdicts

A *reading* is what a cell may have been computed from, if not from what the paper describes: see
:func:`wassergraph.reproduction.experiments.published_readings`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from wassergraph.evaluation.methods import method_title
from wassergraph.reproduction.experiments import published_readings
from wassergraph.reproduction.paper import TABLES, PaperNumber, dataset_title
from wassergraph.reproduction.results import Key
from wassergraph.reproduction.statistics import Cell, verdict

#: Reproduced as the paper describes it.
AS_DESCRIBED = "as described"
#: Not reproduced as the paper describes it, but with one of the readings.
AS_PUBLISHED = "as published"
#: Above the paper as it describes it, and no reading reproduces it.
ABOVE = "above"
#: Below the paper as it describes it, and no reading reproduces it.
OPEN = "open"
#: All verdicts, in the order of the summary.
VERDICTS = (AS_DESCRIBED, AS_PUBLISHED, ABOVE, OPEN)

_OF_THE_FILES = ("as-published", "degree")


@dataclass(frozen=True)
class Finding:
    """A cell of the paper that has results, and what is known about it.

    Attributes
    ----------
    table : int
        The number of the table.
    key : Key
        The method and the data set.
    number : PaperNumber
        The accuracy that the paper prints.
    cell : Cell
        Ours, as the paper describes it.
    readings : dict of Cell
        Ours with the readings that have results, in the order of
        :func:`wassergraph.reproduction.experiments.published_readings`.
    """

    table: int
    key: Key
    number: PaperNumber
    cell: Cell
    readings: Mapping[Key, Cell]

    @property
    def name(self) -> str:
        """The method and the data set, for a list."""
        return f"{method_title(self.key.method)} on {dataset_title(self.key.dataset)}"

    @property
    def described(self) -> str:
        """The verdict as the paper describes it: "reproduced", "above" or "below"."""
        return judge(self.cell, self.number)

    @property
    def reading(self) -> Key | None:
        """The first reading that reproduces the number of the paper, if one does."""
        found = (key for key, cell in self.readings.items() if judge(cell, self.number) == "reproduced")
        return next(found, None)

    @property
    def of_the_files(self) -> Cell | None:
        """Ours on the graphs as published, with the method as the paper describes it; None without a result."""
        return next((cell for key, cell in self.readings.items() if is_of_the_files(key)), None)

    @property
    def verdict(self) -> str:
        """One of :data:`VERDICTS`."""
        if self.described == "reproduced":
            return AS_DESCRIBED
        if self.reading is not None:
            return AS_PUBLISHED
        return ABOVE if self.described == "above" else OPEN


def judge(cell: Cell, number: PaperNumber) -> str:
    """Return the verdict on a cell; if it has one repetition, the standard deviation of the paper is used for it."""
    return verdict(cell.mean, cell.std if cell.repetitions > 1 else number.std, number.mean, number.std)


def make_findings(cells: Mapping[Key, Cell]) -> dict[Key, Finding]:
    """Return what is known about every cell of tables 1 to 3 that has results, in the order of the tables."""
    findings = {}
    for table in TABLES:
        for key in table.keys:
            if key in cells:
                readings = {reading: cells[reading] for reading in published_readings(key) if reading in cells}
                number = table.numbers[key.method, key.dataset]
                findings[key] = Finding(table.number, key, number, cells[key], readings)
    return findings


def is_of_the_files(reading: Key) -> bool:
    """Return whether a reading changes the graphs only, not the method."""
    return reading.method.partition("+")[2] in _OF_THE_FILES


def reading_name(reading: Key) -> str:
    """Return what a reading changes: the variants, without that of the graphs unless there is no other."""
    variants = reading.method.partition("+")[2]
    return variants.removesuffix("+as-published")


def readings_text(finding: Finding) -> str:
    """Return how many readings of a cell have results, and of how many if not all have."""
    n_all, n_tried = len(published_readings(finding.key)), len(finding.readings)
    if n_all == 0:
        return "not affected"
    counted = f"{n_tried}" if n_tried == n_all else f"{n_tried} of {n_all}"
    return f"{counted} {'reading' if n_all == 1 else 'readings'} tried"
