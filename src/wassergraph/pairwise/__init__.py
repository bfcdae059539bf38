"""From embeddings to matrices of distances.

    NodeEmbedding ──prepare──▶ Problem ──tiles──▶ TileGrid ──solve, on an engine──▶ values ──▶ a sink: D

    api.py       distances, pair_distances: the public functions
    options.py   the options of the solvers, checked
    prepare.py   embeddings to a Problem, with sides.py, histograms.py, masses.py and scaling.py to pack them
    problem.py   Problem: all data for the solvers, read-only and picklable
    tiles.py     the grid of rectangles; work.py estimates how expensive they are
    solve.py     chooses the solver, and solves a tile or a list of pairs
    compute.py   runs tiles on an engine (wassergraph.parallel) and passes them to a sink (sinks.py)
    foresight.py what distances will take, in time (timing.py, on a sample of pairs) and memory

The comparison kernels of :mod:`wassergraph.baselines` use the same tiles, engine and sinks.
"""
