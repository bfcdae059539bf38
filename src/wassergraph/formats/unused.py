"""What graphs have and a reader does not read: said once, with the options that would read it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any, TypeAlias

import numpy as np

from wassergraph.errors import Option, UnusedDataWarning, warn_outside
from wassergraph.formats.features import FeatureNames, Thing, as_list

#: An example of the values that nodes, or edges, have under each name.
Examples: TypeAlias = Mapping[str, Any]
#: What is shown at most, and not compared: names and positions.
_ASIDE: dict[Thing, tuple[str, ...]] = {"node": ("pos", "name"), "edge": ("id",)}
#: How many names a sentence lists.
_SHOWN = 10


def _find_examples(rows: Iterable[Mapping[str, Any]], used: Iterable[object]) -> dict[str, Any]:
    """Return the names that are not used, with the first value of each, if they can be read as labels or attributes."""
    found: dict[str, Any] = {}
    for row in rows:
        for name, value in row.items():
            if value is not None:
                found.setdefault(name, value)
    aside = set(used)
    readable = {name: value for name, value in found.items() if _is_text(value) or _is_number(value)}
    return {str(name): value for name, value in readable.items() if name not in aside}


def warn_unread(
    rows: Mapping[Thing, Iterable[Mapping[str, Any]]],
    names: FeatureNames,
    chosen: Collection[Thing],
    reader: str | None = None,
    *,
    of_files: bool = False,
) -> None:
    """Show a warning about the names that are not read; about those of things that the user chose not if one is read.

    The names of nodes, their usual positions and the numbers of edges in files are not listed: they compare nothing.

    Parameters
    ----------
    rows : dict of iterables of mappings
        The values of nodes and of edges by name, or an example of them for each graph.
    names : FeatureNames
        The names that are read.
    chosen : collection of "node" and "edge"
        Of which things the user chose what to read.
    reader, of_files
        As for :func:`warn_unused`.
    """
    unread: dict[Thing, dict[str, Any]] = {"node": {}, "edge": {}}
    for thing, values in rows.items():
        if thing not in chosen or not names.used(thing) - set(as_list(names.node_positions)):
            unread[thing] = _find_examples(values, {*names.used(thing), *_ASIDE[thing]})
    warn_unused(unread["node"], unread["edge"], reader, of_files=of_files)


def warn_unused(nodes: Examples, edges: Examples, reader: str | None = None, *, of_files: bool = False) -> None:
    """Show a warning about what is not read, if there is anything.

    Parameters
    ----------
    nodes, edges : dict
        The names that are not read, with an example of their values.
    reader : str, optional
        The function that would read them, if it is not the one that was called.
    of_files : bool
        Whether graphs are read from files, by options of the command line.
    """
    options = [*_node_options(nodes), *_edge_options(edges, of_files)]
    if not options:
        return
    parts = [f"the {things} have {_listed(names)}" for things, names in (("nodes", nodes), ("edges", edges)) if names]
    named, single = ", ".join("{}" for _ in options), len(nodes) + len(edges) == 1
    remedy = (
        f"read the graphs by {reader} with {named}" if reader else f"pass {named} to read {'it' if single else 'them'}"
    )
    problem = f"{' and '.join(parts)}, which {'is' if single else 'are'} not read"
    warn_outside(UnusedDataWarning(problem, remedy=remedy, options=options))


def _node_options(names: Examples) -> list[Option]:
    texts = [name for name, value in names.items() if _is_text(value)]
    numbers = [name for name, value in names.items() if _is_number(value)]
    labels = [Option("node_labels", texts[0])] if texts else []
    return labels + ([Option("node_attributes", numbers)] if numbers else [])


def _edge_options(names: Examples, of_files: bool) -> list[Option]:
    texts = [name for name, value in names.items() if _is_text(value)]
    numbers = [name for name, value in names.items() if _is_number(value) and np.ndim(value) == 0]
    weights = [Option("edge_weights", "weight" if "weight" in numbers else numbers[0])] if numbers else []
    # On the command line, --edge-labels says whether edge labels are compared.
    labels = "edge_label_name" if of_files else "edge_labels"
    return weights + ([Option(labels, texts[0])] if texts else [])


def _is_text(value: object) -> bool:
    return isinstance(value, str | tuple) and not _is_number(value)


def _is_number(value: object) -> bool:
    """Return whether a value is a number or a vector."""
    if isinstance(value, dict | set | str):
        return False
    try:
        array = np.asarray(value)
    except ValueError:
        return False
    return array.dtype.kind in "iufb" and array.ndim <= 1 and array.size > 0


def _listed(names: Iterable[str]) -> str:
    shown = [repr(name) for name in names]
    if len(shown) > _SHOWN:
        shown = [*shown[:_SHOWN], "…"]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
