"""Standardize molecules by RDKit when they are read: largest fragment, neutral form, canonical tautomer."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import reduce
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

import numpy as np
from scipy.sparse.csgraph import connected_components

from wassergraph.arrays import IntArray
from wassergraph.errors import InputError, Option, UnusedDataWarning
from wassergraph.graphs.batch import GraphBatch
from wassergraph.graphs.invariants import count

if TYPE_CHECKING:
    from rdkit import Chem

#: What can be done with a molecule, in the order in which it is.
MoleculeStep: TypeAlias = Literal["fragment", "neutral", "tautomer"]
MoleculeSteps: TypeAlias = MoleculeStep | Literal["all"] | Iterable[MoleculeStep]
#: What changes a molecule, whose position is named in errors.
Standardizer: TypeAlias = "Callable[..., Chem.Mol]"


def read_steps(steps: MoleculeSteps) -> tuple[MoleculeStep, ...]:
    """Return the steps of a standardization, in their order; raise an error if one is not known.

    Examples
    --------
    >>> read_steps("all"), read_steps(["neutral", "fragment"]), read_steps(())
    (('fragment', 'neutral', 'tautomer'), ('fragment', 'neutral'), ())
    """
    known: tuple[MoleculeStep, ...] = get_args(MoleculeStep)
    given = list(known if steps == "all" else [steps] if isinstance(steps, str) else steps)
    for step in given:
        if step not in known:
            problem = f'{{}} must be among {", ".join(map(repr, known))}, or "all", got {step!r}'
            raise InputError(problem, options=[Option("standardize_molecules")])
    return tuple(step for step in known if step in given)


def standardizer(steps: MoleculeSteps) -> Standardizer | None:
    """Return what standardizes molecules by some steps; None if there are none.

    Examples
    --------
    >>> from rdkit import Chem
    >>> standardize = standardizer(["fragment", "neutral"])
    >>> Chem.MolToSmiles(standardize(Chem.MolFromSmiles("CC[NH3+].[Cl-]")))
    'CCN'
    """
    chosen = read_steps(steps)
    if not chosen:
        return None
    from rdkit.Chem.MolStandardize import rdMolStandardize

    makers: dict[MoleculeStep, Callable[[], Callable[[Chem.Mol], Chem.Mol]]] = {
        # A counter-ion such as perchlorate may have more atoms than a small base.
        "fragment": lambda: rdMolStandardize.LargestFragmentChooser(preferOrganic=True).choose,
        "neutral": lambda: rdMolStandardize.Uncharger().uncharge,
        "tautomer": lambda: rdMolStandardize.TautomerEnumerator().Canonicalize,
    }
    made = [makers[step]() for step in chosen]

    def standardize(molecule: Chem.Mol, position: int | None = None) -> Chem.Mol:
        try:
            return reduce(lambda changed, step: step(changed), made, molecule)
        except (RuntimeError, ValueError) as error:
            problem = f"the molecule cannot be standardized ({' '.join(str(error).split())})"
            raise InputError(problem, remedy="complete it with Chem.SanitizeMol", graph=position) from error

    return standardize


def count_fragments(graphs: GraphBatch) -> IntArray:
    """Return the number of fragments of each molecule: of the parts that no bond joins.

    Examples
    --------
    >>> import wassergraph as wg
    >>> count_fragments(wg.from_smiles(["CCN", "CCN.Cl"])).tolist()
    [1, 2]
    """
    fragments, first = np.unique(connected_components(graphs.adjacency(), directed=False)[1], return_index=True)
    return np.bincount(graphs.graph_of_node[first], minlength=len(graphs)) if len(fragments) else np.zeros(0, dtype=int)


def several_fragments(graphs: GraphBatch) -> UnusedDataWarning | None:
    """Return how many molecules consist of several fragments, and how to read one of them; None if there are none.

    Examples
    --------
    >>> import wassergraph as wg
    >>> print(several_fragments(wg.from_smiles(["CCN", "CCN.Cl"])))
    1 of 2 molecules has several fragments, each of which counts in distances; pass \
standardize_molecules="fragment" to keep the largest
    """
    several = int(np.count_nonzero(count_fragments(graphs) > 1)) if graphs.molecules else 0
    if not several:
        return None
    return UnusedDataWarning(
        f"{several:,} of {count(len(graphs), 'molecule')} {'has' if several == 1 else 'have'} several fragments, "
        "each of which counts in distances",
        remedy="pass {} to keep the largest",
        options=[Option("standardize_molecules", "fragment")],
    )
