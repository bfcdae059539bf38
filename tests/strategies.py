"""Random batches for hypothesis."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

import wassergraph as wg

finite = st.floats(-1e6, 1e6, width=64)


@st.composite
def batches(draw, min_graphs: int = 1, max_graphs: int = 5, max_nodes: int = 6):
    """Draw a batch with random edges, self-loops among them, and any combination of data; edge data per direction."""
    sizes = draw(st.lists(st.integers(1, max_nodes), min_size=min_graphs, max_size=max_graphs))
    edges = []
    for n in sizes:
        pairs = draw(st.sets(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), max_size=8))
        edges.append(np.array(sorted(pairs | {(v, u) for u, v in pairs}), dtype=np.int64).reshape(-1, 2))
    rows = {"node": sizes, "edge": [len(pairs) for pairs in edges]}
    width = draw(st.integers(1, 3))
    data = {}
    for name in ("node_labels", "node_attributes", "edge_weights", "edge_labels", "edge_attributes"):
        if draw(st.booleans()):
            counts = rows[name[:4]]
            if name.endswith("labels"):
                data[name] = [draw(npst.arrays(np.int64, n, elements=st.integers(-5, 5))) for n in counts]
            else:
                shapes = [(n, width) if name.endswith("attributes") else (n,) for n in counts]
                data[name] = [draw(npst.arrays(np.float64, shape, elements=finite)) for shape in shapes]
    return wg.from_edges(edges, n_nodes=sizes, **data)
