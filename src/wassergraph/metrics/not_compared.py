"""What graphs have and an embedding does not compare, since kind="auto" decides so: said with the option that does."""

from __future__ import annotations

from wassergraph.errors import Option, UnusedDataWarning
from wassergraph.graphs.batch import GraphBatch
from wassergraph.metrics.decisions import EdgeLabels, Kind, choose_features
from wassergraph.metrics.node_embedding import Features


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
