"""The numeric core: compute distances of blocks of pairs of embedded graphs.

    solvers.py      everything but the search, as it is called from Python
    layout.py       how arrays are laid out             tasks.py      what compiled functions get, and their memory
    native.py       machine code on disk                compiler.py   how it is made
    compiled.py     how compiled functions call each other
    lanes.py        eight floats at once
    ground.py       ground costs between the nodes of two graphs
    simplex.py      the network simplex: trees          pivots.py     and pivots, of small and of large trees
    exact.py        exact distances of a block of pairs, all depths with warm starts
    sinkhorn.py     entropic distances, in the kernel domain
    lines.py        transport on lines, by sorting
    tree.py         categorical distances, in closed form
    numbering.py    numbers for codes, and how often they occur
    searching.py    the search, as it is called from Python
    search_tasks.py what its compiled functions get     pair_solver.py  the exact solver as the search calls it
    nearest.py      looks at graphs, until the others are too far away
    bounds.py       lower bounds for it                 quantiles.py  and short vectors, for the first of them
    blocks.py       loops over long arrays, as learning calls them from Python: vector.py, exponential.py
    status.py       the status codes of solvers that fail

Everything takes arrays. Every function releases the global lock of Python, so that threads run in parallel. Failures
are returned as status codes, never raised. :mod:`wassergraph.distances.solve` chooses the solver.
"""
