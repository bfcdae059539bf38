"""Names of the labels of a TU data set, where the text file beside its tables lists them.

Two forms are known. ``README.txt`` of the older data sets has lists such as ::

    Node labels:

      0  C
      1  N

and ``NAME_label_readme.txt`` of others has ``Node labels were converted to integer values using this map:``, one
``Component 0:`` for each column of labels with lines of a number and a name, and ``Node attributes: [x, y]``.
"""

from __future__ import annotations

import re

from wassergraph.arrays import IntArray
from wassergraph.formats.labels import encode_label
from wassergraph.graphs.vocabulary import Vocabulary

_COMPONENT = re.compile(r"Component (\d+):")
_ENTRY = re.compile(r"(-?\d+)\s+(\S.*)")
_ATTRIBUTES = re.compile(r"^Node attributes:\s*\[([^\]]+)\]", re.MULTILINE | re.IGNORECASE)


def read_readme(text: bytes, node_labels: IntArray | None, edge_labels: IntArray | None) -> Vocabulary:
    """Return the names that a text file lists.

    Parameters
    ----------
    text : bytes
        The file; empty if there is none.
    node_labels, edge_labels : (n, columns) integers, optional
        The tables of labels, whose rows are the labels.

    Returns
    -------
    Vocabulary
    """
    lines = text.decode(errors="replace")
    attributes = _ATTRIBUTES.search(lines)
    return Vocabulary(
        _name_rows(node_labels, _listed_names(lines, "node")),
        _name_rows(edge_labels, _listed_names(lines, "edge")),
        tuple(name.strip() for name in attributes.group(1).split(",")) if attributes else (),
    )


def _listed_names(text: str, thing: str) -> dict[int, dict[int, str]]:
    """Return the names by column and number; empty unless every line of the list is a number and a name."""
    heading = rf"{thing} labels(?: were converted to integer values using this map)?:[ \t]*$"
    lines = iter(text.splitlines())
    if not any(re.match(heading, line.strip(), re.IGNORECASE) for line in lines):
        return {}
    names: dict[int, dict[int, str]] = {}
    column = 0
    for line in map(str.strip, lines):
        component, entry = _COMPONENT.fullmatch(line), _ENTRY.fullmatch(line)
        if component:
            column = int(component.group(1))
        elif entry:
            names.setdefault(column, {})[int(entry.group(1))] = entry.group(2)
        elif line:
            break
    return names


def _name_rows(table: IntArray | None, names: dict[int, dict[int, str]]) -> dict[int, str]:
    """Return the name of each label; labels of several columns, which become hashes, have one in any case."""
    if table is None:
        return {}
    if table.shape[1] == 1:
        return names.get(0, {})
    rows = set(map(tuple, table.tolist()))
    return {
        encode_label(row): f"({', '.join(names.get(k, {}).get(part, str(part)) for k, part in enumerate(row))})"
        for row in rows
    }
