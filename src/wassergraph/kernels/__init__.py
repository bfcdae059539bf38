"""Kernels from distances, and whether a matrix is a kernel at all.

    D ──laplacian_kernel──▶ K ──definiteness──▶ is K positive definite? (for one gamma)
    D ──conditional_definiteness─────────────▶ is exp(-gamma * D) positive definite for every gamma? (Schoenberg)

laplacian      exp(-gamma * D), and the checks of gamma and D
definiteness   eigenvalues of K or D: how many are negative, and how much they weigh
finite         the check that all matrices share: an array of finite real numbers
"""
