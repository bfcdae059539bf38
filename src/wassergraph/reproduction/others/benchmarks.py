"""Which benchmarks there are, which sets they have, and what is run on them in which order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

#: The folder of these results, in the folder of all results.
OTHERS = "others"
#: Our models with their defaults, and what is run beside them on molecules.
OURS = "ours"
REFERENCES = ("tanimoto-gp", "morgan-rf", "descriptors-rf", "weight")


@dataclass(frozen=True)
class Benchmark:
    """A collection of sets with given splits.

    Attributes
    ----------
    name : str
        The name of its folder.
    title : str
        What it is called.
    sets : tuple of str
        Its sets, those with the fewest graphs first.
    methods : tuple of str
        What is run on them.
    n_folds : int
        The number of splits of each set.
    """

    name: str
    title: str
    sets: tuple[str, ...]
    methods: tuple[str, ...] = (OURS, *REFERENCES)
    n_folds: int = 1

    def entries(self, method: str, sets: Iterable[str] | None = None) -> Iterator[BenchmarkEntry]:
        """Yield what is run of a method on some sets, by default all of them: the folds of the first set first."""
        for name in self.sets if sets is None else sets:
            yield from (BenchmarkEntry(self.name, name, method, fold) for fold in range(self.n_folds))


class BenchmarkEntry(NamedTuple):
    """A method on one split of a set: the smallest piece of work whose result is kept."""

    benchmark: str
    set: str
    method: str
    fold: int = 0

    def __str__(self) -> str:
        fold = f", fold {self.fold}" if BENCHMARKS[self.benchmark].n_folds > 1 else ""
        return f"{self.method} on {self.set}{fold}"

    def path(self, results: Path) -> Path:
        """Return the file of the result, in the folder of all results."""
        folder = results / OTHERS / self.benchmark / self.set
        if BENCHMARKS[self.benchmark].n_folds > 1:
            return folder / self.method / f"{self.fold:02}.json"
        return folder / f"{self.method}.json"

    def is_done(self, results: Path) -> bool:
        """Return whether the result exists."""
        return self.path(results).is_file()


MOLECULEACE = Benchmark(
    "moleculeace",
    "MoleculeACE",
    (
        *("CHEMBL2835_Ki", "CHEMBL2047_EC50", "CHEMBL1871_Ki", "CHEMBL4616_EC50", "CHEMBL4203_Ki", "CHEMBL2034_Ki"),
        *("CHEMBL1862_Ki", "CHEMBL262_Ki", "CHEMBL237_EC50", "CHEMBL4005_Ki", "CHEMBL231_Ki", "CHEMBL2971_Ki"),
        *("CHEMBL218_EC50", "CHEMBL238_Ki", "CHEMBL3979_EC50", "CHEMBL287_Ki", "CHEMBL2147_Ki", "CHEMBL4792_Ki"),
        *("CHEMBL228_Ki", "CHEMBL239_EC50", "CHEMBL219_Ki", "CHEMBL235_EC50", "CHEMBL236_Ki", "CHEMBL237_Ki"),
        *("CHEMBL204_Ki", "CHEMBL264_Ki", "CHEMBL244_Ki", "CHEMBL233_Ki", "CHEMBL214_Ki", "CHEMBL234_Ki"),
    ),
)
ADME = Benchmark("adme", "ADME", ("rPPB", "hPPB", "Sol", "MDR1_ER", "RLM", "HLM"))
#: PROTEINS has labels alone, as the published methods had; PROTEINS_full also the 29 attributes of its file.
ERRICA = Benchmark(
    "errica",
    "Errica et al.",
    ("ENZYMES", "IMDB-BINARY", "PROTEINS", "PROTEINS_full", "NCI1", "DD"),
    methods=(OURS,),
    n_folds=10,
)
BENCHMARKS = {benchmark.name: benchmark for benchmark in (MOLECULEACE, ADME, ERRICA)}
#: The sets that take longest, which are run last.
_LAST = ("NCI1", "DD")

#: All that is run, in this order.
ENTRIES: tuple[BenchmarkEntry, ...] = (
    *MOLECULEACE.entries(OURS),
    *ADME.entries(OURS),
    *ERRICA.entries(OURS, [name for name in ERRICA.sets if name not in _LAST]),
    *(entry for method in REFERENCES for benchmark in (MOLECULEACE, ADME) for entry in benchmark.entries(method)),
    *ERRICA.entries(OURS, _LAST),
)
#: A quick run has the first fold of these sets.
QUICK_ENTRY_SETS = ("CHEMBL2835_Ki", "rPPB", "IMDB-BINARY")

_PLACES = frozenset(name for entry in ENTRIES for name in (entry.benchmark, entry.set))
#: What a selection may name: benchmarks, sets and methods.
ENTRY_NAMES = _PLACES | {entry.method for entry in ENTRIES}


def select_entries(names: Sequence[str], *, quick: bool = False) -> list[BenchmarkEntry]:
    """Return the entries whose benchmark or set is named, if any are, and whose method is named, if any are."""
    places = _PLACES & set(names)
    methods = set(names) - places
    return [
        entry
        for entry in ENTRIES
        if (not places or places & {entry.benchmark, entry.set})
        and (not methods or entry.method in methods)
        and not (quick and (entry.fold or entry.set not in QUICK_ENTRY_SETS))
    ]
