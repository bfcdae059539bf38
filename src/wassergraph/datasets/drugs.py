"""The embedded data set of well-known drugs.

drugs.csv     name, family, molecular formula and SMILES of each drug: the source, written by hand
drugs.graphs  the graphs that from_smiles makes of it, as an archive of arrays (files/archive.py), so that nobody needs
              RDKit to load them

After a change of drugs.csv, make drugs.graphs again, with RDKit installed:

    python -c "from wassergraph.datasets.drugs import write_graphs; write_graphs()"

SMILES and formulas were written independently of each other; tests/datasets/test_drugs.py compares them, looks for the
scaffold of its family in every drug, and compares the graphs with those of from_smiles.
"""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wassergraph.datasets.reading import ReadingOptions
from wassergraph.datasets.source import Source, TableFacts
from wassergraph.datasets.targets import read_target
from wassergraph.errors import InputError, Option, Place
from wassergraph.files.archive import ArchiveFormat, write_archive
from wassergraph.files.archive_reader import read_archive
from wassergraph.formats.atoms import DEFAULT_PROPERTIES
from wassergraph.formats.rdkit import from_smiles
from wassergraph.graphs.batch import GraphBatch
from wassergraph.graphs.saved_graphs import graph_arrays, read_graphs

#: The name of the data set.
DRUGS = "drugs"
_TABLE = Path(__file__).with_name("drugs.csv")
_GRAPHS = Path(__file__).with_name("drugs.graphs")
_FORMAT = ArchiveFormat(
    name="wassergraph graphs",
    noun="file of graphs",
    header_member="graphs.json",
    version=1,
    remedy="install wassergraph again",
    error=InputError,
)
#: The types of integers in which arrays are stored, the smallest first.
_SMALL = (np.uint8, np.int8, np.uint16, np.int16, np.uint32, np.int32)


class Drugs(NamedTuple):
    """The drugs: their graphs, and what is known of each, in the same order.

    Attributes
    ----------
    graphs : GraphBatch
        The molecules, as :func:`wassergraph.from_smiles` reads them.
    y : (n_drugs) array of str
        The family of each drug.
    names : (n_drugs) array of str
        Its international nonproprietary name, or the name by which everyone knows it.
    smiles : (n_drugs) array of str
        Its SMILES, without stereochemistry.
    formulas : (n_drugs) array of str
        Its molecular formula, in Hill's order.

    See Also
    --------
    datasets.load_drugs : load them

    Examples
    --------
    >>> import wassergraph as wg
    >>> drugs = wg.datasets.load_drugs()
    >>> print(drugs.names[0], drugs.formulas[0])
    benzylpenicillin C16H18N2O4S
    """

    graphs: GraphBatch
    y: NDArray[np.str_]
    names: NDArray[np.str_]
    smiles: NDArray[np.str_]
    formulas: NDArray[np.str_]


def load_drugs() -> Drugs:
    """Load the embedded data set: 152 well-known drugs of eight families, with names; nothing else must be installed.

    Some families share one skeleton (steroids, benzodiazepines, beta-lactams). Others are known by
    what they do in the body, share only a small pattern and resemble each other: antihistamines may look like
    tricyclics, opioids like antihistamines, and many sulfonamides are carboxylic acids, as all of the NSAIDs are. Drugs
    are free acids and bases, without salts.

    Returns
    -------
    Drugs
        ``graphs``, ``y`` (the families), ``names``, ``smiles`` and ``formulas``.

    See Also
    --------
    load_dataset : ``load_dataset("drugs")`` returns graphs and families only.
    from_smiles : Read molecules of your own.

    Examples
    --------
    >>> import wassergraph as wg
    >>> drugs = wg.datasets.load_drugs()
    >>> print(len(drugs.graphs), "drugs with", drugs.graphs.n_nodes, "atoms")
    152 drugs with 3492 atoms
    >>> aspirin = drugs.names.tolist().index("aspirin")
    >>> print(drugs.y[aspirin], drugs.formulas[aspirin], drugs.smiles[aspirin])
    NSAIDs C9H8O4 CC(=O)Oc1ccccc1C(=O)O
    """
    _, rows = _read_table()
    names, families, formulas, smiles = np.array(rows).T
    _, arrays = read_archive(_GRAPHS, _FORMAT)
    graphs = replace(read_graphs(arrays, molecules=True), structures=smiles.tolist())
    graphs = graphs.with_names(node_attributes=DEFAULT_PROPERTIES)
    return Drugs(graphs, families, names, smiles, formulas)


def read_drugs_source(options: ReadingOptions) -> Source:
    """Return the drugs as a table of molecules."""
    columns, rows = _read_table()
    target = options.target
    if target not in (None, "auto", "labels", "family"):
        problem = "{}: the drugs have one class each, their family"
        raise InputError(problem, remedy="remove {}", options=[Option("target", target), Option("target")], file=DRUGS)
    drugs = load_drugs()
    places = [Place(_TABLE.name, line) for line in range(2, len(rows) + 2)]
    return Source(
        graphs=drugs.graphs,
        target=read_target(drugs.y.tolist(), places, name="family", task=options.task),
        names=drugs.names.tolist(),
        columns=columns,
        rows=rows,
        positions=np.arange(len(rows)),
        facts=TableFacts("smiles", "name", len(rows), n_without_target=0, n_unreadable=0),
        molecules=drugs.smiles.tolist(),
    )


def write_graphs() -> None:
    """Make the stored graphs of the table, in the smallest types of integers that hold them."""
    smiles = [row[-1] for row in _read_table()[1]]
    arrays = graph_arrays(replace(from_smiles(smiles), structures=None))  # they are in drugs.csv
    write_archive(_GRAPHS, _FORMAT, {}, {name: _smallest(array) for name, array in arrays.items()})


def _read_table() -> tuple[list[str], list[list[str]]]:
    """Return the columns and the rows of the table."""
    with _TABLE.open(encoding="utf-8", newline="") as file:
        columns, *rows = csv.reader(file)
    return columns, rows


def _smallest(array: NDArray[Any]) -> NDArray[Any]:
    """Return numbers in the smallest type of integers that holds them, or as they are if none does."""
    for dtype in _SMALL:
        limits = np.iinfo(dtype)
        if limits.min <= array.min() and array.max() <= limits.max and not np.any(array % 1):
            return array.astype(dtype)
    return array
