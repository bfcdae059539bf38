"""Errors that carry their facts as fields.

An error says where (which graph and node, or which file and line), what is wrong, and what to do about it. These are
fields, and the sentence is put together from them when it is shown. A reader of files can therefore name the file
instead of the graph's position (:meth:`StructuredError.in_file`), and the command line can name its own flags
(:meth:`StructuredError.describe`), without changing any text.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self


@dataclass(frozen=True)
class Option:
    """A parameter of a function, and perhaps the value that it should be given.

    Examples
    --------
    >>> str(Option("repeats", "last")), Option("repeats", "last").as_flag()
    ('repeats="last"', '--repeats last')
    >>> str(Option("symmetrize", True)), Option("symmetrize", True).as_flag()
    ('symmetrize=True', '--symmetrize')
    >>> str(Option("data_home")), Option("data_home").as_flag()
    ('data_home', '--data-home')
    """

    name: str
    value: Any = None

    def __str__(self) -> str:
        """Return the option as it is written in Python."""
        if self.value is None:
            return self.name
        return f'{self.name}="{self.value}"' if isinstance(self.value, str) else f"{self.name}={self.value}"

    def as_flag(self) -> str:
        """Return the option as it is written on the command line."""
        flag = f"--{self.name.replace('_', '-')}"
        return flag if self.value is None or self.value is True else f"{flag} {self.value}"


class StructuredError(Exception):
    """An error whose sentence is put together from fields: ``where: problem; remedy``.

    Parameters
    ----------
    problem : str
        What is wrong. Each ``{}`` in it, and in the remedy after it, stands for the next one of ``options``.
    remedy : str
        What to do about it.
    options : sequence of Option
        The parameters that the sentence names.
    graph, node : int, optional
        The position of the graph in what was given, and of the node in that graph, counted from 0.
    file, line : str or Path, int, optional
        The file, and the line in it, counted from 1. They take the place of the graph's position.

    Examples
    --------
    >>> error = InputError("the edge (0, 1) has no way back", remedy="pass {}", graph=3,
    ...                    options=[Option("symmetrize", True)])
    >>> print(error)
    graph 3: the edge (0, 1) has no way back; pass symmetrize=True
    >>> print(error.in_file("a.gml").describe(Option.as_flag))
    a.gml: the edge (0, 1) has no way back; pass --symmetrize
    """

    def __init__(
        self,
        problem: str,
        *,
        remedy: str = "",
        options: Sequence[Option] = (),
        graph: int | None = None,
        node: int | None = None,
        file: str | Path | None = None,
        line: int | None = None,
    ) -> None:
        super().__init__(problem)
        self.problem = problem
        self.remedy = remedy
        self.options = tuple(options)
        self.graph = None if graph is None else int(graph)
        self.node = None if node is None else int(node)
        self.file = file
        self.line = line

    @property
    def option(self) -> str | None:
        """The name of the first option that the sentence names."""
        return self.options[0].name if self.options else None

    def where(self) -> str:
        """Return the place that the error is about, or an empty string."""
        place = "" if self.graph is None else f"graph {self.graph}"
        if self.file is not None:
            place = str(self.file) if self.line is None else f"{self.file}, line {self.line}"
        return place if self.node is None else f"{place}, node {self.node}"

    def describe(self, spell: Callable[[Option], str] = str) -> str:
        """Return the whole sentence, with options written by ``spell``."""
        sentence = "; ".join(part for part in (self.problem, self.remedy) if part)
        for option in self.options:
            sentence = sentence.replace("{}", spell(option), 1)
        where = self.where()
        return f"{where}: {sentence}" if where else sentence

    def in_file(self, file: str | Path, line: int | None = None) -> Self:
        """Return the same error about a line of a file."""
        return type(self)(**{**self._fields(), "file": file, "line": line})

    def __str__(self) -> str:
        return self.describe()

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), self._fields())

    def _fields(self) -> dict[str, Any]:
        names = ("problem", "remedy", "options", "graph", "node", "file", "line")
        return {name: getattr(self, name) for name in names}


def _rebuild(kind: type[StructuredError], fields: dict[str, Any]) -> StructuredError:
    return kind(**fields)


class InputError(StructuredError, ValueError):
    """A value that was given is wrong."""


class InputTypeError(StructuredError, TypeError):
    """Something of the wrong type was given."""


class NotSolvedError(RuntimeError):
    """A solver did not reach its goal within the steps that it was allowed."""
