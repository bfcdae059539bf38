"""The numeric core: blocks of pairs of embedded graphs in, distances out, in numba.

    embedding          solver          goes to       because
    ────────────────   ─────────────   ───────────   ──────────────────────────────────────────────────────────────────
    codes              auto, exact     tree.py       labels only ever refine: the Hamming distance is a tree metric, and
                                                     transport on a tree has a closed form
    points, 1 column   auto, exact     sliced.py     on a line, sorting solves it
    points, or both    auto, exact     simplex.py    network simplex; a tree found at one depth starts the next
    anything           sinkhorn        sinkhorn.py   entropic, in the log domain
    points             sliced          sliced.py     mean over random lines

Ground costs for the last three come from ground.py. Everything here is arrays in, arrays out; every function releases
the GIL, so that plain threads work in parallel. Status codes are returned, never raised.
"""
