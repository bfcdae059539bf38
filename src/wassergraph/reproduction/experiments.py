"""Which methods are run on which data sets: the tables of the paper, and other readings of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from wassergraph.errors import InputError, Option
from wassergraph.reproduction.duplicates import DEDUPLICATED
from wassergraph.reproduction.others.benchmarks import ENTRY_NAMES
from wassergraph.reproduction.paper import TABLES
from wassergraph.reproduction.results import Key
from wassergraph.reproduction.setups import SETUPS


def _attributes(method: str, *datasets: str) -> list[Key]:
    return [Key(dataset, method, "continuous") for dataset in datasets]


def _labels(method: str, *datasets: str) -> list[Key]:
    return [Key(dataset, method, "categorical") for dataset in datasets]


_MOLECULES = ("BZR", "COX2", "BZR_MD", "COX2_MD")

#: Other readings of the paper, on data sets where they may matter.
VARIANT_KEYS: tuple[Key, ...] = (
    *_attributes("wwl+svc", "ENZYMES", *_MOLECULES),
    *_attributes("wwl+ranges", "BZR", "COX2", "COX2_MD", "SYNTHETICnew"),
    *_attributes("wwl+standardized", "BZR", "COX2", "SYNTHETICnew", "IMDB-BINARY"),
    *_attributes("wwl+raw", "BZR_MD", "COX2_MD", "Synthie"),
    *_attributes("wwl+keep", "ENZYMES", "BZR", "COX2_MD", "SYNTHETICnew", "Synthie"),
    *_attributes("wwl+joint", "ENZYMES", "BZR", "COX2"),
    *_attributes("vh-c+depths", "IMDB-BINARY", *_MOLECULES, "SYNTHETICnew", "Synthie"),
    *_attributes("vh-c+standardized", "IMDB-BINARY", "SYNTHETICnew"),
    *_attributes("gh+unnormalized", *_MOLECULES, "SYNTHETICnew"),
    *_attributes("rbf-wl+normalized", *_MOLECULES, "SYNTHETICnew"),
    *_attributes("rbf-wl+columns", "ENZYMES", "PROTEINS_full", "BZR_MD", "COX2_MD"),
    *_attributes("hgk-wl+results", "BZR", "COX2_MD"),
    *_attributes("hgk-sp+results", "BZR", "COX2_MD"),
    *(
        Key(dataset, f"{method}+gaussian", "categorical")
        for dataset in ("PROTEINS", "MUTAG", "PTC_MR", "ENZYMES", "DD")
        for method in ("v", "e")
    ),
    *_labels("e+gaussian", "NCI1"),
    *_labels("v+normalized", "MUTAG", "PTC_MR"),
    *_labels("wl+normalized", "MUTAG", "PTC_MR"),
    *_labels("wl-oa+normalized", "MUTAG", "PTC_MR"),
    *_labels("wwl+edge-labels", "MUTAG", "PTC_MR"),
    *_labels("wl+edge-labels", "MUTAG", "PTC_MR"),
    *_labels("wl-oa+edge-labels", "MUTAG", "PTC_MR"),
    *_attributes("wwl", "PROTEINS"),
)


#: Sets with isolated nodes, which the published files leave out. On the others labels are as in the paper.
_WITH_ISOLATED_NODES = ("NCI1", "PROTEINS", "ENZYMES", "PROTEINS_full", "Synthie")
#: The set whose only attribute is the degree, which is in its place in any order of the nodes.
_DEGREES_ONLY = "IMDB-BINARY"
#: How the code around the paper may be read, by method: the variants of a method beside the method itself.
_READINGS = {"vh-c": ("columns+standardized",), "rbf-wl": ("columns",), "hgk-sp": ("all-pairs", "all-pairs+results")}


def published_readings(key: Key) -> tuple[Key, ...]:
    """Return what a cell of the paper may have been computed from, as far as it differs from what the paper describes.

    Parameters
    ----------
    key : Key
        A cell of tables 1 to 3.

    Returns
    -------
    tuple of Key
        Variants on the graphs as the authors published them, see :mod:`wassergraph.reproduction.published_files`:
        edges labeled by degree for E; for all others nodes without isolated ones, and attributes in the order of the
        file. Then the same with other readings of the method.
    """
    dataset, method, kind = key
    if method == "e":
        return (Key(dataset, "e+degree", kind),)
    fewer_nodes = dataset in _WITH_ISOLATED_NODES
    misplaced = kind == "continuous" and dataset != _DEGREES_ONLY
    suffix = "+as-published" if fewer_nodes or misplaced else ""
    changed = fewer_nodes or (misplaced and method != "vh-c")  # a sum of attributes does not depend on their places
    names = [f"{method}{suffix}"] if changed else []
    names += [f"{method}+{reading}{suffix}" for reading in _READINGS.get(method, ())]
    return tuple(Key(dataset, name, kind) for name in names)


def table_keys(number: int) -> list[Key]:
    """Return the cells of a table, WWL on all data sets first."""
    return sorted(TABLES[number - 1].keys, key=lambda key: key.method != "wwl")


#: Sets and kinds whose accuracies were looked at while the wide search was designed.
DESIGNED_ON: frozenset[tuple[str, str]] = frozenset(
    [
        *((dataset, "categorical") for dataset in ("MUTAG", "PTC_MR", "ENZYMES")),
        *((dataset, "continuous") for dataset in ("ENZYMES", *_MOLECULES, "SYNTHETICnew")),
    ]
)
#: The experiment with entropic distances.
SINKHORN_KEYS: tuple[Key, ...] = (Key("ENZYMES", "wwl-sinkhorn", "continuous"),)
#: The tables on the graphs as the authors published them; the largest set last.
PUBLISHED_KEYS: tuple[Key, ...] = tuple(
    sorted(
        (reading for number in (3, 2, 1) for key in table_keys(number) for reading in published_readings(key)),
        key=lambda key: (key.dataset == "NCI1", "results" in key.method),
    )
)
#: All cells of the paper.
PAPER_KEYS: tuple[Key, ...] = (*table_keys(1), *table_keys(2), *table_keys(3), *SINKHORN_KEYS)

#: The sets and kinds of tables 1 to 3, those that are quick to compute first, and the method other than WWL that is the
#: best there according to our results.
BEST_COMPARISONS: dict[tuple[str, str], str] = {
    ("MUTAG", "categorical"): "wl",
    ("PTC_MR", "categorical"): "wl-oa",
    ("BZR_MD", "continuous"): "hgk-wl",
    ("COX2_MD", "continuous"): "hgk-wl",
    ("BZR", "continuous"): "hgk-sp",
    ("COX2", "continuous"): "gh",
    ("SYNTHETICnew", "continuous"): "hgk-wl",
    ("Synthie", "continuous"): "rbf-wl",
    ("IMDB-BINARY", "continuous"): "hgk-wl",
    ("ENZYMES", "categorical"): "wl-oa",
    ("ENZYMES", "continuous"): "rbf-wl",
    ("PROTEINS", "categorical"): "wl-oa",
    ("PROTEINS_full", "continuous"): "hgk-sp",
    ("DD", "categorical"): "wl-oa",
    ("NCI1", "categorical"): "wl-oa",
}
#: Those of them in which graphs are equal, according to results/duplicates.csv.
WITH_DUPLICATES = frozenset(
    {
        *((dataset, "categorical") for dataset in ("MUTAG", "PTC_MR", "ENZYMES", "PROTEINS", "NCI1")),
        ("IMDB-BINARY", "continuous"),
    }
)
#: The wide search in place of the paper's.
WIDE = "wwl-wide"


def deduplicated_keys(dataset: str, kind: str) -> tuple[Key, Key, Key]:
    """Return WWL, WWL with the wide search and the best comparison kernel, on a data set without duplicates."""
    plain, wide, other = (
        Key(dataset, f"{method}+{DEDUPLICATED}", kind) for method in ("wwl", WIDE, BEST_COMPARISONS[dataset, kind])
    )
    return plain, wide, other


#: The wide search on all sets, then what is repeated without duplicates.
BEYOND_KEYS: tuple[Key, ...] = (
    *(Key(dataset, WIDE, kind) for dataset, kind in BEST_COMPARISONS),
    *(key for pair in BEST_COMPARISONS if pair in WITH_DUPLICATES for key in deduplicated_keys(*pair)),
)

_DATASETS = frozenset(dataset for dataset, _ in SETUPS)


def check_names(names: Iterable[str]) -> None:
    """Raise an error unless all names are data sets or methods of the experiments, or benchmarks."""
    all_keys = (*PAPER_KEYS, *VARIANT_KEYS, *PUBLISHED_KEYS, *BEYOND_KEYS)
    known = {name for key in all_keys for name in (key.dataset, key.method)} | ENTRY_NAMES
    unknown = [name for name in names if name not in known]
    if unknown:
        problem = f"{{}} must name data sets or methods of the experiments, got {unknown[0]!r}"
        raise InputError(problem, remedy=f"choose from {', '.join(sorted(known))}", options=[Option("only")])


def select(keys: Iterable[Key], names: Sequence[str]) -> list[Key]:
    """Return the cells whose data set is named, if data sets are, and whose method is named, if methods are."""
    methods = set(names) - _DATASETS
    return [key for key in keys if is_selected(key.dataset, names) and (not methods or key.method in methods)]


def is_selected(dataset: str, names: Sequence[str]) -> bool:
    """Return whether a data set is named, or none is."""
    datasets = _DATASETS & set(names)
    return not datasets or dataset in datasets
