"""The compiled core: the same bits on every level and every machine, and errors for wrong arrays."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

import wassergraph as wg
from wassergraph import _core
from wassergraph.distances.api import embedding_distances
from wassergraph.distances.options import SolverOptions
from wassergraph.distances.prepare import prepare
from wassergraph.transport.layout import Rules

#: Ways to compare the embedded graphs, and the first digits of the SHA-256 of the distances at four depths: a machine
#: or a compiler that rounds differently is noticed.
REFERENCES = {
    "points": ({"kind": "continuous"}, "62bfc1ada28e2275"),
    "labels and points": ({"kind": "joint"}, "d7bcb79d678a0d43"),
    "counts": ({"kind": "continuous", "mass": "count"}, "fd9cbb3191947c2d"),
}


def distances(options):
    """Return distances of the embedded graphs, at points that are the same on every machine."""
    graphs, _ = wg.load_dataset("demo")
    attributes = np.zeros((graphs.n_nodes, 5))
    embedding = wg.wl_embedding(replace(graphs, node_attributes=attributes), 3, **options)
    points = np.random.default_rng(0).integers(-4096, 4096, embedding.points.shape) / 1000.0
    unmatched = {"unmatched": 2.5} if options.get("mass") == "count" else {}
    return embedding_distances(replace(embedding, points=points, **unmatched), depths=range(4))


@pytest.fixture
def each_level():
    """Yield the levels of this processor, and use the one before again."""
    before = _core.level()
    yield _core.levels()
    _core.use_level(before)


@pytest.mark.parametrize("name", REFERENCES)
def test_distances_are_the_same_bits_on_every_level_and_machine(each_level, name):
    options, expected = REFERENCES[name]
    found = {}
    for level in each_level:
        _core.use_level(level)
        found[level] = hashlib.sha256(distances(options).tobytes()).hexdigest()[:16]
    assert set(found.values()) == {expected}, found


def test_the_level_can_be_chosen():
    code = "from wassergraph import _core; print(_core.level())"
    for level in _core.levels():
        run = subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "WASSERGRAPH_ISA": level},
            capture_output=True,
            text=True,
            check=True,
        )
        assert run.stdout.strip() == level
    with pytest.raises(ValueError, match="no level v9"):
        _core.use_level("v9")


# Wrong arrays


def block():
    """Return the arguments of a block of two pairs, by name."""
    graphs, _ = wg.load_dataset("demo")
    problem = prepare([wg.wl_embedding(graphs[:3], 1, kind="joint")], [0, 1], SolverOptions())
    given = problem.width, problem.dim, True, 2, problem.wanted, 0.5, 1.0, False, problem.prices, 0
    return {
        "pairs": np.array([[0, 1], [1, 2]]),
        "left": problem.left,
        "right": problem.right,
        "rules": Rules(*given, stop=np.zeros(1, dtype=np.bool_)),
        "out": np.empty((2, 2)),
        "status": np.zeros(2, dtype=np.int64),
    }


def test_a_right_block_is_solved():
    given = block()
    _core.solve_block(**given)
    assert (given["status"] >= 0).all()
    assert np.isfinite(given["out"]).all()


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("pairs", lambda pairs: pairs.astype(float)),
        ("pairs", lambda pairs: pairs.astype(np.int32)),
        ("pairs", lambda pairs: np.asfortranarray(pairs)),
        ("pairs", lambda pairs: pairs[:, :1]),
        ("pairs", lambda pairs: pairs + 2),
        ("pairs", lambda pairs: pairs - 1),
        ("out", lambda out: out[:, :1]),
        ("out", lambda out: out.astype(np.float32)),
        ("status", lambda status: status[:1]),
        ("left", lambda side: side._replace(ptr=side.ptr + 1000)),
        ("left", lambda side: side._replace(ptr=side.ptr[::-1].copy())),
        ("left", lambda side: side._replace(mass=side.mass.astype(float))),
        ("left", lambda side: side._replace(mass=side.mass[:5])),
        ("left", lambda side: side._replace(total=side.total[:1])),
        ("left", lambda side: side._replace(total=0 * side.total)),
        ("left", lambda side: side._replace(rows=side.rows[:7])),
        ("left", lambda side: side._replace(rows=side.rows[::2])),
        ("left", lambda side: side._replace(columns=side.columns[:7])),
        ("right", lambda side: side._replace(codes=side.codes[:1])),
        ("right", lambda side: side._replace(level=side.level[:1])),
        ("rules", lambda rules: rules._replace(width=1)),
        ("rules", lambda rules: rules._replace(counted=True)),
        ("rules", lambda rules: rules._replace(stop=np.zeros(3, dtype=np.bool_))),
        ("rules", lambda rules: rules._replace(wanted=rules.wanted.astype(int))),
    ],
)
def test_wrong_arrays_are_errors(name, change):
    given = block()
    given[name] = change(given[name])
    with pytest.raises((TypeError, ValueError)):
        _core.solve_block(**given)
