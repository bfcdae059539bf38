"""Training graphs that several models share: new graphs are compared with all of them once.

new graphs ──▶ SharedGraphs ──distances to all──▶ PartOfTraining of each model, its columns
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Self, TypeAlias

import numpy as np

from wassergraph.arrays import FloatArray, IntArray
from wassergraph.graphs.batch import GraphBatch
from wassergraph.metrics.saved_scheme import scheme_arrays, scheme_to_json
from wassergraph.metrics.scheme import Scheme
from wassergraph.models.training_graphs import TrainingGraphs
from wassergraph.parallel.estimate import Estimate

if TYPE_CHECKING:
    from wassergraph.models.graph_model import GraphModel

#: What tells a scheme from others.
SchemeKey: TypeAlias = tuple[Any, ...]


def scheme_key(scheme: Scheme) -> SchemeKey:
    """Return what two schemes share if, and only if, they embed all graphs alike."""
    arrays = sorted((name, array.tobytes()) for name, array in scheme_arrays(scheme).items())
    return json.dumps(scheme_to_json(scheme), sort_keys=True), *arrays


@dataclass(frozen=True, eq=False)
class SharedGraphs(TrainingGraphs):
    """The training graphs of several models, which remember the distances that were computed last."""

    _last: list[tuple[GraphBatch, FloatArray]] = field(default_factory=list, repr=False)

    def distances_from(
        self, batch: GraphBatch, columns: FloatArray | None = None, *, n_jobs: int | None, progress: bool
    ) -> FloatArray:
        """Compute the distances of new graphs to these, unless those of the same object were computed last."""
        for known, distances in tuple(self._last):
            if known is batch:
                return distances
        found = super().distances_from(batch, n_jobs=n_jobs, progress=progress)
        self._last[:] = [(batch, found)]
        return found

    def forget(self) -> None:
        """Forget the distances that were computed last."""
        self._last.clear()

    def __getstate__(self) -> dict[str, Any]:
        """Return what is kept in a pickle."""
        return {**super().__getstate__(), "_last": []}

    def without_rounding(self, distances: FloatArray) -> FloatArray:
        """Return distances as they are: rounding depends on the part of the graphs that they are of."""
        return distances


@dataclass(frozen=True, eq=False)
class PartOfTraining(TrainingGraphs):
    """Some of the graphs that several models share.

    Attributes
    ----------
    whole : SharedGraphs
        All of them.
    rows : (n) integers
        The positions of these graphs.
    """

    whole: SharedGraphs = field(kw_only=True)
    rows: IntArray = field(kw_only=True)

    @classmethod
    def of(cls, whole: SharedGraphs, own: TrainingGraphs, rows: IntArray) -> Self:
        """Return the training graphs of a model, which are those at some positions."""
        embedding = whole.embedding if len(rows) == len(whole) else whole.embedding.take(rows)
        return cls(whole.scheme, own.graphs, embedding, own.columns, whole=whole, rows=rows)

    def take(self, positions: IntArray) -> PartOfTraining:
        """Return some of the graphs."""
        own = super().take(positions)
        assert isinstance(own, PartOfTraining)
        return replace(own, rows=self.rows[positions])

    def parts(self, n_new: int) -> list[slice]:
        """Return the positions of new graphs in parts, as all graphs that are shared need them."""
        return self.whole.parts(n_new)

    def foresee(self, batch: GraphBatch, n_threads: int) -> Estimate:
        """Estimate what the distances of new graphs to all graphs that are shared will take."""
        return self.whole.foresee(batch, n_threads)

    @property
    def compared(self) -> TrainingGraphs:
        """All graphs that are shared."""
        return self.whole

    def forget(self) -> None:
        """Forget distances to new graphs."""
        self.whole.forget()

    def distances_from(
        self, batch: GraphBatch, columns: FloatArray | None = None, *, n_jobs: int | None, progress: bool
    ) -> FloatArray:
        """Compute the distances of new graphs to these, or take them from those to all."""
        distances = self.whole.distances_from(batch, n_jobs=n_jobs, progress=progress)
        return self.with_columns(self.without_rounding(np.ascontiguousarray(distances[:, self.rows])), columns)


def share_training(models: Sequence[GraphModel], graphs: GraphBatch, rows: Sequence[IntArray]) -> None:
    """Let fitted models that compare graphs in the same way share the distances of new graphs, if that is less work.

    Parameters
    ----------
    models : sequence of GraphModel
        Models that are fitted, each to some of the graphs.
    graphs : GraphBatch
        All graphs.
    rows : sequence of (n) integers
        The positions of the graphs of each model.
    """
    alike: dict[Any, list[tuple[GraphModel, IntArray]]] = {}
    for model, own in zip(models, rows, strict=True):
        alike.setdefault((scheme_key(model.scheme_), model.best_params_["depth"]), []).append((model, own))
    for (_, depth), members in alike.items():
        union = np.unique(np.concatenate([own for _, own in members]))
        if len(union) >= sum(len(own) for _, own in members):
            continue
        all_graphs = graphs if len(union) == len(graphs) else graphs[union]
        shared = SharedGraphs.embed(members[0][0].scheme_, all_graphs, depth)
        for model, own in members:
            model._train_on(PartOfTraining.of(shared, model._training, np.searchsorted(union, own)))
