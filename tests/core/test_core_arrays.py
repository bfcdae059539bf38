"""What the core does with wrong arrays, which are errors, and with a flag that ends its work."""

from __future__ import annotations

import contextlib
import threading
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import wassergraph as wg
from made_metrics import solver_of
from wassergraph import _core
from wassergraph.pairwise.layout import Histogram, Line, Rules, Sizes
from wassergraph.pairwise.prepare import prepare
from wassergraph.pairwise.tiles import Tile
from wassergraph.status import NOT_STARTED, STOPPED

HUGE = 2**63 - 1
EXTREMES = [-(2**63), -(2**62), -(2**31), -1, 0, 1, 2, 3, 7, 100, 2**31, 2**32, 2**61, 2**62, HUGE]


# Right calls of each function, by name


def embedded(kind, **options):
    """Return the problem of three graphs at two depths."""
    graphs, _ = wg.load_dataset("demo")
    return prepare([wg.WWL(depth=1, kind=kind).embed(graphs[:3])], [0, 1], solver_of(**options))


def label_tile():
    problem = embedded("categorical")
    sides = {"left": problem.left, "right": problem.right}
    sizes = {"left_sizes": problem.left_sizes, "right_sizes": problem.right_sizes}
    rest = {"wanted": np.array([True, True]), "stop": np.zeros(1, dtype=np.bool_), "out": np.zeros((2, 2, 3))}
    return {"tile": Tile(0, 2, 0, 3), "above_diagonal": False, **sides, **sizes, **rest}


def label_pairs():
    given = label_tile()
    del given["tile"], given["above_diagonal"]
    return {**given, "pairs": np.array([[0, 1], [1, 2]]), "out": np.zeros((2, 2))}


def add_line():
    ptr, total = np.array([0, 2, 5, 6]), np.array([3, 4, 1])
    line = Line(ptr, total, np.array([0.0, 1.0, 0.5, 2.0, 3.0, 1.0]), np.array([1, 2, 1, 2, 1, 1]))
    pairs, stop = np.array([[0, 1], [1, 2]]), np.zeros(1, dtype=np.bool_)
    return {"pairs": pairs, "left": line, "right": line, "stop": stop, "out": np.zeros(2)}


def solve_block():
    problem = embedded("joint")
    fields = {"width": problem.width, "dim": problem.dim, "coded": True, "wanted": problem.wanted}
    costs = {"label_weight": 0.5, "label_cost": 1.0, "counted": False, "prices": problem.prices}
    return {
        "pairs": np.array([[0, 1], [1, 2]]),
        "left": problem.left,
        "right": problem.right,
        "rules": Rules(**fields, **costs, max_iter=1000, stop=np.zeros(1, dtype=np.bool_)),
        "out": np.zeros((2, 2)),
        "status": np.zeros(2, dtype=np.int64),
    }


def sinkhorn_block():
    return {**solve_block(), "reg": 0.5, "tol": 1e-3}


