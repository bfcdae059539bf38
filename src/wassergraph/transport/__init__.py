"""The numeric core, in numba: compute distances of blocks of pairs of embedded graphs.

    ground.py     ground costs between the nodes of two graphs
    simplex.py    the network simplex, for very many small dense problems
    exact.py      exact distances of a block of pairs, all depths with warm starts
    sinkhorn.py   entropic distances, in the log domain
    lines.py      transport on lines, by sorting
    tree.py       categorical distances, in closed form
    status.py     the status codes of solvers that fail

Everything takes and returns arrays. Every function releases the global lock of Python, so that threads run in parallel.
Failures are returned as status codes, never raised. :mod:`wassergraph.distances.solve` chooses the solver.
"""
