"""From embeddings to distances of pairs of graphs.

    NodeEmbedding ──prepare──▶ Problem ──tiles──▶ TileGrid ──solve, on an engine──▶ values ──▶ a sink: D

    api.py       distances, pair_distances: the public functions
    options.py   what is checked before: the type of the result, embeddings against each other
    prepare.py   embeddings to a Problem, with sides.py, histograms.py, masses.py and scaling.py to pack them
    problem.py   Problem: all data for the solvers, read-only and picklable
    tiles.py     the grid of rectangles; work.py estimates how expensive they are
    solve.py     chooses the function of the core, and solves a tile or a list of pairs
    layout.py    the tuples of arrays that the core gets; solvers.py calls it for given costs
    compute.py   runs tiles on an engine (wassergraph.parallel) and passes them to a sink (sinks.py)
    store.py     distances on disk, which fill_store.py begins and continues; recipe.py what they depend on
    foresight.py what distances will take, in time (timing.py, on a sample of pairs) and memory

The comparison kernels of :mod:`wassergraph.baselines` use the same tiles, engine and sinks.
"""
