"""Molecules that cannot be read: why, and how messages name them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from wassergraph.errors import InputError, Option
from wassergraph.formats.sdf import SdfRecord

if TYPE_CHECKING:
    from rdkit import Chem

#: The number of unreadable molecules that a message shows, and of characters that it quotes.
_SHOWN, _QUOTED = 10, 80
#: What no SMILES string contains.
_STRANGE = re.compile(r"[^!-~]")


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


def unreadable_reason(origin: object, molecule: object) -> str:
    """Return why something is not a molecule."""
    from rdkit import Chem

    if isinstance(molecule, Chem.Mol):
        return "it is empty" if origin == "" else "it has no atoms"
    if molecule is not None:
        return f"its type is {type(molecule).__name__}"
    if isinstance(origin, SdfRecord):
        return _record_problem(origin)
    if origin is None:
        return "RDKit could not read it"
    return unread_part(origin) or _problem(Chem.MolFromSmiles(origin, sanitize=False), "it is not a SMILES string")


def unread_part(smiles: object) -> str:
    """Return what RDKit cannot read or would ignore in a SMILES string; empty if there is nothing of the kind."""
    if not isinstance(smiles, str):
        return f"its type is {type(smiles).__name__}"
    if len(smiles.splitlines()) > 1:
        return "it has a line break"
    # What follows a space is a name, in any alphabet. Around the SMILES, RDKit ignores all that is not printable ASCII.
    strange = _STRANGE.search(smiles.split(maxsplit=1)[0]) if smiles.strip() else None
    return f"{strange.group()!r} is not a character of SMILES" if strange else ""


def _record_problem(record: SdfRecord) -> str:
    from rdkit import Chem

    if not record.block.strip():
        return "it is empty"
    if not record.complete:
        return "the record has no end: the file was probably cut off"
    return _problem(Chem.MolFromMolBlock(record.block, sanitize=False), "it is not a MOL block")


def _problem(molecule: Chem.Mol | None, otherwise: str) -> str:
    """Return the first chemical problem of a molecule that was read without checks; ``otherwise`` if it was not."""
    from rdkit import Chem

    problems = [] if molecule is None else Chem.DetectChemistryProblems(molecule)
    return problems[0].Message() if problems else otherwise


def check_readable(unreadable: Mapping[int, Unreadable], how_to_skip: str | None = "pass {}") -> None:
    """Raise an error about molecules that cannot be read, by position.

    ``how_to_skip`` says how to leave them out, with ``{}`` for the option; None if that is not possible.
    """
    if not unreadable:
        return
    (first, problem), *others = unreadable.items()
    hidden = len(unreadable) - _SHOWN
    more = f" ({len(unreadable)} molecules, of which {_SHOWN} are shown)" if hidden > 0 else ""
    raise InputError(
        str(problem),
        remedy=f"correct or remove such molecules{more}" + (f", or {how_to_skip}" if how_to_skip else ""),
        options=[Option("invalid", "skip")] if how_to_skip else [],
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
