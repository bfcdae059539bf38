"""What graphs have and an embedding does not compare, since kind="auto" decides so: said with the option that does."""

from __future__ import annotations

from wassergraph.errors import Option, UnusedDataWarning
from wassergraph.graphs.batch import GraphBatch
from wassergraph.graphs.invariants import count
from wassergraph.metrics.decisions import EdgeLabels, Kind, Stereo, choose_features
from wassergraph.metrics.node_embedding import Features
from wassergraph.metrics.stereoisomers import count_stereoisomers


def not_compared(
    graphs: GraphBatch, kind: Kind, edge_labels: EdgeLabels, features: Features | None = None
) -> UnusedDataWarning | None:
    """Return what is not compared although graphs have it.

    Nothing is said about what the user has decided: a kind that is not "auto" is a decision.

    Parameters
    ----------
    graphs : GraphBatch
        The graphs.
    kind, edge_labels
        As in :class:`wassergraph.WWL`.
    features : Features, optional
        What is compared; by default what these parameters say.

    Returns
    -------
    UnusedDataWarning or None
        None if all labels and attributes are compared, or if the user decided that some are not.
    """
    if features is None:
        features = choose_features(graphs, kind, edge_labels)
    if kind == "auto" and features is Features.NODE_ATTRIBUTES and graphs.node_labels is not None:
        return UnusedDataWarning(
            "node attributes are compared, and node labels are not",
            remedy="pass {} to compare both, or {} to compare labels only",
            options=[Option("kind", "joint"), Option("kind", "categorical")],
        )
    refined = features.uses_edge_labels or features not in (Features.NODE_LABELS, Features.LABELS_AND_ATTRIBUTES)
    if edge_labels == "auto" and graphs.edge_labels is not None and not refined:
        return UnusedDataWarning(
            f"{features} are compared, and edge labels are not",
            remedy="pass {} to compare them, too",
            options=[Option("edge_labels", "use")],
        )
    return None


def stereo_not_compared(graphs: GraphBatch, stereo: Stereo) -> UnusedDataWarning | None:
    """Return how many molecules differ in stereochemistry only, if it is not compared and nobody has decided so.

    Parameters
    ----------
    graphs : GraphBatch
        The graphs.
    stereo : "auto", "use" or "ignore"
        As in :class:`wassergraph.WWL`.

    Returns
    -------
    UnusedDataWarning or None
        None if there are no such molecules, or if the user decided whether stereochemistry is compared.

    Examples
    --------
    >>> import wassergraph as wg
    >>> print(stereo_not_compared(wg.from_smiles(["C[C@H](O)F", "C[C@@H](O)F"]), "auto"))
    2 molecules in 1 group differ only in stereochemistry, which is not compared; pass stereo="use" to compare it
    """
    if stereo != "auto":
        return None
    found = count_stereoisomers(graphs)
    if not found.molecules:
        return None
    isomers = f"{found.molecules:,} molecules in {count(found.groups, 'group')}"
    return UnusedDataWarning(
        f"{isomers} differ only in stereochemistry, which is not compared",
        remedy="pass {} to compare it",
        options=[Option("stereo", "use")],
    )
