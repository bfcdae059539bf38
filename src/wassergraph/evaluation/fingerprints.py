"""Fingerprints: what is compared in place of the graphs of molecules. It needs RDKit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wassergraph.formats.molecule_groups import morgan_counts


@dataclass(frozen=True, eq=False)
class Fingerprints:
    """The fingerprints of molecules, which take the place of their graphs.

    Attributes
    ----------
    counts : (n_molecules, n_bits) integers
        How often each neighborhood of an atom, hashed to a bit, is in a molecule.
    """

    counts: NDArray[np.uint16]

    @classmethod
    def of(cls, molecules: Any) -> Fingerprints:
        """Compute the fingerprints of SMILES strings or RDKit molecules."""
        return cls(morgan_counts(molecules))

    def __len__(self) -> int:
        return len(self.counts)

    def __getitem__(self, positions: Any) -> Fingerprints:
        return Fingerprints(self.counts[positions])
