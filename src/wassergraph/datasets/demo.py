"""The demo data set: small ring molecules whose classes differ only in the neighborhoods of their atoms."""

from __future__ import annotations

import numpy as np

from wassergraph.arrays import IntArray
from wassergraph.graphs.batch import GraphBatch
from wassergraph.graphs.invariants import check_whole
from wassergraph.graphs.packing import EdgeRules, GraphParts, pack_parts

#: How many ring atoms of one kind follow each other, by class.
RUN_LENGTHS = (1, 2, 4)


def make_demo(n_recipes: int = 20) -> tuple[GraphBatch, IntArray]:
    """Generate the demo data set: three classes of ring molecules with node labels, attributes and edge weights.

    Each recipe yields one graph per class from the same parts: the same atoms with the same labels and attributes, the
    same bonds with the same weights, the same degrees. Only the order of the atoms around the ring differs: kinds 0 and
    1 alternate one by one, two by two or four by four, in large rings with one exchange as noise. No histogram of
    labels, attributes, degrees or weights separates the classes, but one Weisfeiler–Lehman iteration does. The data
    set is the same every time.

    Parameters
    ----------
    n_recipes : int
        The number of graphs per class.

    Returns
    -------
    graphs : GraphBatch
        ``3 * n_recipes`` graphs; node labels 0 and 1 in the ring and 2 outside, two node attributes, edge weights.
    y : (3 * n_recipes) integers
        The class of each graph: 0, 1 or 2.

    See Also
    --------
    load_dataset : read a data set, or this one by the name "demo"
    datasets.make_synthetic_new : variants of one random graph
    datasets.make_synthie : graphs joined from small ones

    Examples
    --------
    >>> import wassergraph as wg
    >>> graphs, y = wg.datasets.make_demo()
    >>> graphs
    GraphBatch(60 graphs, 840 nodes, 840 edges; node labels (3 kinds), node attributes (2-d), edge weights)
    """
    check_whole("n_recipes", n_recipes, 1)
    rng = np.random.default_rng(2019)
    parts = [part for recipe in range(n_recipes) for part in _one_recipe(8 * (1 + recipe % 2), rng)]
    return pack_parts(parts, EdgeRules()), np.tile(np.arange(len(RUN_LENGTHS)), n_recipes)


def _one_recipe(ring: int, rng: np.random.Generator) -> list[GraphParts]:
    """Return one molecule per class, built from the same parts."""
    arms = int(rng.integers(1, 4))
    anchors = rng.choice(ring, size=arms, replace=False)
    edges = np.array(
        [(i, (i + 1) % ring) for i in range(ring)] + [(anchor, ring + arm) for arm, anchor in enumerate(anchors)]
    )
    kinds = np.repeat([0, 1], ring // 2)
    attributes = np.round([[1, 0]] * kinds[:, None] + 0.2 * rng.normal(size=(ring, 2)), 3)
    arm_attributes = np.round([0.5, 0] + 0.2 * rng.normal(size=(arms, 2)), 3)
    weights = np.round(rng.uniform(0.8, 1.2, size=len(edges)), 3)
    parts = []
    for run in RUN_LENGTHS:
        atoms = _order_around_ring(ring, run, rng)
        parts.append(
            GraphParts(
                n_nodes=ring + arms,
                edges=edges,
                undirected=True,
                node_labels=np.concatenate([kinds[atoms], np.full(arms, 2)]),
                node_attributes=np.concatenate([attributes[atoms], arm_attributes]),
                edge_weights=rng.permutation(weights),
            )
        )
    return parts


def _order_around_ring(ring: int, run: int, rng: np.random.Generator) -> IntArray:
    """Return the atom at each position: runs of kinds 0 and 1, rotated at random; in a large ring one pair swapped."""
    kind = np.roll(np.arange(ring) // run % 2, rng.integers(ring))
    atoms = np.empty(ring, dtype=np.int64)
    atoms[kind == 0] = rng.permutation(ring // 2)
    atoms[kind == 1] = ring // 2 + rng.permutation(ring // 2)
    if ring > 8:
        i, j = rng.choice(np.flatnonzero(kind == 0)), rng.choice(np.flatnonzero(kind == 1))
        atoms[[i, j]] = atoms[[j, i]]
    return atoms
