"""Kernels from distances, and checks whether they are positive definite.

    D ──laplacian_kernel──▶ K ──definiteness──▶ is K positive definite? (for one gamma)
    D ──conditional_definiteness─────────────▶ is exp(-gamma * D) positive definite for every gamma? (Schoenberg)

laplacian      exp(-gamma * D), and the checks of gamma and D
eigenvalues    definiteness: those of K or D: how many are negative, and how large they are
finite         the check that all matrices share: an array of finite real numbers
"""

from wassergraph.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__)
