"""The numbers printed in Togninalli et al. (2019): tables 1 to 3, average ranks, and the Sinkhorn experiment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from wassergraph.reproduction.results import Key

#: The names of data sets in the paper, where they are not those of the TU collection. With attributes, its PROTEINS is
#: PROTEINS_full, which has 29 attributes: PROTEINS itself, with one attribute, leads to very different accuracies.
DATASET_TITLES = {
    "PROTEINS_full": "PROTEINS",
    "PTC_MR": "PTC-MR",
    "DD": "D&D",
    "IMDB-BINARY": "IMDB-B",
    "BZR_MD": "BZR-MD",
    "COX2_MD": "COX2-MD",
    "SYNTHETICnew": "SYNTHETIC-new",
}


class PaperNumber(NamedTuple):
    """An accuracy printed in the paper, in percent: mean and standard deviation of ten repetitions, and its marks."""

    mean: float
    std: float
    bold: bool = False
    asterisk: bool = False

    @property
    def text(self) -> str:
        """The mean and the standard deviation, without marks."""
        return f"{self.mean:.2f} ± {self.std:.2f}"


@dataclass(frozen=True)
class PaperTable:
    """One table of the paper.

    Attributes
    ----------
    number : int
        1 to 3; the third is in the appendix.
    caption : str
        What it shows.
    kind : str
        "categorical" (labels) or "continuous" (attributes).
    datasets, methods : tuple of str
        The columns and rows, in the order of the paper.
    numbers : dict
        The printed accuracy of every (method, data set).
    ranks : dict
        The average ranks of methods that the text of the paper gives: only for table 2, and without GH.
    """

    number: int
    caption: str
    kind: str
    datasets: tuple[str, ...]
    methods: tuple[str, ...]
    numbers: Mapping[tuple[str, str], PaperNumber]
    ranks: Mapping[str, float]

    @property
    def name(self) -> str:
        """The name of the table on the command line."""
        return f"table{self.number}"

    @property
    def keys(self) -> list[Key]:
        """The cells of the table, data set by data set."""
        return [Key(dataset, method, self.kind) for dataset in self.datasets for method in self.methods]


def dataset_title(dataset: str) -> str:
    """Return the name of a data set in the paper."""
    return DATASET_TITLES.get(dataset, dataset)


def _table(
    number: int,
    caption: str,
    kind: str,
    datasets: tuple[str, ...],
    rows: Mapping[str, list[tuple[float, float]]],
    bold: Mapping[str, tuple[str, ...]],
    asterisks: Mapping[str, str],
    ranks: Mapping[str, float] | None = None,
) -> PaperTable:
    """Return a table of the numbers of every method by data set, and which of them are marked."""
    numbers = {
        (method, dataset): PaperNumber(mean, std, method in bold[dataset], asterisks.get(dataset) == method)
        for method, row in rows.items()
        for dataset, (mean, std) in zip(datasets, row, strict=True)
    }
    return PaperTable(number, caption, kind, datasets, tuple(rows), numbers, ranks or {})


_DATASETS_1 = ("MUTAG", "PTC_MR", "NCI1", "PROTEINS", "DD", "ENZYMES")
_DATASETS_2 = ("ENZYMES", "PROTEINS_full", "IMDB-BINARY", "BZR", "COX2", "BZR_MD", "COX2_MD")
_DATASETS_3 = ("Synthie", "SYNTHETICnew")

# fmt: off
_ROWS_1 = {
    "v":     [(85.39, 0.73), (58.35, 0.20), (64.22, 0.11), (72.12, 0.19), (78.24, 0.28), (22.72, 0.56)],
    "e":     [(84.17, 1.44), (55.82, 0.00), (63.57, 0.12), (72.18, 0.42), (75.49, 0.21), (21.87, 0.64)],
    "wl":    [(85.78, 0.83), (61.21, 2.28), (85.83, 0.09), (74.99, 0.28), (78.29, 0.30), (53.33, 0.93)],
    "wl-oa": [(87.15, 1.82), (60.58, 1.35), (86.08, 0.27), (76.37, 0.30), (79.15, 0.33), (58.97, 0.82)],
    "wwl":   [(87.27, 1.50), (66.31, 1.21), (85.75, 0.25), (74.28, 0.56), (79.69, 0.50), (59.13, 0.80)],
}
_ROWS_2 = {
    "vh-c":   [(47.15, 0.79), (60.79, 0.12), (71.64, 0.49), (74.82, 2.13), (48.51, 0.63), (66.58, 0.97), (64.89, 1.06)],
    "rbf-wl": [(68.43, 1.47), (75.43, 0.28), (72.06, 0.34), (80.96, 1.67), (75.45, 1.53), (69.13, 1.27), (71.83, 1.61)],
    "hgk-wl": [(63.04, 0.65), (75.93, 0.17), (73.12, 0.40), (78.59, 0.63), (78.13, 0.45), (68.94, 0.65), (74.61, 1.74)],
    "hgk-sp": [(66.36, 0.37), (75.78, 0.17), (73.06, 0.27), (76.42, 0.72), (72.57, 1.18), (66.17, 1.05), (68.52, 1.00)],
    "gh":     [(65.65, 0.80), (74.78, 0.29), (72.35, 0.55), (76.49, 0.99), (76.41, 1.39), (69.14, 2.08), (66.20, 1.05)],
    "wwl":    [(73.25, 0.87), (77.91, 0.80), (74.37, 0.83), (84.42, 2.03), (78.29, 0.47), (69.76, 0.94), (76.33, 1.02)],
}
_ROWS_3 = {
    "vh-c":   [(27.51, 0.00), (60.60, 1.60)],
    "rbf-wl": [(94.43, 0.55), (86.37, 1.37)],
    "hgk-wl": [(81.94, 0.40), (95.96, 0.25)],
    "hgk-sp": [(85.82, 0.28), (80.43, 0.71)],
    "gh":     [(83.73, 0.81), (88.83, 1.42)],
    "wwl":    [(96.04, 0.48), (86.77, 0.98)],
}
# fmt: on

_BOLD_1 = {
    "MUTAG": ("wl-oa", "wwl"),
    "PTC_MR": ("wwl",),
    "NCI1": ("wl-oa",),
    "PROTEINS": ("wl-oa",),
    "DD": ("wwl",),
    "ENZYMES": ("wl-oa", "wwl"),
}
_BOLD_2 = dict.fromkeys(_DATASETS_2, ("wwl",)) | {
    "COX2": ("hgk-wl", "wwl"),
    "BZR_MD": ("rbf-wl", "hgk-wl", "gh", "wwl"),
}
_BOLD_3 = {"Synthie": ("wwl",), "SYNTHETICnew": ("hgk-wl",)}

_ASTERISKS_1 = {"PTC_MR": "wwl", "PROTEINS": "wl-oa"}
_ASTERISKS_2 = dict.fromkeys(("ENZYMES", "PROTEINS_full", "IMDB-BINARY", "BZR"), "wwl")
_ASTERISKS_3 = {"Synthie": "wwl", "SYNTHETICnew": "hgk-wl"}

_RANKS_2 = {"wwl": 1.0, "hgk-wl": 2.86, "rbf-wl": 3.29, "hgk-sp": 4.14, "vh-c": 5.86}

_CAPTION_1 = "graphs with categorical node labels"
_CAPTION_2 = "graphs with continuous node attributes, edge weights, or both"
_CAPTION_3 = "synthetic graphs with continuous node attributes (the appendix)"

TABLES = (
    _table(1, _CAPTION_1, "categorical", _DATASETS_1, _ROWS_1, _BOLD_1, _ASTERISKS_1),
    _table(2, _CAPTION_2, "continuous", _DATASETS_2, _ROWS_2, _BOLD_2, _ASTERISKS_2, _RANKS_2),
    _table(3, _CAPTION_3, "continuous", _DATASETS_3, _ROWS_3, _BOLD_3, _ASTERISKS_3),
)

#: The accuracy on ENZYMES with entropic distances; the regularization was chosen in the folds, too.
SINKHORN = PaperNumber(72.08, 0.93)
#: The regularizations that the paper chose from, and those that it reports as chosen most often; 0.3 is not among the
#: former.
SINKHORN_GRID = (0.01, 0.05, 0.1, 0.2, 0.5, 1.0, 10.0)
SINKHORN_CHOSEN = (0.3, 0.5, 1.0)
