"""Names for the numbers of a batch: what its labels and attributes are called, wherever a person reads them.

A batch stores labels as integers, strings among them as hashes. The vocabulary of the batch keeps their names. Names
change no distance: they are not part of the equality of two batches, nor of the keys of computed results.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Literal, TypeAlias

from wassergraph.errors import InputError, InputTypeError
from wassergraph.graphs.elements import BOND_NAMES, SYMBOLS

#: The fields of a batch whose integers have names.
LabelField: TypeAlias = Literal["node_labels", "edge_labels"]
LABEL_FIELDS: tuple[LabelField, ...] = ("node_labels", "edge_labels")


@dataclass(frozen=True)
class Vocabulary:
    """The names of the labels and attributes of a :class:`~wassergraph.GraphBatch`.

    Readers fill it: with the strings that labels were, the symbols of elements, and the names of attributes.
    :meth:`GraphBatch.with_names` sets it.

    Attributes
    ----------
    node_labels, edge_labels : mapping of int to str
        The name of each label that has one.
    node_attributes : tuple of str
        The name of each column of the node attributes; empty if they have none.

    See Also
    --------
    GraphBatch : the graphs that have a vocabulary

    Examples
    --------
    >>> import wassergraph as wg
    >>> names = wg.Vocabulary(node_labels={0: "helix", 1: "sheet"}, node_attributes=("length",))
    >>> names.node_label(1), names.node_label(2), names.node_attribute(0)
    ('sheet', '2', 'length')
    """

    node_labels: Mapping[int, str] = field(default_factory=dict)
    edge_labels: Mapping[int, str] = field(default_factory=dict)
    node_attributes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in LABEL_FIELDS:
            object.__setattr__(self, name, MappingProxyType(_read_names(name, getattr(self, name))))
        object.__setattr__(self, "node_attributes", _read_columns(self.node_attributes))

    def __bool__(self) -> bool:
        return bool(self.node_labels or self.edge_labels or self.node_attributes)

    def __reduce__(self) -> tuple[Any, ...]:
        return Vocabulary, (dict(self.node_labels), dict(self.edge_labels), self.node_attributes)

    def node_label(self, code: int) -> str:
        """Return the name of a node label, or the number if it has none.

        Parameters
        ----------
        code : int
            The label, as the batch stores it.

        Returns
        -------
        str
            "C", or "3" for a label without a name.
        """
        return self.node_labels.get(code) or str(code)

    def node_label_key(self, code: int) -> str | int:
        """Return the name of a node label, or the label itself if it has none.

        Parameters
        ----------
        code : int
            The label, as the batch stores it.

        Returns
        -------
        str or int
            What dictionaries of costs are keyed by.
        """
        return self.node_labels.get(code, code)

    def edge_label(self, code: int) -> str:
        """Return the name of an edge label, or the number if it has none.

        Parameters
        ----------
        code : int
            The label, as the batch stores it.

        Returns
        -------
        str
            "double bond", or "3" for a label without a name.
        """
        return self.edge_labels.get(code) or str(code)

    def node_attribute(self, column: int) -> str:
        """Return the name of a column of the node attributes, or "attribute 2" if it has none.

        Parameters
        ----------
        column : int
            The position of the column, from 0.

        Returns
        -------
        str
            Without a name, the position is counted from 1.
        """
        return self.node_attributes[column] if column < len(self.node_attributes) else f"attribute {column + 1}"

    def node_label_title(self, code: int) -> str:
        """Return the name of a node label where it stands alone, such as in a legend.

        Parameters
        ----------
        code : int
            The label, as the batch stores it.

        Returns
        -------
        str
            The name; "label 3" for a label without a name.
        """
        return self.node_labels.get(code) or f"label {code}"

    def updated(
        self,
        node_labels: Mapping[int, str] | None,
        edge_labels: Mapping[int, str] | None,
        node_attributes: Sequence[str] | None,
    ) -> Vocabulary:
        """Return a vocabulary with other names, where they are not None.

        Parameters
        ----------
        node_labels, edge_labels : dict of str by int, or None
            The name of each label.
        node_attributes : sequence of str, or None
            The name of each column.

        Returns
        -------
        Vocabulary
            The names.
        """
        given = {"node_labels": node_labels, "edge_labels": edge_labels, "node_attributes": node_attributes}
        return replace(self, **dict[str, Any]({name: names for name, names in given.items() if names is not None}))

    def to_dict(self) -> dict[str, Any]:
        """Return the names in a form that can be written as JSON.

        Returns
        -------
        dict
            Labels as pairs of a number and a name, since the keys of JSON are texts.
        """
        pairs: dict[str, Any] = {name: sorted(map(list, getattr(self, name).items())) for name in LABEL_FIELDS}
        return {**pairs, "node_attributes": list(self.node_attributes)}

    @classmethod
    def from_dict(cls, names: Mapping[str, Any]) -> Vocabulary:
        """Return the vocabulary that :meth:`to_dict` was called on.

        Parameters
        ----------
        names : dict
            What ``to_dict`` returned.

        Returns
        -------
        Vocabulary
            The names.
        """
        labels = {name: dict(names.get(name, ())) for name in LABEL_FIELDS}
        return cls(**labels, node_attributes=names.get("node_attributes", ()))


def _read_columns(names: Sequence[str]) -> tuple[str, ...]:
    """Return the names of columns; raise an error about a single text, which is a sequence of letters."""
    if isinstance(names, str):
        problem = f"the names of node_attributes must be a list, got {names!r}"
        raise InputTypeError(problem, remedy="pass one name for each column")
    return tuple(map(str, names))


def _read_names(field_name: str, names: Mapping[int, str]) -> dict[int, str]:
    """Return the names of labels; raise an error unless numbers have texts."""
    for code, name in names.items():
        if isinstance(code, bool) or not isinstance(code, int) or not isinstance(name, str):
            raise InputTypeError(
                f"the names of {field_name} must be texts by integers, got {name!r} for {code!r}",
                remedy="pass a dictionary such as {6: 'C'}",
            )
    return dict(names)


EMPTY = Vocabulary()
#: The names of atomic numbers and of RDKit's bond types, which every batch of molecules has.
MOLECULES = Vocabulary(node_labels=dict(enumerate(SYMBOLS)), edge_labels=BOND_NAMES)


def molecule_names(names: Vocabulary) -> Vocabulary:
    """Return names with those of elements and bonds, which the labels of molecules have unless they have others."""
    labels = {name: {**getattr(MOLECULES, name), **getattr(names, name)} for name in LABEL_FIELDS}
    return Vocabulary(**labels, node_attributes=names.node_attributes)


def own_names(names: Vocabulary, molecules: bool) -> Vocabulary:
    """Return the names that a file has to keep: all but those that molecules have anyway."""
    known = MOLECULES if molecules else EMPTY
    labels = {
        name: {code: text for code, text in getattr(names, name).items() if getattr(known, name).get(code) != text}
        for name in LABEL_FIELDS
    }
    return Vocabulary(**labels, node_attributes=names.node_attributes)


def join_vocabularies(vocabularies: Iterable[Vocabulary]) -> Vocabulary:
    """Return all names of several vocabularies; raise an error if two of them differ in a name."""
    first, *others = (*vocabularies, EMPTY)
    if all(names is first or not names for names in others):
        return first
    labels: dict[LabelField, dict[int, str]] = {name: {} for name in LABEL_FIELDS}
    attributes: tuple[str, ...] = ()
    for names in (first, *others):
        for field_name, known in labels.items():
            _add_names(field_name, known, getattr(names, field_name))
        if attributes and names.node_attributes and attributes != names.node_attributes:
            raise InputError(
                f"the node attributes are called {', '.join(attributes)} in some graphs and "
                f"{', '.join(names.node_attributes)} in others",
                remedy="read the same attributes in the same order, or rename them with with_names",
            )
        attributes = attributes or names.node_attributes
    return Vocabulary(**labels, node_attributes=attributes)


def _add_names(field_name: LabelField, known: dict[int, str], names: Mapping[int, str]) -> None:
    for code, name in names.items():
        if known.setdefault(code, name) != name:
            thing = field_name.removesuffix("s").replace("_", " ")
            raise InputError(
                f"the {thing} {code} is called {known[code]!r} in some graphs and {name!r} in others",
                remedy="such graphs cannot be compared; give different labels different numbers, or rename them with "
                "with_names",
            )
