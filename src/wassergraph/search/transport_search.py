"""TransportSearch: the nearest graphs by attributes, or by labels and attributes, with bounds before solutions."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wassergraph import _core
from wassergraph.arrays import BoolArray, FloatArray, IntArray, Stop
from wassergraph.errors import NotSolvedError
from wassergraph.metrics.node_embedding import NodeEmbedding
from wassergraph.pairwise import layout
from wassergraph.pairwise.layout import Histogram, ImageRules, Library, Side, Sizes, by_coordinate
from wassergraph.pairwise.masses import weighted_total
from wassergraph.pairwise.prepare import size_terms
from wassergraph.pairwise.scaling import scale_exponent, scale_up
from wassergraph.pairwise.sides import pack_side
from wassergraph.search.images import Images
from wassergraph.search.label_lists import LabelLists
from wassergraph.search.neighbors import OUTCOMES, FoundGraphs, Wanted, nearest
from wassergraph.search.stored import LARGEST_POINT, Stored, check_between, check_equal, check_finite, check_masses
from wassergraph.status import STOPPED

#: The number of parts of equal mass of a vector; indexes in files keep theirs.
VECTOR_PARTS = 8
#: Beyond this coordinate of an image, or this cost in their unit, bounds from short floats are not used: squares, or
#: sums over nodes, would overflow.
_FARTHEST, _DEAREST = 2.0**60, 1e30
#: Nor if their unit is smaller: squares of distances that they tell apart might underflow in ground costs.
_NEAREST = 2.0**-480
#: What is no transport is cut here if, in the unit of the points, it is too large for a float.
_LARGEST = 2.0**1000
#: The relative error of the distances of the exact solver.
_ERROR = _core.LONG_ERROR
#: By how much sums of two floats are rounded, at most.
_ROUNDED = 4 * np.finfo(np.float64).eps


@dataclass(frozen=True, eq=False)
class SearchRules:
    """How graphs are compared, in the unit of the packed points, as in pairwise/problem.py.

    Attributes
    ----------
    width, dim, depth : int
        The number of coordinates of a point, that of one depth, and the depth.
    coded : bool
        Whether nodes have labels.
    label_weight : float
        The share of labels in ground costs.
    label_cost : float
        The cost of labels that differ at all depths.
    price : float
        What a node without a partner costs if masses are counts; otherwise negative.
    exponent : int
        Everything was divided by 2**exponent.
    total : int
        The mass of a graph with weighted nodes; 0 without weights.
    """

    width: int
    dim: int
    depth: int
    coded: bool
    label_weight: float
    label_cost: float
    price: float
    exponent: int
    total: int

    @classmethod
    def of(cls, embedding: NodeEmbedding, *, weighted: bool, largest: int, farthest: float) -> SearchRules:
        """Return the rules for embedded graphs and others: see :func:`wassergraph.search.making.make_searcher`."""
        costs = 0.0 if embedding.codes is None else embedding.label_weight, *embedding.prices.tolist()
        return cls.scaled(embedding, scale_exponent([embedding], farthest, *costs), weighted=weighted, largest=largest)

    @classmethod
    def scaled(cls, embedding: NodeEmbedding, exponent: int, *, weighted: bool, largest: int) -> SearchRules:
        """Return the rules for embedded graphs that were divided by a power of two."""
        prices = embedding.prices
        return cls(
            width=embedding.dim * (embedding.depth + 1),
            dim=embedding.dim,
            depth=embedding.depth,
            coded=embedding.codes is not None,
            label_weight=embedding.label_weight,
            label_cost=0.0 if embedding.codes is None else math.ldexp(embedding.label_weight, -exponent),
            price=math.ldexp(float(prices[-1]), -exponent) if len(prices) else -1.0,
            exponent=exponent,
            total=weighted_total(largest) if weighted else 0,
        )

    @property
    def euclidean_factor(self) -> float:
        """What Euclidean distances are multiplied by in ground costs."""
        return (1.0 - self.label_weight) / math.sqrt(self.width) if self.coded else 1.0

    @property
    def dearest(self) -> float:
        """The largest cost of a node that is not that of its attributes."""
        return max(self.label_cost, self.price, 0.0)

    def at_depth(self, stop: BoolArray) -> layout.Rules:
        """Return the rules of the exact solver for this depth alone."""
        counted = self.price >= 0
        return layout.Rules(
            width=self.width,
            dim=self.dim,
            coded=self.coded,
            wanted=np.arange(self.depth + 1) == self.depth,
            label_weight=self.label_weight,
            label_cost=self.label_cost,
            counted=counted,
            prices=np.full(self.depth + 1 if counted else 0, self.price),
            max_iter=0,
            stop=stop,
        )

    def scale(self, values: FloatArray) -> FloatArray:
        """Return distances in the unit of the packed points."""
        with np.errstate(over="ignore"):
            return np.asarray(np.minimum(np.ldexp(values, -self.exponent), _LARGEST))


class Packed(NamedTuple):
    """Packed graphs: their nodes, labels, vectors, and terms of size."""

    library: Library
    labels: tuple[Histogram, Sizes] | None
    apart: FloatArray | None
    n_nodes: IntArray  # (graphs) before equal nodes were merged


class TransportSearch:
    """Find the nearest graphs by transport.

    Parameters
    ----------
    rules : SearchRules
        How graphs are compared.
    images : Images
        How the images of points are made.
    lists : LabelLists or None
        The labels of the graphs, if they are compared.
    packed : Packed
        The graphs.
    """

    def __init__(self, rules: SearchRules, images: Images, lists: LabelLists | None, packed: Packed) -> None:
        self._rules, self._images, self._lists, self._packed = rules, images, lists, packed

    @classmethod
    def of(cls, embedding: NodeEmbedding, *, weighted: bool, largest: int, farthest: float = 0.0) -> TransportSearch:
        """Return the search among embedded graphs."""
        rules = SearchRules.of(embedding, weighted=weighted, largest=largest, farthest=farthest)
        side = pack_side(embedding, weighted, rules.exponent, rules.total)
        images = Images.of(side.rows[: len(side.mass) * rules.width].reshape(-1, rules.width))
        lists = None if embedding.codes is None else LabelLists.of(embedding, weighted=weighted)
        labels = None if lists is None else (lists.histogram, lists.sizes)
        packed = Packed(_library(side, images, rules), labels, size_terms(embedding), np.diff(embedding.ptr))
        return cls(rules, images, lists, packed)

    def __len__(self) -> int:
        return len(self._packed.library.total)

    @property
    def exponent(self) -> int:
        """Points were divided by 2**exponent."""
        return self._rules.exponent

    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        """All arrays by name."""
        packed = self._packed
        return {
            **packed.library._asdict(),
            "n_nodes": packed.n_nodes,
            "axes": self._images.axes,
            "center": self._images.center,
            **({} if packed.apart is None else {"apart": packed.apart}),
            **({} if self._lists is None else {f"labels_{name}": each for name, each in self._lists.arrays.items()}),
        }

    def prepare(self, embedding: NodeEmbedding) -> Packed:
        """Pack other graphs."""
        weighted = self._rules.total > 0
        side = pack_side(embedding, weighted, self._rules.exponent, self._rules.total)
        labels = None if self._lists is None else self._lists.count(embedding, weighted=weighted)
        library = _library(side, self._images, self._rules, _n_parts(self._packed.library))
        return Packed(library, labels, size_terms(embedding), np.diff(embedding.ptr))

    def prepare_own(self) -> Packed:
        """Return the graphs themselves."""
        return self._packed

    def find(
        self, queries: Packed, rows: Sequence[int], wanted: Wanted, stop: Stop
    ) -> tuple[list[FoundGraphs], IntArray]:
        """Find the nearest graphs of some queries: see :class:`wassergraph.search.searcher.Searcher`."""
        counts = np.zeros(len(OUTCOMES), dtype=np.int64)
        found = [self._find(queries, position, wanted, stop, counts) for position in rows]
        return found, counts

    def _find(self, queries: Packed, position: int, wanted: Wanted, stop: Stop, counts: IntArray) -> FoundGraphs:
        apart = self._apart(queries, position)
        scaled = self._rules.scale(apart)
        bounds = self._first_bound(queries, position, stop) + scaled
        outcomes = np.zeros_like(counts)
        radius = float(self._rules.scale(np.array(wanted.radius))) * (1 + _ERROR) if wanted.radius < np.inf else np.inf
        status, graphs, values = _core.find_nearest(
            self._packed.library,
            queries.library,
            position,
            self._rules.at_depth(stop),
            self._image_rules(queries, position, float(scaled.max())),
            bounds,
            scaled,
            min(wanted.k, len(self)),
            radius,
            outcomes,
        )
        if status == STOPPED:
            return FoundGraphs(graphs[:0], values[:0])
        if status < 0:
            pair = int(graphs[0]), position
            raise NotSolvedError(f"the network simplex found no plan for graph {pair[0]} and query {pair[1]}", pair)
        counts += outcomes
        pairs = np.column_stack([graphs, np.full(len(graphs), position)])
        transport = scale_up(values[np.newaxis], self._rules.exponent, values.dtype, pairs)[0]
        return nearest(graphs, transport + apart[graphs], wanted)

    def _image_rules(self, queries: Packed, position: int, farthest_apart: float) -> ImageRules:
        """Return how images are compared with those of a query.

        Bounds from images are short floats, in the unit of images. They are not used where these could not hold the
        other costs, such as those of labels if attributes are tiny, or the images of a query that is far away. Then the
        unit, in which the potentials of earlier solutions are kept as well, is that of the largest costs.
        """
        rules, images = self._rules, self._images
        reach = float(queries.library.reach[position])
        unit = math.ldexp(rules.euclidean_factor, images.exponent)
        short = reach < _FARTHEST and unit >= _NEAREST and rules.dearest <= _DEAREST * unit
        if not short:
            first, last = queries.library.ptr[position : position + 2] * rules.width
            farthest = self._farthest + float(np.abs(queries.library.columns[first:last]).max(initial=0.0))
            unit = max(rules.euclidean_factor * farthest, rules.dearest) or 1.0
            reach = 1.0
        # What is no transport is rounded when it is added, and bounds must not be too large by as much.
        reach += _ROUNDED * farthest_apart / (_ERROR * unit)
        n_parts = _n_parts(self._packed.library)
        return ImageRules(images.width, n_parts, unit, reach, short and rules.price < 0, short)

    @functools.cached_property
    def _farthest(self) -> float:
        """The largest coordinate of a point."""
        return float(np.abs(self._packed.library.columns).max(initial=0.0))

    def _apart(self, queries: Packed, position: int) -> FloatArray:
        """Return the parts of distances that are no transport."""
        if queries.apart is None or self._packed.apart is None:
            return np.zeros(len(self))
        return np.asarray(np.abs(queries.apart[position] - self._packed.apart))

    def _first_bound(self, queries: Packed, position: int, stop: Stop) -> FloatArray:
        """Return a bound of transport from labels and sizes.

        Ground costs are at least those of their labels. Of counts, those that are cut at twice the price are at least
        those of labels times the smaller of both; then the closed form charges half of it for every node without a
        partner, and the rest of the price is added.
        """
        rules = self._rules
        bound = np.zeros(len(self))
        label_cost = rules.label_cost if rules.price < 0 else min(rules.label_cost, 2 * rules.price)
        if self._lists is not None and queries.labels is not None:
            bound += label_cost * self._lists.distances(position, *queries.labels, rules.depth, stop)
        if rules.price >= 0:
            more = np.abs(queries.n_nodes[position] - self._packed.n_nodes)
            bound += (rules.price - label_cost / 2) * more
        return bound * (1 - _ERROR)

    # In files

    @property
    def numbers(self) -> dict[str, int]:
        """The numbers that a file holds beside the arrays."""
        return {"exponent": self._rules.exponent, "image_exponent": self._images.exponent}

    @classmethod
    def from_stored(cls, stored: Stored) -> TransportSearch:
        """Return the search of a file: see :class:`wassergraph.search.searcher.Searcher`."""
        example, exponent = stored.example, stored.exponent("exponent")
        rules = SearchRules.scaled(example, exponent, weighted=stored.weighted, largest=stored.largest)
        axes = stored.array("axes", np.float64, rules.width, None)
        center = stored.array("center", np.float64, rules.width)
        images = Images(axes, center, stored.exponent("image_exponent"))
        lists = None if example.codes is None else LabelLists.from_stored(stored.part("labels_"))
        packed = Packed(
            _stored_library(stored, rules, images),
            None if lists is None else (lists.histogram, lists.sizes),
            stored.apart(),
            stored.array("n_nodes", np.int64, len(stored.sizes)),
        )
        return cls(rules, images, lists, packed)

    def check(self, stored: Stored) -> None:
        """Raise an error unless all numbers are possible."""
        library = self._packed.library
        check_masses(library.ptr, library.mass, library.total, stored.totals(self._rules.total))
        check_equal("n_nodes", self._packed.n_nodes, stored.sizes)
        check_between("columns", library.columns, -LARGEST_POINT, LARGEST_POINT)
        for name, array in self.arrays.items():
            if array.dtype.kind == "f" and not name.startswith("labels_"):
                check_finite(name, array)
        if self._lists is not None:
            self._lists.check(stored)


def _library(side: Side, images: Images, rules: SearchRules, n_parts: int = VECTOR_PARTS) -> Library:
    """Return packed graphs with their images and vectors."""
    points = side.rows[: len(side.mass) * rules.width]
    image = images.map(points.reshape(len(side.mass), rules.width))
    means, parts = (_core.quantile_means(side.ptr, side.mass, image, number) for number in (1, n_parts))
    far = np.abs(image).max(axis=1, initial=0.0)
    reach = np.maximum.reduceat(far, side.ptr[:-1]) if len(side.total) else far
    columns, turned = by_coordinate(side.ptr, points, rules.width), by_coordinate(side.ptr, image.ravel(), images.width)
    return Library(side.ptr, side.mass, side.total, columns, side.codes, turned, means, parts, reach)


def _n_parts(library: Library) -> int:
    """Return the number of parts of a vector."""
    return len(library.parts) // max(len(library.means), 1) or VECTOR_PARTS


def _stored_library(stored: Stored, rules: SearchRules, images: Images) -> Library:
    """Return packed graphs of a file; raise an error unless their types and lengths fit together."""
    n_graphs, width = len(stored.sizes), images.width
    mass = stored.array("mass", np.int64, None)
    n_nodes, n_codes = len(mass), 0 if stored.example.codes is None else rules.depth + 1
    return Library(
        ptr=stored.array("ptr", np.int64, n_graphs + 1),
        mass=mass,
        total=stored.array("total", np.int64, n_graphs),
        columns=stored.array("columns", np.float64, n_nodes * rules.width),
        codes=stored.array("codes", np.uint64, n_codes, n_nodes),
        image=stored.array("image", np.float32, n_nodes * width),
        means=stored.array("means", np.float32, n_graphs * width),
        parts=_stored_parts(stored, n_graphs * width),
        reach=stored.array("reach", np.float32, n_graphs),
    )


def _stored_parts(stored: Stored, length: int) -> NDArray[np.float32]:
    """Return the vectors of a file: each has one part or more of the same length as its means."""
    parts = stored.array("parts", np.float32, None)
    if len(parts) < length or len(parts) % length:
        raise ValueError(f"parts has {len(parts)} numbers, which is no multiple of {length}")
    return parts