def number_codes():
    return {"codes": np.arange(10, dtype=np.uint64) // 2}


def count_numbers():
    ptr, numbers = np.array([0, 2, 5]), np.array([0, 1, 2, 2, 0])
    return {"ptr": ptr, "numbers": numbers, "weights": np.array([1, 2, 3, 4, 5]), "n_distinct": 3}


def decay():
    return {"x": np.arange(10.0), "rate": 0.5, "out": np.zeros(10)}


def take_block():
    rows, columns = np.array([2, 0]), np.array([1, 3, 3])
    return {"matrix": np.arange(12.0).reshape(3, 4), "rows": rows, "columns": columns, "out": np.zeros((2, 3))}


def add_differences():
    return {"matrix": np.zeros((2, 3)), "weight": 0.5, "rows": np.array([1.0, 2.0]), "columns": np.arange(3.0)}


MAKERS = [
    label_tile,
    label_pairs,
    add_line,
    solve_block,
    sinkhorn_block,
    number_codes,
    count_numbers,
    decay,
    take_block,
    add_differences,
]
WRITTEN = {"label_tile": "out", "add_line": "out", "solve_block": "status", "sinkhorn_block": "out", "decay": "out"}
WRITTEN |= {"label_pairs": "out", "take_block": "out", "add_differences": "matrix"}


def function(make):
    return getattr(_core, make.__name__)


@pytest.mark.parametrize("make", MAKERS)
def test_right_arrays_are_no_errors(make):
    given = make()
    function(make)(**given)
    written = WRITTEN.get(make.__name__)
    assert written is None or given[written].any()


# Arrays of another type, order or layout


def arrays_of(given):
    """Yield the names of all arrays among arguments: (argument, None) or (argument, field of a named tuple)."""
    for name, value in given.items():
        if isinstance(value, np.ndarray):
            yield name, None
        for part in getattr(value, "_fields", ()):
            if isinstance(getattr(value, part), np.ndarray):
                yield name, part


def array_of(given, name, part):
    return given[name] if part is None else getattr(given[name], part)


def changed(given, name, part, value):
    """Return the arguments with another array."""
    return {**given, name: value if part is None else given[name]._replace(**{part: value})}


ARRAYS = [(make, name, part) for make in MAKERS for name, part in arrays_of(make())]


def spoiled(array):
    """Yield the same numbers in arrays that the core does not take."""
    yield array.tolist()
    yield None
    with np.errstate(over="ignore"):
        yield array.astype(np.float16)
    yield array.astype(object)
    yield array.view(np.uint8 if array.dtype == bool else f"V{array.itemsize}")
    if array.dtype.itemsize > 1:
        yield array.astype(array.dtype.newbyteorder())
    if array.size > 1:
        yield np.repeat(array, 2, axis=-1)[..., ::2]
        yield array[..., ::-1]
    if array.size > 1 and array.ndim > 1:
        yield np.asfortranarray(array)


@pytest.mark.parametrize(("make", "name", "part"), ARRAYS)
def test_arrays_of_another_type_or_layout_are_errors(make, name, part):
    given = make()
    for wrong in spoiled(array_of(given, name, part)):
        with pytest.raises((TypeError, ValueError)):
            function(make)(**changed(given, name, part, wrong))


@pytest.mark.parametrize("make", [make for make in MAKERS if make.__name__ in WRITTEN])
def test_arrays_that_cannot_be_written_are_errors(make):
    given = make()
    given[WRITTEN[make.__name__]].flags.writeable = False
    with pytest.raises(TypeError):
        function(make)(**given)


# Shapes and ranges

HISTOGRAMS = [
    lambda counted: counted._replace(ptr=counted.ptr[:1]),
    lambda counted: counted._replace(ptr=counted.ptr[:, :2].copy()),
    lambda counted: counted._replace(ptr=counted.ptr[:, :0].copy()),
    lambda counted: counted._replace(ptr=counted.ptr[0]),
    lambda counted: counted._replace(mass=counted.mass[:-1]),
    lambda counted: counted._replace(mass_in_graph=counted.mass_in_graph[:-1]),
]
GRAPH_LABELS = [
    lambda counted: counted._replace(ptr=counted.ptr - 1000),
    lambda counted: counted._replace(ptr=counted.ptr + 10**6),
    lambda counted: counted._replace(ptr=counted.ptr + (HUGE - counted.ptr.max())),
    lambda counted: counted._replace(ptr=counted.ptr[:, ::-1].copy()),
    lambda counted: counted._replace(label=counted.label[:1], mass=counted.mass[:1]),
]
LABEL_NUMBERS = [
    lambda counted: counted._replace(label=counted.label - 100),
    lambda counted: counted._replace(label=counted.label + 100),
    lambda counted: counted._replace(label=np.full_like(counted.label, HUGE)),
    lambda counted: counted._replace(label=np.full_like(counted.label, -HUGE - 1)),
]
GRAPH_LISTS = [
    lambda counted: counted._replace(start=counted.start + 10**6),
    lambda counted: counted._replace(start=counted.start - HUGE),
    lambda counted: counted._replace(start=counted.start[::-1].copy()),
    lambda counted: counted._replace(start=counted.start[:2]),
    lambda counted: counted._replace(start=counted.start[:0]),
    lambda counted: counted._replace(graph=counted.graph + 1000),
    lambda counted: counted._replace(graph=counted.graph - 1000),
]
SIZES = [
    lambda sizes: sizes._replace(total=sizes.total[:2]),
    lambda sizes: sizes._replace(extra=sizes.extra[:2]),
    lambda sizes: sizes._replace(extra=np.zeros(4)),
]
PAIRS = [
    lambda pairs: pairs[:1],
    lambda pairs: pairs[:, :1].copy(),
    lambda pairs: pairs.ravel(),
    lambda pairs: pairs + 2,
    lambda pairs: pairs - 1,
    lambda pairs: pairs + 2**62,
    lambda pairs: np.full_like(pairs, HUGE),
]
FLAGS = [lambda flags: np.full(len(flags), 2, dtype=np.uint8).view(np.bool_)]
LABELS = [
    *((side, change) for side in ("left", "right") for change in HISTOGRAMS),
    *(("left", change) for change in GRAPH_LABELS),
    *((side, change) for side in ("left_sizes", "right_sizes") for change in SIZES),
    *(("wanted", change) for change in FLAGS),
    ("wanted", lambda wanted: wanted[:1]),
    ("wanted", lambda _: np.ones(3, dtype=np.bool_)),
    ("stop", lambda stop: stop.repeat(2)),
    ("stop", lambda stop: stop[:0]),
    ("out", lambda out: out[..., 1:].copy()),
    ("out", lambda out: out[:1]),
    ("out", lambda out: out[0]),
    ("out", lambda out: out.astype(np.float32)),
]
LINES = [
    lambda line: line._replace(ptr=line.ptr[:-1]),
    lambda line: line._replace(ptr=line.ptr[:0]),
    lambda line: line._replace(ptr=line.ptr + 1),
    lambda line: line._replace(ptr=line.ptr - 1),
    lambda line: line._replace(ptr=line.ptr[::-1].copy()),
    lambda line: line._replace(ptr=np.array([0, 2, 2, 6])),
    lambda line: line._replace(ptr=np.array([0, 2, HUGE, 6])),
    lambda line: line._replace(total=line.total[:-1]),
    lambda line: line._replace(total=line.total + 1),
    lambda line: line._replace(total=0 * line.total, mass=0 * line.mass),
    lambda line: line._replace(total=-line.total, mass=-line.mass),
    lambda line: line._replace(coordinates=line.coordinates[:-1]),
    lambda line: line._replace(mass=line.mass[:-1]),
    lambda line: line._replace(mass=np.array([-1, 4, 1, 2, 1, 1])),
    # Sums that overflow to the total.
    lambda line: line._replace(mass=np.array([1, 2, 2**62, 2**62, HUGE, 1]), total=np.array([3, HUGE, 1])),
]
SIDES = [
    lambda side: side._replace(ptr=side.ptr + 1000),
    lambda side: side._replace(ptr=side.ptr - 1000),
    lambda side: side._replace(ptr=side.ptr[::-1].copy()),
    lambda side: side._replace(ptr=side.ptr[:2]),
    lambda side: side._replace(ptr=np.full_like(side.ptr, 2)),
    lambda side: side._replace(ptr=np.array([0, HUGE, HUGE, HUGE])),
    lambda side: side._replace(mass=side.mass[:5]),
    lambda side: side._replace(total=side.total[:1]),
    lambda side: side._replace(total=0 * side.total),
    lambda side: side._replace(rows=side.rows[:7]),
    lambda side: side._replace(columns=side.columns[:7]),
    lambda side: side._replace(codes=side.codes[:1]),
    lambda side: side._replace(level=side.level[:1]),
    lambda side: side._replace(level=side.level + 1),  # the first node of a graph has none before it
]
RULES = [
    lambda rules: rules._replace(width=1),
    lambda rules: rules._replace(width=-1),
    lambda rules: rules._replace(width=2**62),
    lambda rules: rules._replace(width=2**61 + rules.width),
    lambda rules: rules._replace(width=2**70),
    lambda rules: rules._replace(width=1.5),
    lambda rules: rules._replace(dim=-1),
    lambda rules: rules._replace(dim=2**63 - 1),
    lambda rules: rules._replace(dim=2**62),  # times two depths this is negative
    lambda rules: rules._replace(dim=2**63),
    lambda rules: rules._replace(dim=rules.dim + 1),
    lambda rules: rules._replace(counted=True),
    lambda rules: rules._replace(coded="yes"),
    lambda rules: rules._replace(label_cost="much"),
    lambda rules: rules._replace(max_iter=2**63),
    lambda rules: rules._replace(wanted=rules.wanted[:1]),
    lambda rules: rules._replace(wanted=np.ones(3, dtype=np.bool_)),
    lambda rules: rules._replace(wanted=FLAGS[0](rules.wanted)),
    lambda rules: rules._replace(stop=np.zeros(3, dtype=np.bool_)),
    lambda rules: rules._replace(stop=np.zeros(0, dtype=np.bool_)),
]
BLOCKS = [
    *(("pairs", change) for change in PAIRS),
    *((side, change) for side in ("left", "right") for change in SIDES),
    *(("rules", change) for change in RULES),
    ("out", lambda out: out[:, :1].copy()),
    ("out", lambda out: out[:1]),
    ("out", lambda out: out.ravel()),
    ("status", lambda status: status[:1]),
]
COUNTS = [
    ("ptr", lambda ptr: ptr[:0]),
    ("ptr", lambda ptr: ptr - 1),
    ("ptr", lambda ptr: ptr + 1),
    ("ptr", lambda ptr: ptr[::-1].copy()),
    ("ptr", lambda _: np.array([0, HUGE, 5])),
    ("ptr", lambda _: np.array([-HUGE - 1, 0, 5])),
    ("numbers", lambda numbers: numbers[:-1]),
    ("numbers", lambda numbers: numbers + 1),
    ("numbers", lambda numbers: numbers - 1),
    ("numbers", lambda numbers: numbers + (HUGE - 2)),
    ("weights", lambda weights: weights[:-1]),
    ("n_distinct", lambda _: 2),
    ("n_distinct", lambda _: -1),
    ("n_distinct", lambda _: HUGE),
    ("n_distinct", lambda _: 2**64),
]
BLOCK_OF_MATRIX = [
    ("matrix", lambda matrix: matrix[:2]),
    ("matrix", lambda matrix: matrix[:, :3].copy()),
    ("matrix", lambda matrix: matrix.ravel()),
    *((name, change) for name in ("rows", "columns") for change in (lambda at: at + 4, lambda at: at - 4)),
    *((name, change) for name in ("rows", "columns") for change in (lambda at: at + 2**61, lambda at: at - 2**61)),
    ("rows", lambda rows: rows[:1]),
    ("columns", lambda columns: columns[:, None]),
    ("out", lambda out: out.T.copy()),
    ("out", lambda out: out.astype(np.float32)),
]
WRONG = [
    *((make, *change) for make in (label_tile, label_pairs) for change in LABELS),
    *((label_tile, "left", change) for change in LABEL_NUMBERS),
    *((label_tile, "right", change) for change in GRAPH_LISTS),
    *((label_pairs, "right", change) for change in GRAPH_LABELS),
    *((label_pairs, "pairs", change) for change in PAIRS),
    (label_tile, "tile", lambda tile: tile._replace(row_begin=-1)),
    (label_tile, "tile", lambda tile: tile._replace(row_end=4)),
    (label_tile, "tile", lambda tile: tile._replace(column_begin=2, column_end=1)),
    (label_tile, "tile", lambda tile: tile._replace(column_end=2**62)),
    (label_tile, "tile", lambda tile: tile._replace(column_end=2**64)),
    (label_tile, "tile", lambda tile: tile._replace(column_end=1.5)),
    *((add_line, "pairs", change) for change in PAIRS),
    *((add_line, side, change) for side in ("left", "right") for change in LINES),
    (add_line, "out", lambda out: out[:1]),
    (add_line, "stop", lambda stop: stop[:0]),
    *((make, *change) for make in (solve_block, sinkhorn_block) for change in BLOCKS),
    (sinkhorn_block, "reg", lambda _: "much"),
    (number_codes, "codes", lambda codes: codes.reshape(2, 5)),
    *((count_numbers, *change) for change in COUNTS),
    (decay, "x", lambda x: x[:-1]),
    (decay, "x", lambda x: x.astype(np.float32)),
    (decay, "out", lambda out: out.astype(np.float32)),
    (decay, "rate", lambda _: None),
    *((take_block, *change) for change in BLOCK_OF_MATRIX),
    (add_differences, "matrix", lambda matrix: matrix.T.copy()),
    (add_differences, "matrix", lambda matrix: matrix.astype(np.float32)),
    (add_differences, "rows", lambda rows: rows[:1]),
    (add_differences, "columns", lambda columns: columns[:1]),
]


@pytest.mark.parametrize(("make", "name", "change"), WRONG)
def test_wrong_arrays_are_errors(make, name, change):
    given = make()
    given[name] = change(given[name])
    with pytest.raises((TypeError, ValueError)):
        function(make)(**given)


def weighted_line(*totals):
    """Return two graphs of two nodes each, at 0 and 1, with equal masses up to 1."""
    mass = np.array([[total // 2, total - total // 2] for total in totals])
    return Line(np.array([0, 2, 4]), np.array(totals), np.tile([0.0, 1.0], 2), mass.ravel())


def test_masses_on_lines_have_a_common_total():
    """The masses of a pair are multiplied up to the least common multiple of their totals, which must not overflow."""
    given = add_line() | {"pairs": np.array([[0, 1]]), "out": np.zeros(1)}
    for total, other in ((2**52, 2**52), (2**61, 3), (2**31, 2**32 - 1), (HUGE, HUGE)):
        line = weighted_line(total, other)
        _core.add_line(**given | {"left": line, "right": line})
    np.testing.assert_allclose(given["out"], 0.5 - 1 / 3, rtol=1e-8)  # of 2^61 and 3; the others are nearly 0
    for total, other in ((2**42, 2**42 - 1), (2**62, 3), (HUGE, HUGE - 1), (2**32, 2**32 - 1)):
        line = weighted_line(total, other)
        with pytest.raises(ValueError, match="common multiple"):
            _core.add_line(**given | {"left": line, "right": line})


# Any numbers in place of the right ones


@st.composite
def corrupted(draw):
    """Draw a right call in which some numbers are replaced by others."""
    make = draw(st.sampled_from(MAKERS))
    arguments = make()
    names = [(name, part) for maker, name, part in ARRAYS if maker is make]
    for name, part in draw(st.lists(st.sampled_from(names), min_size=1, max_size=3)):
        array = array_of(arguments, name, part).copy()
        if array.size and array.dtype.kind in "iu":
            limits = np.iinfo(array.dtype)
            values = [value for value in EXTREMES if limits.min <= value <= limits.max]
            place = draw(st.integers(0, array.size - 1))
            array.reshape(-1)[place] = draw(st.sampled_from(values))
        arguments = changed(arguments, name, part, array)
    return make, arguments


@given(corrupted())
def test_any_numbers_give_results_or_errors(call):
    make, arguments = call
    with contextlib.suppress(TypeError, ValueError):
        function(make)(**arguments)


# Interrupts


def stopped(make):
    """Return a right call whose flag is set."""
    given = make()
    flag = given["rules"].stop if "rules" in given else given["stop"]
    flag[0] = True
    return given


@pytest.mark.parametrize("make", [label_tile, label_pairs, add_line])
def test_nothing_is_computed_after_a_stop(make):
    given = stopped(make)
    function(make)(**given)
    assert not given["out"].any()


@pytest.mark.parametrize("make", [solve_block, sinkhorn_block])
def test_solvers_tell_that_they_were_stopped(make):
    given = stopped(make)
    function(make)(**given)
    assert given["status"][0] == STOPPED
    assert not given["out"].any()


def long_lines():
    """Return pairs of large graphs on a line, which take minutes unless they are stopped."""
    n, k = 300_000, 300_000
    mass, coordinates = np.ones(n, dtype=np.int64), np.arange(float(n))
    lines = [Line(np.array([0, n]), np.array([n]), coordinates + shift, mass) for shift in (0, 1)]
    given = add_line() | {"left": lines[0], "right": lines[1]}
    return given | {"pairs": np.zeros((k, 2), dtype=np.int64), "out": np.full(k, -1.0)}


def long_tile():
    """Return a tile of graphs that share labels at many depths, which takes a minute unless it is stopped."""
    n_rows, n_columns, n_levels = 5_000, 200, 500
    sides = {"left": equal_graphs(n_rows, n_levels), "right": equal_graphs(n_columns, n_levels)}
    sizes = {f"{side}_sizes": Sizes(np.ones(n), np.zeros(n)) for side, n in (("left", n_rows), ("right", n_columns))}
    wanted, out = np.arange(n_levels) == n_levels - 1, np.full((1, n_rows, n_columns), -1.0)
    return label_tile() | sides | sizes | {"tile": Tile(0, n_rows, 0, n_columns), "wanted": wanted, "out": out}


def equal_graphs(n, n_levels):
    """Return histograms of graphs that have the same hundred labels at all levels."""
    ptr, label = np.tile(100 * np.arange(n + 1), (n_levels, 1)), np.tile(np.arange(100), n)
    graph, masses = np.tile(np.arange(n, dtype=np.int32), 100), np.ones(100 * n)
    return Histogram(ptr, label, masses, n * np.arange(101), graph, masses)


def run_and_stop(call, stop, begun):
    """Call a function in another thread, and set the flag once it has begun; it must then end."""
    thread = threading.Thread(target=call, daemon=True)
    thread.start()
    while thread.is_alive() and not begun():
        time.sleep(1e-3)
    stop[0] = True
    thread.join(timeout=60)
    assert not thread.is_alive()


@pytest.mark.parametrize(("core", "make"), [(_core.add_line, long_lines), (_core.label_tile, long_tile)])
def test_another_thread_ends_long_work(core, make):
    given = make()
    out = given["out"].reshape(-1)
    run_and_stop(lambda: core(**given), given["stop"], lambda: out[0] != -1.0)
    assert out[0] != -1.0
    assert out[-1] == -1.0


def test_another_thread_ends_iterations():
    given = sinkhorn_block() | {"tol": 0.0}  # which no iteration reaches
    given["rules"] = given["rules"]._replace(max_iter=2**62)
    run_and_stop(lambda: _core.sinkhorn_block(**given), given["rules"].stop, lambda: True)
    assert given["status"][0] == STOPPED


# Numbers that would lead a solver astray


def plan(cost, supply, demand):
    n, m = cost.shape
    results = np.empty(n + m, dtype=np.uint32), np.empty(n + m, dtype=np.int64), np.empty(n + m)
    return _core.solve_plan(cost, np.array(supply), np.array(demand), 0, np.zeros(1, dtype=np.bool_), *results)


def test_costs_beyond_those_of_missing_arcs_are_not_started():
    cost = 1e305 * (1 + 1e-7 * np.random.default_rng(0).integers(0, 9, (5, 5)))
    assert plan(cost, [1] * 5, [1] * 5) == NOT_STARTED
    assert plan(np.full((5, 5), np.nan), [1] * 5, [1] * 5) == NOT_STARTED


@pytest.mark.parametrize(
    ("supply", "demand"),
    [
        ([3 * 2**59, 3 * 2**59, 2**59, 2**59, 3 * 2**59], [2**59, 3 * 2**59, 2**59, 3 * 2**59, 3 * 2**59]),
        ([2**62, 2**62, 2**62, 2**62, 0], [0, 0, 0, 0, 0]),
        ([-1, 2, 0, 0, 0], [1, 0, 0, 0, 0]),
        ([2**59, 0, 0, 0, 0], [0, 0, 0, 0, 2**59]),
    ],
)
def test_plans_of_impossible_masses_are_errors(supply, demand):
    with pytest.raises(ValueError, match="mass"):
        plan(np.random.default_rng(0).normal(size=(5, 5)) ** 2, supply, demand)


def test_statuses_may_not_replace_pairs():
    given = solve_block()
    given["status"] = given["pairs"].ravel()[:2]
    with pytest.raises(ValueError, match="share memory"):
        _core.solve_block(**given)
    values = np.ones(9)
    with pytest.raises(ValueError, match="share memory"):
        _core.decay(values[:-1], 1.0, values[1:])
    _core.decay(values, 1.0, values)
    np.testing.assert_allclose(values, np.exp(-1.0))


def test_means_that_no_array_could_hold_are_errors():
    ptr = np.zeros(2**15 + 1, dtype=np.int64)
    ptr[-1] = 1
    points = np.zeros((1, 2**20), dtype=np.float32)
    with pytest.raises((ValueError, MemoryError)):
        _core.quantile_means(ptr, np.ones(1, dtype=np.int64), points, 2**29)


def test_arrays_must_be_fields_of_named_tuples():
    class Computed:
        def __getattr__(self, name):
            return getattr(add_line()["left"], name).copy()

    given = add_line()
    given["left"] = Computed()
    with pytest.raises(TypeError, match="named tuple"):
        _core.add_line(**given)
