"""What the compiled core gets from Python: arrays in tuples whose fields it knows by name.

    layout.py       the tuples, and how arrays are laid out
    solvers.py      transport for given costs
    status.py       the status codes of solvers that fail

The core takes arrays, and checks them. It releases the global lock of Python, so that threads run in parallel. Failures
of solvers are returned as status codes, never raised. :mod:`wassergraph.distances.solve` chooses the solver.
"""
