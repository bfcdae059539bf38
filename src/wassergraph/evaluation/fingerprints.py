"""Morgan fingerprints with Tanimoto similarity: the reference that chemists compare methods with. It needs RDKit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from wassergraph.arrays import FloatArray
from wassergraph.learning.molecule_groups import morgan_counts


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


def tanimoto_similarities(counts: NDArray[np.integer]) -> FloatArray:
    """Compute the Tanimoto similarity of all pairs, Σ min(a, b) / Σ max(a, b), a positive definite kernel.

    Parameters
    ----------
    counts : (n, n_bits) integers
        Bits, or counts, of which none is negative.

    Returns
    -------
    (n, n) floats
        Similarities from 0 to 1; that of two rows of zeros is 1.

    Examples
    --------
    >>> tanimoto_similarities(np.array([[2, 0, 1], [1, 1, 1]]))
    array([[1. , 0.5],
           [0.5, 1. ]])
    """
    # A count of 3 is written as 1 1 1 0 …, so that an inner product is the sum of minima.
    levels = [sparse.csr_array(counts >= level, dtype=np.float64) for level in range(1, int(counts.max(initial=0)) + 1)]
    common = sum(((level @ level.T).toarray() for level in levels), start=np.zeros((len(counts), len(counts))))
    sizes = counts.sum(axis=1, dtype=np.float64)
    union = sizes[:, None] + sizes - common
    return np.asarray(np.divide(common, union, out=np.ones_like(common), where=union > 0))
