"""Errors with attributes for the place, the problem and the remedy.

The place is a graph and node, or a file and line. The message is built from the attributes when it is shown. A reader
of files can therefore name the file instead of the graph's position (:meth:`StructuredError.in_file`), and the command
line can name its flags (:meth:`StructuredError.describe`), without changing any text.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NamedTuple, Self


@dataclass(frozen=True)
class Option:
    """A parameter of a function, and perhaps a value to pass.

    Examples
    --------
    >>> str(Option("repeats", "last")), Option("repeats", "last").as_flag()
    ('repeats="last"', '--repeats last')
    >>> str(Option("symmetrize", True)), Option("symmetrize", True).as_flag()
    ('symmetrize=True', '--symmetrize')
    >>> str(Option("data_home")), Option("data_home").as_flag()
    ('data_home', '--data-home')
    >>> str(Option("node_attributes", ["x", "y"])), Option("node_attributes", ["x", "y"]).as_flag()
    ("node_attributes=['x', 'y']", '--node-attributes x y')
    """

    name: str
    value: object = None

    def __str__(self) -> str:
        """Return the option as it is written in Python."""
        if self.value is None:
            return self.name
        return f'{self.name}="{self.value}"' if isinstance(self.value, str) else f"{self.name}={self.value}"

    def as_flag(self) -> str:
        """Return the option as it is written on the command line."""
        flag = f"--{self.name.replace('_', '-')}"
        if self.value is None or self.value is True:
            return flag
        values = self.value if isinstance(self.value, list | tuple) else [self.value]
        return " ".join([flag, *map(str, values)])


class Place(NamedTuple):
    """A file, and perhaps a line of it, counted from 1."""

    file: str | Path
    line: int | None = None

    def __str__(self) -> str:
        return str(self.file) if self.line is None else f"{self.file}, line {self.line}"


class StructuredError(Exception):
    """An error whose sentence is put together from fields: ``where: problem; remedy``.

    Parameters
    ----------
    problem : str
        What is wrong. Each ``{}`` in it, and in the remedy after it, is replaced by the next one of ``options``. If all
        options are named in the remedy, the problem is used as it is, so it may quote text with braces.
    remedy : str
        What to do about it.
    options : sequence of Option
        The parameters that the sentence names.
    graph, node, edge : int, optional
        The position of the graph among the graphs that were passed, and of the node or listed edge in that graph,
        counted from 0.
    file, line : str or Path, int, optional
        The file, and the line in it, counted from 1. They are named instead of the graph's position.
    also : sequence of (int or Place, str), optional
        Further graphs with the same problem: their position or place, and the value that is wrong there.

    Examples
    --------
    >>> error = InputError("the edge to node 1 has no opposite direction", remedy="pass {}", graph=3, node=0,
    ...                    options=[Option("symmetrize", True)])
    >>> print(error)
    graph 3, node 0: the edge to node 1 has no opposite direction; pass symmetrize=True
    >>> print(error.in_file("a.gml").describe(Option.as_flag))
    a.gml, node 0: the edge to node 1 has no opposite direction; pass --symmetrize
    """

    def __init__(
        self,
        problem: str,
        *,
        remedy: str = "",
        options: Iterable[Option] = (),
        graph: int | None = None,
        node: int | None = None,
        edge: int | None = None,
        file: str | Path | None = None,
        line: int | None = None,
        also: Iterable[tuple[int | Place, str]] = (),
    ) -> None:
        self.problem = problem
        self.remedy = remedy
        self.options = tuple(options)
        self.graph = None if graph is None else int(graph)
        self.node = None if node is None else int(node)
        self.edge = None if edge is None else int(edge)
        self.file = file
        self.line = None if line is None else int(line)
        self.also = tuple(also)
        super().__init__(self.describe())

    @property
    def option(self) -> str | None:
        """The name of the first option that the sentence names."""
        return self.options[0].name if self.options else None

    def where(self) -> str:
        """Return the place that the error is about, or an empty string."""
        graph = "" if self.graph is None else f"graph {self.graph}"
        parts = [
            graph if self.file is None else str(Place(self.file, self.line)),
            "" if self.node is None else f"node {self.node}",
            "" if self.edge is None else f"edge {self.edge}",
        ]
        return ", ".join(part for part in parts if part)

    def describe(self, spell: Callable[[Option], str] = str) -> str:
        """Return the whole sentence.

        Parameters
        ----------
        spell : callable
            How an option is written: ``str`` as in Python, ``Option.as_flag`` as on the command line.

        Returns
        -------
        sentence : str
        """
        spelled = [spell(option) for option in self.options]
        n_in_problem = max(0, len(spelled) - self.remedy.count("{}"))
        problem = _fill(self.problem, spelled[:n_in_problem])
        if self.also:
            problem += f" (also {', '.join(f'{self._other(place)}: {value}' for place, value in self.also)})"
        sentence = "; ".join(part for part in (problem, _fill(self.remedy, spelled[n_in_problem:])) if part)
        where = self.where()
        return f"{where}: {sentence}" if where else sentence

    def _other(self, place: int | Place) -> str:
        """Return a further place; only the line if it is in the same file."""
        if isinstance(place, int):
            return f"graph {place}"
        is_same = place.file == self.file and place.line is not None
        return f"line {place.line}" if is_same else str(place)

    def in_file(self, file: str | Path, line: int | None = None) -> Self:
        """Return the same error about a line of a file."""
        return type(self)(**{**self._fields(), "file": file, "line": line})

    def with_advice(self, advice: str) -> Self:
        """Return the same error with a longer remedy."""
        fields = self._fields()
        return type(self)(**{**fields, "remedy": "; ".join(part for part in (self.remedy, advice) if part)})

    def about(self, what: str) -> Self:
        """Return the same error with what it is about before the problem."""
        fields = self._fields()
        return type(self)(**{**fields, "problem": f"{what.replace('{}', '{ }')}: {self.problem}"})

    def among(self, positions: Sequence[int]) -> Self:
        """Return the same error about graphs of a larger collection, in which they have these positions."""
        fields = self._fields()
        if self.graph is not None:
            fields["graph"] = positions[self.graph]
        fields["also"] = [(positions[g] if isinstance(g, int) else g, value) for g, value in self.also]
        return type(self)(**fields)

    def in_places(self, places: Sequence[Place]) -> Self:
        """Return the same error about the places that the graphs were read from, one for each graph."""
        fields = self._fields()
        if self.graph is not None:
            fields["file"], fields["line"] = places[self.graph]
        fields["also"] = [(places[g] if isinstance(g, int) else g, value) for g, value in self.also]
        return type(self)(**fields)

    def __str__(self) -> str:
        return self.describe()

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), self._fields())

    def _fields(self) -> dict[str, Any]:
        names = ("problem", "remedy", "options", "graph", "node", "edge", "file", "line", "also")
        return {name: getattr(self, name) for name in names}


def _fill(text: str, spelled: Sequence[str]) -> str:
    """Replace each of the first ``len(spelled)`` occurrences of ``{}`` in a text."""
    pieces = text.split("{}", maxsplit=len(spelled))
    return "".join(piece + option for piece, option in zip(pieces, [*spelled, ""], strict=False))


def _rebuild(kind: type[StructuredError], fields: dict[str, Any]) -> StructuredError:
    return kind(**fields)


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """Return a question that names the most similar of the known names, or an empty string if none is similar.

    Examples
    --------
    >>> did_you_mean("mutga", ["MUTAG", "ENZYMES"])
    "did you mean 'MUTAG'?"
    >>> did_you_mean("graphs", ["MUTAG", "ENZYMES"])
    ''
    """
    by_lower_case = {each.lower(): each for each in known}
    similar = get_close_matches(str(name).lower(), by_lower_case, n=1)
    return f"did you mean {by_lower_case[similar[0]]!r}?" if similar else ""


class InputError(StructuredError, ValueError):
    """A value is wrong."""


class InputTypeError(StructuredError, TypeError):
    """A value is of the wrong type."""


class UnusedDataWarning(StructuredError, UserWarning):  # noqa: N818 - a warning, with the fields of an error
    """Graphs have data that is not read."""


class ImputedDataWarning(UserWarning):
    """Missing attributes are filled in."""


def warn_outside(warning: Warning) -> None:
    """Show a warning at the line of the user's code that called this library, so that each line shows it once."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and str(frame.f_globals.get("__name__")).partition(".")[0] == "wassergraph":
        level, frame = level + 1, frame.f_back
    warnings.warn(warning, stacklevel=level)


