"""Targets whose parameters are chosen together, on the same graphs and in the same folds; or one target alone.

ways to compare graphs ──a sample──▶ the best few of each target ──distances──▶ scores ──▶ the choice of each target
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from wassergraph.arrays import BoolArray, FloatArray, IntArray
from wassergraph.models.graph_model import GraphModel
from wassergraph.models.learning import Learning, Training
from wassergraph.models.shared_distances import DistanceRequest, SharedDistances
from wassergraph.models.shared_training import scheme_key
from wassergraph.tuning.candidates import Candidates, ChosenMatrix, Family, make_candidates
from wassergraph.tuning.screening import EmbeddedFamily


class ChoiceOfTarget(NamedTuple):
    """What was chosen for a target.

    Attributes
    ----------
    chosen : ChosenMatrix
        The matrix between the graphs of the group.
    embedded : EmbeddedFamily
        The way to compare graphs, with the chosen depth only, and all graphs.
    """

    chosen: ChosenMatrix
    embedded: EmbeddedFamily

    def between(self, shared: SharedDistances, rows: IntArray, training: Training) -> ChosenMatrix:
        """Return the matrix between the graphs of a target, at these positions."""
        if len(rows) == self.chosen.matrix.shape[0]:  # those of the group
            return self.chosen
        (distances,) = shared.between(self.embedded, rows)
        columns = None if training.columns is None else training.columns.between
        return self.chosen.of_graphs(distances, training.graphs, columns)


@dataclass
class TargetGroup:
    """Targets whose parameters are chosen on the same graphs.

    Attributes
    ----------
    models : sequence of GraphModel
        The model of each target; if there are several, they have the same parameters.
    learnings : sequence of Learning
        What each of them learns from these graphs.
    rows : (n) integers
        The positions of the graphs.
    shared : SharedDistances
        All graphs, and distances.
    families : list of lists of EmbeddedFamily
        The ways to compare graphs that each target chooses from.
    """

    models: Sequence[GraphModel]
    learnings: Sequence[Learning]
    rows: IntArray
    shared: SharedDistances
    families: list[list[EmbeddedFamily]] = field(default_factory=list)

    def embed(self) -> None:
        """Embed all graphs in the ways that are tried, and keep for each target those that are worth computing."""
        first, batch = self.models[0], self.learnings[0].training.graphs
        with first._timed("embedding"):
            everywhere = [self.shared.embed(family) for family in self._open(first)]
            everything = len(self.rows) == len(self.shared.graphs)
            embedded = [each if everything else each.take(self.rows) for each in everywhere]
        self.families = first._screen(embedded, batch, [each.scored for each in self.learnings], self.columns)
        for model in self.models[1:]:
            model.search_, model.screening_ = first.search_, first.screening_

    @property
    def columns(self) -> FloatArray | None:
        """How far the graphs are apart in their columns (n, n), if they have some."""
        known = self.learnings[0].training.columns
        return None if known is None else known.between

    def _open(self, model: GraphModel) -> list[Family]:
        """Return the ways to compare graphs, with the weights of columns if there are some that differ."""
        families = self._families_of_graphs(model)
        if self.columns is None or not self.columns.any():
            return families
        return [family.beside_columns(learned=model._learns_weight) for family in families]

    def _families_of_graphs(self, model: GraphModel) -> list[Family]:
        """Return the ways to compare graphs, as what metrics learn from all graphs makes them."""
        of_all = model._open_search(self.shared.graphs, self.shared.given)
        if len(self.rows) == len(self.shared.graphs):
            return of_all
        decided = model.search_
        own = model._open_search(self.learnings[0].training.graphs, self.shared.given)
        if model.search_ != decided or [each.parameters for each in own] != [each.parameters for each in of_all]:
            model.search_ = decided
            return of_all  # the graphs of this target are fewer, or lack what others differ in
        return [replace(one, scheme=other.scheme) for one, other in zip(own, of_all, strict=True)]

    def requests(self) -> list[DistanceRequest]:
        """Return the distances that parameters are chosen on."""
        return [(each, self.rows) for families in self.families for each in families]

    def select(self) -> list[ChoiceOfTarget]:
        """Choose a way to compare graphs, and parameters, for each target."""
        union = self._all_families()
        candidates = self._candidates(union)
        if len(self.models) == 1:
            chosen = [self.models[0]._select(candidates, self.learnings[0].scored)]
        else:
            chosen = self._select_together(candidates, [_are_own(each, union, candidates) for each in self.families])
            self._share_times()
        return [
            ChoiceOfTarget(each, self._embedded(union[each.origin.family].family, each.origin.depth)) for each in chosen
        ]

    def _all_families(self) -> list[EmbeddedFamily]:
        """Return all ways that one of the targets chooses from, with all depths and size terms of these."""
        union: dict[Any, EmbeddedFamily] = {}
        for each in (each for families in self.families for each in families):
            known = union.setdefault(_family_key(each.family), each).family
            depths = tuple(sorted({*known.depths, *each.family.depths}))
            sizes = tuple(sorted({*known.size_shares, *each.family.size_shares}))
            columns = tuple(sorted({*known.column_shares, *each.family.column_shares}))
            joined = replace(known, depths=depths, size_shares=sizes, column_shares=columns)
            union[_family_key(each.family)] = each._replace(family=joined)
        return list(union.values())

    def _candidates(self, families: Sequence[EmbeddedFamily]) -> Candidates:
        stacks = [self.shared.between(each, self.rows) for each in families]
        graphs, powers = self.learnings[0].training.graphs, self.models[0]._powers()
        several = [each.family for each in families]
        return make_candidates(several, stacks, graphs, powers=powers, columns=self.columns)

    def _select_together(self, candidates: Candidates, own: Sequence[BoolArray]) -> list[ChosenMatrix]:
        """Choose for several targets, whose fits share their work."""
        first, several = self.models[0], [each.scored for each in self.learnings]
        grid = first._grid(candidates)
        if not first._is_choice(grid, several[0]):
            return [
                model._adopt(candidates, grid, None, scored) for model, scored in zip(self.models, several, strict=True)
            ]
        allowed = [np.tile(each, (len(several[0].folds), 1)) for each in own]
        with first._timed("selection"):
            scores = first._score(candidates, grid, several, allowed)
        chosen = []
        for model, scored, found, each in zip(self.models, several, scores, own, strict=True):
            matrices = np.flatnonzero(each).tolist()
            part = found.of_matrices(matrices)
            chosen.append(model._adopt(candidates.take(matrices), part.grid, part, scored))
        return chosen

    def _embedded(self, family: Family, depth: int) -> EmbeddedFamily:
        """Return all graphs, embedded in the way of a family, with one depth only."""
        return self.shared.embed(replace(family, depths=(depth,)))

    def _share_times(self) -> None:
        """Let each model say the same share of what the choice took."""
        seconds = {step: each / len(self.models) for step, each in self.models[0].seconds_.items()}
        for model in self.models:
            model.seconds_.update(seconds)


def _family_key(family: Family) -> tuple[Any, ...]:
    """Return what tells a family from the others of a search, which may embed graphs alike."""
    return (*scheme_key(family.scheme), *sorted(family.parameters.items()))


def _are_own(own: Sequence[EmbeddedFamily], union: Sequence[EmbeddedFamily], candidates: Candidates) -> BoolArray:
    """Return which of the matrices are among those that a target chooses from."""
    by_key = {_family_key(each.family): each.family for each in own}
    families = [by_key.get(_family_key(each.family)) for each in union]
    known = [(families[origin.family], origin) for origin in candidates.origins]
    return np.array(
        [
            family is not None
            and origin.depth in family.depths
            and origin.size_share in family.size_shares
            and origin.column_share in family.column_shares
            for family, origin in known
        ]
    )
