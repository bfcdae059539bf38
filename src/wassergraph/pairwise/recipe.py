"""Recipe: everything that distances depend on, in a form that people and programs can read and compare."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from wassergraph.errors import InputError, Option
from wassergraph.files.content_keys import ALGORITHM, array_digest
from wassergraph.graphs.batch import GraphBatch
from wassergraph.graphs.stereo import as_compared
from wassergraph.metrics.node_embedding import NodeEmbedding
from wassergraph.metrics.scheme import Scheme
from wassergraph.metrics.solvers import Exact, Sinkhorn, Sliced, Solver, seed_of
from wassergraph.pairwise.options import check_dtype

Recipe: TypeAlias = Mapping[str, Any]
#: The parts of a recipe, and how a sentence names them. Numbers and options are named with their values.
_PARTS = {
    "graphs_sha256": "the graphs",
    "others_sha256": "the other graphs",
    "weights_sha256": "the weights",
    "other_weights_sha256": "the weights of the other graphs",
    "learned": "the mean and the scale of attributes that the metric has learned",
}
#: What earlier versions did not write.
_LATER = ("degrees", "learned")


def make_recipe(
    batches: Sequence[GraphBatch],
    weights: Sequence[ArrayLike | None],
    scheme: Scheme,
    depth: int | Sequence[int],
    solver: Solver,
    dtype: DTypeLike = np.float64,
) -> dict[str, Any]:
    """Return the recipe of distances; options that have no influence on them are None.

    Parameters
    ----------
    batches : one or two GraphBatch
        The graphs, and the others if there are any.
    weights : sequence of arrays or None
        The masses of the nodes of each batch.
    scheme : Scheme
        How nodes are embedded.
    depth : int or sequence of int
        The depth, or the depths in their order.
    solver : Exact, Sinkhorn or Sliced
        What computes the distances.
    dtype : float64 or float32
        Their type.

    Returns
    -------
    dict
        Numbers, texts, lists and None: it can be written as JSON, and read from there unchanged. A seed that is still
        to be drawn is None.
    """
    # Stereochemistry that is not compared is not part of the graphs, as in stores of earlier versions.
    batches = [as_compared(batch, scheme.features.uses_stereo) for batch in batches]
    return {**_describe_graphs(batches, weights), **_describe_scheme(scheme), **describe_solver(depth, solver, dtype)}


def _describe_graphs(batches: Sequence[GraphBatch], weights: Sequence[ArrayLike | None]) -> dict[str, Any]:
    sides = [*zip(batches, weights, strict=True), (None, None)][:2]
    counts = [None if batch is None else len(batch) for batch, _ in sides]
    graphs = [None if batch is None else array_digest(batch) for batch, _ in sides]
    masses = [None if w is None else _digest(np.asarray(w, dtype=np.float64)) for _, w in sides]
    return {
        "graphs": counts[0],
        "others": counts[1],
        "graphs_sha256": graphs[0],
        "others_sha256": graphs[1],
        "weights_sha256": masses[0],
        "other_weights_sha256": masses[1],
    }


def _describe_scheme(scheme: Scheme) -> dict[str, Any]:
    averages = scheme.kind != "categorical"
    return {
        "kind": scheme.kind,
        "features": str(scheme.features),
        "standardize": scheme.standardized if averages else None,
        "isolated": scheme.isolated if averages else None,
        "label_weight": scheme.label_weight if scheme.kind == "joint" else None,
        "mass": scheme.mass,
        # The default is computed from attributes; its last digits depend on the processor.
        "unmatched": float(f"{scheme.unmatched:.9g}") if scheme.mass == "count" else None,
        "size_weight": scheme.size_weight,
        "degrees": scheme.degrees,
        "learned": _learned_digest(scheme) if averages and scheme.standardized else None,
    }


def describe_solver(depth: int | Sequence[int], solver: Solver, dtype: DTypeLike) -> dict[str, Any]:
    """Return the part of a recipe that is about depths and the solver.

    ``max_iter`` is no part of it, so that a run that failed can go on with more iterations.
    """
    sinkhorn = solver if isinstance(solver, Sinkhorn) else None
    sliced = solver if isinstance(solver, Sliced) else None
    return {
        "depth": np.asarray(depth).tolist(),
        "solver": solver.name,
        "reg": float(sinkhorn.reg) if sinkhorn else None,
        "tol": float(sinkhorn.tol) if sinkhorn else None,
        "n_projections": int(sliced.n_projections) if sliced else None,
        "random_state": seed_of(sliced) if sliced and sliced.random_state is not None else None,
        "dtype": check_dtype(dtype).name,
        "algorithm": ALGORITHM,
    }


def solver_of(recipe: Recipe, max_iter: int | None = None) -> Solver:
    """Return the solver that a recipe describes."""
    if recipe["solver"] == "sinkhorn":
        return Sinkhorn(recipe["reg"], recipe["tol"], max_iter)
    if recipe["solver"] == "sliced":
        return Sliced(recipe["n_projections"], recipe["random_state"])
    return Exact(max_iter)


def recipe_digest(recipe: Recipe, inputs: Sequence[NodeEmbedding]) -> str:
    """Return a digest of a recipe and of the embedded graphs: 64 hexadecimal digits."""
    parts = [json.dumps(recipe, sort_keys=True), *(array_digest(side) for side in inputs)]
    return hashlib.sha256(" ".join(parts).encode()).hexdigest()


def check_same(stored: Recipe, recipe: Recipe, path: str | Path) -> None:
    """Raise an error that names what differs, unless two recipes describe the same distances."""
    different = differences(stored, recipe)
    if different and stored.get("algorithm") != recipe["algorithm"]:
        raise InputError(
            "this store was begun by another version of wassergraph, which rounds differently",
            remedy="remove the store, or choose another {}, and begin anew; if it is complete, open_distances reads it",
            options=[Option("out")],
            file=path,
        )
    if different:
        raise InputError(
            f"this store was begun with other input: {'; '.join(different)}",
            remedy="remove the store, choose another {}, or repeat the call that began it",
            options=[Option("out")],
            file=path,
        )


def differences(stored: Recipe, recipe: Recipe) -> list[str]:
    """Return a sentence for everything in which a recipe, or a part of one, differs from that of a store."""
    same = all(stored.get(name) == recipe.get(name) for name in ("graphs_sha256", "standardize", "degrees"))
    known = [name for name in recipe if name not in _LATER or (name in stored and (same or name != "learned"))]
    names = [name for name in known if stored.get(name) != recipe[name]]
    values = [
        f"{name} is {stored.get(name)} in the store, and {recipe[name]} now" for name in names if name not in _PARTS
    ]
    return [f"{_PARTS[name]} differ" for name in names if name in _PARTS] + values


def _learned_digest(scheme: Scheme) -> str:
    """Return a digest of mean and scale without their last digits, which depend on the processor."""
    assert scheme.mean is not None
    assert scheme.scale is not None
    numbers = [f"{value + 0.0:.6f}" for value in np.round(scheme.mean / scheme.scale, 6)]
    numbers += [f"{value:.6g}" for value in scheme.scale]
    return hashlib.sha256(" ".join(numbers).encode()).hexdigest()


def _digest(array: Any) -> str:
    return hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest()