class MissingFileError(InputError, FileNotFoundError):
    """A file or folder that must exist does not."""


class MissingFolderError(StructuredError, FileNotFoundError):
    """The folder of a file that is to be written does not exist."""


class FolderError(StructuredError, IsADirectoryError):
    """A folder is at the path of a file that is to be written."""


class NoFolderError(StructuredError, NotADirectoryError):
    """A file is at the path of a folder that is to be written."""


class NotWritableError(StructuredError, PermissionError):
    """A file may not be written."""


class DiskError(StructuredError, OSError):
    """A file cannot be written for a reason that lies with the disk, such as no space left."""


class ConnectionFailedError(StructuredError, ConnectionError):
    """Another process does not answer."""


class WorkersLostError(StructuredError, RuntimeError):
    """The processes that compute something died, or cannot be reached any more."""


class NotEnoughMemoryError(StructuredError, MemoryError):
    """A computation would need more memory than there is; it was not begun."""


class NotFiniteError(StructuredError, ArithmeticError):
    """A result is infinite or not a number."""


class NotSolvedError(RuntimeError):
    """A solver did not reach the solution within the allowed number of steps.

    Parameters
    ----------
    problem : str
        What happened, and what to do about it.
    graphs : (int, int), optional
        The positions of the two graphs that were compared.
    """

    def __init__(self, problem: str, graphs: tuple[int, int] | None = None) -> None:
        super().__init__(problem, graphs)
        self.problem = problem
        self.graphs = graphs

    def __str__(self) -> str:
        return self.problem
