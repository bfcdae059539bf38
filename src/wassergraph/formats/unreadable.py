"""Molecules that cannot be read: why, and how to say so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeGuard

from wassergraph.errors import InputError, Option
from wassergraph.formats.sdf import SdfRecord

if TYPE_CHECKING:
    from rdkit import Chem

#: The number of unreadable molecules that a message shows, and of characters that it quotes.
_SHOWN, _QUOTED = 10, 80


class Unreadable(NamedTuple):
    """A molecule that cannot be read: what was given, and why it is no molecule."""

    value: object
    reason: str

    def __str__(self) -> str:
        return f"{self.quoted} cannot be read as a molecule ({self.reason})"

    @property
    def quoted(self) -> str:
        """What was given, shortened; the name of a record of an SDF file."""
        text = repr(self.value.name if isinstance(self.value, SdfRecord) else self.value)
        return text if len(text) <= _QUOTED else f"{text[:_QUOTED]}…"


def is_readable(molecule: object) -> TypeGuard[Chem.Mol]:
    """Return whether something is an RDKit molecule that has atoms."""
    from rdkit import Chem

    return isinstance(molecule, Chem.Mol) and molecule.GetNumAtoms() > 0


def why_unreadable(origin: object, molecule: object) -> str:
    """Return why something is not a molecule."""
    from rdkit import Chem

    if isinstance(molecule, Chem.Mol):
        return "it is empty" if origin == "" else "it has no atoms"
    if isinstance(origin, SdfRecord) and not origin.complete:
        return "the record has no end: the file was probably cut off"
    if isinstance(origin, str) and len(origin.splitlines()) > 1:
        return "it has a line break"
    if isinstance(origin, str):
        return _problem(Chem.MolFromSmiles(origin, sanitize=False), "it is not a SMILES string")
    if isinstance(origin, SdfRecord):
        return _problem(Chem.MolFromMolBlock(origin.block, sanitize=False), "it is not a MOL block")
    return "RDKit could not read it" if origin is None else f"its type is {type(origin).__name__}"


def _problem(molecule: Chem.Mol | None, otherwise: str) -> str:
    """Return the first chemical problem of a molecule that was read without checks; ``otherwise`` if it was not."""
    from rdkit import Chem

    problems = [] if molecule is None else Chem.DetectChemistryProblems(molecule)
    return problems[0].Message() if problems else otherwise


def check_readable(unreadable: Mapping[int, Unreadable], alternative: Sequence[Option] = ()) -> None:
    """Raise an error about molecules that cannot be read, by position.

    Parameters
    ----------
    unreadable : dict of Unreadable
        The molecules, by position.
    alternative : sequence of Option
        The parameter that leaves them out, if there is one.
    """
    if not unreadable:
        return
    (first, problem), *others = unreadable.items()
    hidden = len(unreadable) - _SHOWN
    more = f" ({len(unreadable)} molecules, of which {_SHOWN} are shown)" if hidden > 0 else ""
    raise InputError(
        str(problem),
        remedy=f"correct or remove such molecules{more}{', or pass {}' if alternative else ''}",
        options=alternative,
        graph=first,
        also=[(position, other.quoted) for position, other in others[: _SHOWN - 1]],
    )


def describe_skipped(
    unreadable: Mapping[int, Unreadable],
    n_molecules: int,
    *,
    outcome: str = "left out",
    where: str = "at position",
) -> str:
    """Return a sentence about molecules that cannot be read.

    Parameters
    ----------
    unreadable : dict of Unreadable
        The molecules, by position or by line.
    n_molecules : int
        The number of all molecules.
    outcome : str
        What is done with them.
    where : str
        What their numbers are.

    Returns
    -------
    str
    """
    shown = [f"{position} ({each.quoted}: {each.reason})" for position, each in unreadable.items()][:_SHOWN]
    more = f" and {len(unreadable) - _SHOWN:,} more" if len(unreadable) > _SHOWN else ""
    molecules = f"{len(unreadable):,} of {n_molecules:,} molecule{'' if n_molecules == 1 else 's'} cannot be read and"
    return f"{molecules} {'is' if len(unreadable) == 1 else 'are'} {outcome}, {where} {', '.join(shown)}{more}"
