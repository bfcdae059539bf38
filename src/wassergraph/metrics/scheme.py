"""Scheme: what an embedding learns from the training graphs, so that new graphs are embedded in the same way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from wassergraph.arrays import FloatArray, IntArray
from wassergraph.errors import InputError, Option
from wassergraph.graphs.batch import GraphBatch
from wassergraph.graphs.stereo import stereo_labels
from wassergraph.metrics.attributes import Isolated, wl_points
from wassergraph.metrics.labels import Arcs, wl_codes
from wassergraph.metrics.node_embedding import Features, GroundRules, NodeEmbedding
from wassergraph.metrics.weights import node_weights


@dataclass(frozen=True, kw_only=True)
class Scheme(GroundRules):
    """How to embed graphs, as a metric has learned it from the training graphs.

    Attributes
    ----------
    n_attributes : int
        The number of columns of the attributes, one-hot labels or degrees; 0 for the categorical kind.
    alphabet : (n_attributes) integers or None
        The label of each one-hot column.
    mean, scale : (n_attributes) floats or None
        What attributes are shifted and divided by; None if they are taken as they are.
    isolated : "halve" or "keep"
        What averaging does to the attributes of nodes without neighbors.
    salt : int
        The seed of the hash function of the codes. It is 0 unless two neighborhoods had the same code.
    edge_weights : bool or None
        Whether the edges have weights; None if there were no edges.
    degrees : bool
        Whether the degree of a node is one more attribute, the last; ``features`` says if they are all.
    """

    n_attributes: int = 0
    alphabet: IntArray | None = None
    mean: FloatArray | None = None
    scale: FloatArray | None = None
    isolated: Isolated = "halve"
    salt: int = 0
    edge_weights: bool | None = None
    degrees: bool = False

    @property
    def n_given_attributes(self) -> int:
        """The number of attributes that graphs must have: all but the degree."""
        return self.n_attributes - self.degrees

    @property
    def standardized(self) -> bool:
        """Whether attributes are shifted and scaled."""
        return self.mean is not None

    def choices(self) -> dict[str, Any]:
        """Return what models choose among, by the names that people see."""
        rules = self.ground_rules()
        for name in ("features", "unmatched"):  # which follow from the rest, or from the graphs
            del rules[name]
        kind, features = rules.pop("kind"), self.features
        used = {"edge_labels": features.uses_edge_labels, "stereo": features.uses_stereo, "degrees": self.degrees}
        return {"kind": kind, **used, **rules}

    @property
    def compared(self) -> str:
        """What is compared, as a text: "node attributes and degrees, standardized, every node with the mass 1"."""
        text = f"{self.features}{' and degrees' if self.degrees else ''}"
        if self.kind != "categorical":
            text += ", standardized" if self.standardized else ", not standardized"
        return f"{text}, every node with the mass 1" if self.mass == "count" else text

    def embed(self, graphs: GraphBatch, depth: int, *, weights: ArrayLike | None = None) -> NodeEmbedding:
        """Embed graphs, training graphs or new ones, for all depths up to ``depth``."""
        codes = points = None
        shares = self.shares(graphs, weights)
        if self.kind != "continuous":
            codes = wl_codes(graphs, self.labels(graphs), depth, edge_labels=self.arcs(graphs).labels, salt=self.salt)
        if self.kind != "categorical":
            if depth > 0:
                self._check_edge_weights(graphs)
            points = wl_points(graphs, self.attributes(graphs), depth, isolated=self.isolated)
        return NodeEmbedding(
            ptr=graphs.node_ptr,
            depth=depth,
            codes=codes,
            points=points,
            weights=shares,
            **self.ground_rules(),
        )

    def fields(self, depth: int) -> set[str]:
        """Return the names of the fields of a GraphBatch that are embedded."""
        used = {
            "node_labels": self.features.uses_labels,
            "node_attributes": self.features.uses_attributes,
            "node_stereo": self.features.uses_stereo,
            "edge_labels": self.features.uses_edge_labels,
            "edge_weights": self.kind != "categorical" and depth > 0,
        }
        return {name for name, is_used in used.items() if is_used}

    def shares(self, graphs: GraphBatch, weights: ArrayLike | None) -> FloatArray | None:
        """Return the weights of nodes (n_nodes), divided by their sum in every graph; None if all nodes are equal."""
        if self.mass == "count" and weights is not None:
            problem = "{} gives every node the mass 1, but there are {}"
            options = [Option("mass", "count"), Option("weights"), Option("mass", "share")]
            raise InputError(problem, remedy="pass {}", options=options)
        return node_weights(graphs, weights)

    def labels(self, graphs: GraphBatch) -> IntArray:
        """Return the labels to refine (n_nodes): node labels, perhaps with stereochemistry, or degrees."""
        if self.features.uses_degrees:
            return graphs.degrees
        if graphs.node_labels is None:
            raise InputError("these graphs have no node labels, but the embedding was learned on graphs that have them")
        return stereo_labels(graphs) if self.features.uses_stereo else graphs.node_labels

    def arcs(self, graphs: GraphBatch) -> Arcs:
        """Return the arcs that labels are refined over, with edge labels if the scheme uses them."""
        if not self.features.uses_edge_labels:
            return Arcs(graphs)
        if graphs.edge_labels is None and graphs.n_arcs:
            raise InputError("these graphs have no edge labels, but the embedding was learned on graphs that have them")
        return Arcs(graphs, np.zeros(0, dtype=np.int64) if graphs.edge_labels is None else graphs.edge_labels)

    def attributes(self, graphs: GraphBatch) -> FloatArray:
        """Return the attributes to average (n_nodes, n_attributes), standardized if the scheme has a mean."""
        values = self._raw_attributes(graphs)
        if values is None:
            raise InputError(
                "these graphs have no node attributes, but the embedding was learned on graphs that have them"
            )
        if values.shape[1] != self.n_given_attributes:
            raise InputError(
                f"these graphs have {values.shape[1]} node attributes, but the embedding was learned with "
                f"{self.n_given_attributes}"
            )
        if self.degrees:
            values = np.column_stack([values, graphs.degrees])
        if self.mean is None or self.scale is None:
            return values
        with np.errstate(over="ignore"):  # wl_points raises if a value overflows
            return np.asarray((values - self.mean) / self.scale)

    def _raw_attributes(self, graphs: GraphBatch) -> FloatArray | None:
        if self.alphabet is not None:
            return graphs.one_hot_labels(self.alphabet, unseen="zeros").node_attributes
        if self.features is Features.DEGREES:
            return graphs.degree_attributes().node_attributes
        return graphs.node_attributes

    def _check_edge_weights(self, graphs: GraphBatch) -> None:
        weighted = have_edge_weights(graphs)
        if None not in (weighted, self.edge_weights) and weighted != self.edge_weights:
            here, there = ("edge weights", "without") if weighted else ("no edge weights", "with")
            raise InputError(
                f"these graphs have {here}, but the embedding was learned on graphs {there} edge weights",
                remedy="use edge weights for all graphs or for none",
            )


def have_edge_weights(graphs: GraphBatch) -> bool | None:
    """Return whether edges have weights; None if there are no edges."""
    return graphs.edge_weights is not None if graphs.n_arcs else None
