"""Descriptors of molecules: numbers such as the molecular weight, which RDKit computes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from wassergraph.errors import InputError
from wassergraph.formats.detect import as_molecules
from wassergraph.graphs.columns import GraphColumns
from wassergraph.optional import require

#: The number of names that a message lists.
_LISTED = 5


def descriptors(molecules: Any, names: Sequence[str] | None = None) -> GraphColumns:
    """Compute RDKit's descriptors of molecules, such as their weight, logP and polar surface.

    Parameters
    ----------
    molecules : SMILES strings or RDKit molecules, one or several
        The molecules.
    names : sequence of str, optional
        Which descriptors, by the names of ``rdkit.Chem.Descriptors.descList``; by default all of this list.

    Returns
    -------
    GraphColumns
        Their names and numbers, to pass as ``columns`` to models, which leave out those that are not numbers for some
        training molecules, and those that are the same for all.

    See Also
    --------
    GraphRegressor : its method ``fit`` takes them beside the graphs

    Examples
    --------
    >>> import wassergraph as wg
    >>> found = wg.datasets.descriptors(["CCO", "c1ccccc1O"], ["MolLogP", "NumHDonors"])
    >>> found.names, found.values.round(2).tolist()
    (('MolLogP', 'NumHDonors'), [[-0.0, 1.0], [1.39, 1.0]])
    """
    listed = as_molecules(molecules)
    require("rdkit")
    from rdkit import rdBase
    from rdkit.Chem import Descriptors

    known: dict[str, Callable[[Any], float]] = dict(Descriptors.descList)
    chosen = tuple(known) if names is None else tuple(names)
    unknown = [name for name in chosen if name not in known]
    if unknown:
        more = f" and {len(unknown) - _LISTED} more" if len(unknown) > _LISTED else ""
        problem = f"RDKit {rdBase.rdkitVersion} has no descriptor {', '.join(map(repr, unknown[:_LISTED]))}{more}"
        raise InputError(problem, remedy="use the version of RDKit that the model was trained with")
    with rdBase.BlockLogs():  # a descriptor that has no value is NaN
        values = [[_number(known[name], molecule) for name in chosen] for molecule in listed]
    array = np.array(values, dtype=np.float64).reshape(len(listed), len(chosen))
    return GraphColumns(array, chosen, np.ones(len(chosen), dtype=np.bool_))


def _number(descriptor: Callable[[Any], float], molecule: Any) -> float:
    """Return a descriptor of a molecule, NaN if it is no finite number."""
    try:
        value = float(descriptor(molecule))
    except (ArithmeticError, ValueError, RuntimeError):  # what RDKit raises where there is none
        return math.nan
    return value if math.isfinite(value) else math.nan
