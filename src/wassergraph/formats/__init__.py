"""The doors for graphs from outside, one small file per world; each ends in :func:`wassergraph.graphs.packing.pack`."""
