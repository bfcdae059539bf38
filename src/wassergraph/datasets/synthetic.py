"""Generators: the two synthetic data sets of the paper by their published recipes, and noisy random graphs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from wassergraph.arrays import FloatArray, IntArray
from wassergraph.errors import InputError
from wassergraph.graphs.batch import GraphBatch
from wassergraph.graphs.invariants import check_whole
from wassergraph.graphs.packing import EdgeRules, GraphParts, pack_parts

Seed: TypeAlias = int | np.random.Generator | None


def make_synthetic_new(
    n_graphs: int = 300,
    *,
    n_nodes: int = 100,
    n_edges: int = 196,
    noise: float = 0.45,
    random_state: Seed = None,
) -> tuple[GraphBatch, IntArray]:
    """Generate a data set like SYNTHETICnew: variants of one random graph with one real attribute, in two classes.

    The recipe of Feragen et al. (2013): a random graph with normally distributed attributes; in class 1 five rewirings
    and ten attributes permuted, in class −1 ten rewirings and five attributes permuted; then normal noise on every
    attribute. A rewiring exchanges the ends of two edges and keeps all degrees, as in the published files.

    Parameters
    ----------
    n_graphs : int
        The number of graphs, half of them in each class.
    n_nodes, n_edges : int
        The size of every graph.
    noise : float
        The standard deviation of the noise on the attributes.
    random_state : int, Generator or None
        The seed; the same seed generates the same data.

    Returns
    -------
    graphs : GraphBatch
        Graphs with one node attribute.
    y : (n_graphs) integers
        The class of each graph: 1 or -1.

    See Also
    --------
    datasets.make_synthie : graphs joined from small ones, in four classes
    datasets.make_noisy_erdos_renyi : noisy copies of random graphs
    load_dataset : read the published files

    Examples
    --------
    >>> import wassergraph as wg
    >>> graphs, y = wg.datasets.make_synthetic_new(6, random_state=0)
    >>> graphs
    GraphBatch(6 graphs, 600 nodes, 1176 edges; node attributes (1-d))
    """
    _check_positive(n_graphs=n_graphs, n_nodes=n_nodes)
    if not 0 <= n_edges <= n_nodes * (n_nodes - 1) // 2:
        raise InputError(f"n_edges={n_edges} is too large for a graph of {n_nodes} nodes")
    rng = np.random.default_rng(random_state)
    base = _pairs(n_nodes)[rng.choice(n_nodes * (n_nodes - 1) // 2, size=n_edges, replace=False)]
    attributes = rng.normal(size=n_nodes)
    y = np.where(np.arange(n_graphs) < (n_graphs + 1) // 2, 1, -1)
    parts = []
    for label in y.tolist():
        rewirings, permuted = (5, 10) if label == 1 else (10, 5)
        values = _permuted(attributes, min(permuted, n_nodes), rng) + rng.normal(scale=noise, size=n_nodes)
        parts.append(
            GraphParts(n_nodes, _rewired(base, rewirings, rng), undirected=True, node_attributes=values[:, None])
        )
    return pack_parts(parts, EdgeRules()), y


def make_synthie(
    n_graphs: int = 400, *, n_connections: int = 83, random_state: Seed = None
) -> tuple[GraphBatch, IntArray]:
    """Generate a data set like Synthie: graphs joined from ten small ones, with 15 real attributes, in four classes.

    The recipe of Morris et al. (2016): from two random graphs with 10 nodes and edge probability 0.2 come two families
    of 200 seed graphs, by adding or deleting a quarter of the edges. A graph of kind 1 joins ten random seeds, each
    from family 1 with probability 0.8; a graph of kind 2 joins seeds from family 2 with this probability. Attributes
    are drawn from two clouds of points, A and B. In the first class of a kind, nodes of family 1 have attributes from A
    and nodes of family 2 from B; in the second class it is the other way round.

    Parameters
    ----------
    n_graphs : int
        The number of graphs, a quarter of them in each class.
    n_connections : int
        The number of random edges between the seeds, which the recipe does not specify. With nine edges per seed on
        average, the default yields the mean of the published files, 173 edges.
    random_state : int, Generator or None
        The seed; the same seed generates the same data.

    Returns
    -------
    graphs : GraphBatch
        Graphs with 15 node attributes.
    y : (n_graphs) integers
        The class of each graph: 0 and 1 are the two classes of kind 1, 2 and 3 those of kind 2.

    See Also
    --------
    datasets.make_synthetic_new : variants of one random graph, in two classes
    datasets.make_noisy_erdos_renyi : noisy copies of random graphs
    load_dataset : read the published files

    Examples
    --------
    >>> import wassergraph as wg
    >>> graphs, y = wg.datasets.make_synthie(8, random_state=0)
    >>> graphs.n_nodes, graphs.node_attributes.shape[1], y.tolist()
    (800, 15, [0, 0, 1, 1, 2, 2, 3, 3])
    """
    _check_positive(n_graphs=n_graphs)
    rng = np.random.default_rng(random_state)
    seeds = [_seed_family(rng) for _ in range(2)]
    clouds = _two_clouds(rng, n_features=15)
    y = np.arange(n_graphs) * 4 // n_graphs
    parts = [_joined_seeds(seeds, clouds, label, n_connections, rng) for label in y.tolist()]
    return pack_parts(parts, EdgeRules()), y


def make_noisy_erdos_renyi(
    n_families: int = 3,
    n_members: int = 20,
    *,
    n_nodes: int = 30,
    edge_probability: float = 0.2,
    noise: float | Sequence[float] = 0.1,
    random_state: Seed = None,
) -> tuple[GraphBatch, IntArray]:
    """Generate families of graphs: copies of one random graph with shuffled nodes and a part of the edges removed.

    The paper compares such copies, for growing noise, with an independent graph (appendix, "Performance on
    isomorphic synthetic graphs").

    Parameters
    ----------
    n_families, n_members : int
        The number of families, and of graphs in each.
    n_nodes, edge_probability : int, float
        The random graph G(n, p) behind each family.
    noise : float or sequence of float
        The fraction of its edges that is removed: one number for all graphs, or one for each member of a family.
    random_state : int, Generator or None
        The seed; the same seed generates the same data.

    Returns
    -------
    graphs : GraphBatch
        ``n_families * n_members`` graphs, without labels and attributes, family by family.
    y : (n_families * n_members) integers
        The family of each graph, counted from 0.

    See Also
    --------
    datasets.make_synthetic_new : variants of one random graph in two classes
    datasets.make_synthie : graphs joined from small ones
    load_dataset : read a data set

    Examples
    --------
    >>> import wassergraph as wg
    >>> graphs, y = wg.datasets.make_noisy_erdos_renyi(2, 3, noise=[0.0, 0.1, 0.2], random_state=0)
    >>> y.tolist()
    [0, 0, 0, 1, 1, 1]
    """
    _check_positive(n_families=n_families, n_members=n_members, n_nodes=n_nodes)
    fractions = np.full(n_members, noise, dtype=np.float64) if np.ndim(noise) == 0 else np.asarray(noise)
    if len(fractions) != n_members or not ((fractions >= 0) & (fractions <= 1)).all():
        raise InputError(f"noise must be a number between 0 and 1, or {n_members} of them, got {noise!r}")
    if not 0 <= edge_probability <= 1:
        raise InputError(f"edge_probability must be between 0 and 1, got {edge_probability}")
    rng = np.random.default_rng(random_state)
    parts = []
    for _ in range(n_families):
        base = _erdos_renyi(n_nodes, edge_probability, rng)
        for fraction in fractions:
            kept = rng.permutation(len(base))[round(fraction * len(base)) :]
            parts.append(GraphParts(n_nodes, rng.permutation(n_nodes)[base[kept]], undirected=True))
    return pack_parts(parts, EdgeRules()), np.repeat(np.arange(n_families), n_members)


def _check_positive(**numbers: int) -> None:
    for name, number in numbers.items():
        check_whole(name, number, 1)


def _pairs(n_nodes: int) -> IntArray:
    """Return all pairs of different nodes (n (n - 1) / 2, 2)."""
    return np.column_stack(np.triu_indices(n_nodes, k=1)).astype(np.int64)


def _erdos_renyi(n_nodes: int, probability: float, rng: np.random.Generator) -> IntArray:
    pairs = _pairs(n_nodes)
    return pairs[rng.random(len(pairs)) < probability]


def _permuted(values: FloatArray, count: int, rng: np.random.Generator) -> FloatArray:
    """Return the values with ``count`` of them, chosen at random, permuted."""
    chosen = rng.choice(len(values), size=count, replace=False)
    result = values.copy()
    result[chosen] = values[rng.permutation(chosen)]
    return result


def _rewired(edges: IntArray, count: int, rng: np.random.Generator) -> IntArray:
    """Exchange the ends of two edges, a–b and c–d to a–d and c–b, ``count`` times, without loops or repeats."""
    rows = edges.tolist()
    present = {frozenset(row) for row in rows}
    done = 0
    for _ in range(100 * count):
        if done == count or len(rows) < 2:
            break
        i, j = (int(row) for row in rng.choice(len(rows), size=2, replace=False))
        (a, b), (c, d) = rows[i], rows[j]
        new = {frozenset((a, d)), frozenset((c, b))}
        if len({a, b, c, d}) == 4 and not new & present:
            present = (present - {frozenset((a, b)), frozenset((c, d))}) | new
            rows[i], rows[j] = [a, d], [c, b]
            done += 1
    if done < count:
        raise InputError(f"{count} rewirings are not possible with n_edges={len(rows)}", remedy="use another size")
    return np.array(rows, dtype=np.int64).reshape(-1, 2)


def _seed_family(rng: np.random.Generator, size: int = 200, n_nodes: int = 10) -> list[IntArray]:
    """Generate variants of one small random graph: a quarter of the edges deleted, or as many added."""
    pairs = _pairs(n_nodes)
    present = rng.random(len(pairs)) < 0.2
    change = round(0.25 * int(present.sum()))
    family = []
    for _ in range(size):
        changed = present.copy()
        delete = rng.random() < 0.5
        changed[rng.choice(np.flatnonzero(changed == delete), size=change, replace=False)] = not delete
        family.append(pairs[changed])
    return family


def _two_clouds(rng: np.random.Generator, n_features: int, n_points: int = 1000) -> list[FloatArray]:
    """Generate two clouds of points, of two clusters each at corners of a cube, stretched at random (Guyon, 2003)."""
    informative, redundant = n_features // 3, n_features // 3
    corners = rng.permutation(2**informative)[:4]
    mixing = rng.uniform(-1, 1, size=(informative, redundant))
    order = rng.permutation(n_features)
    clouds = []
    for cloud_corners in corners.reshape(2, 2):
        clusters = []
        for corner in cloud_corners:
            center = 2.0 * ((corner >> np.arange(informative)) & 1) - 1
            stretched = rng.normal(size=(n_points // 2, informative)) @ rng.uniform(
                -1, 1, size=(informative, informative)
            )
            clusters.append(stretched + center)
        points = np.concatenate(clusters)
        noise = rng.normal(size=(len(points), n_features - informative - redundant))
        clouds.append(np.column_stack([points, points @ mixing, noise])[:, order])
    return clouds


def _joined_seeds(
    seeds: list[list[IntArray]], clouds: list[FloatArray], label: int, n_connections: int, rng: np.random.Generator
) -> GraphParts:
    """Join ten seeds of ten nodes, mostly of the family and with the attributes that belong to a class."""
    (kind, swap), n_seeds, n_nodes = divmod(label, 2), 10, 10
    families = np.where(rng.random(n_seeds) < 0.8, kind, 1 - kind)
    inside = [seeds[family][rng.integers(len(seeds[family]))] + n_nodes * i for i, family in enumerate(families)]
    pairs = _pairs(n_seeds * n_nodes)
    between = pairs[pairs[:, 0] // n_nodes != pairs[:, 1] // n_nodes]
    joined = between[rng.choice(len(between), size=n_connections, replace=False)]
    drawn = [clouds[cloud][rng.integers(len(clouds[cloud]), size=n_nodes)] for cloud in families ^ swap]
    return GraphParts(
        n_seeds * n_nodes, np.concatenate([*inside, joined]), undirected=True, node_attributes=np.concatenate(drawn)
    )
