"""One text per graph, in two flat arrays, which a file can map into memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from wassergraph.arrays import IntArray
from wassergraph.errors import InputError
from wassergraph.graphs.slices import offsets, ranges


@dataclass(frozen=True, eq=False, repr=False)
class Texts:
    """Texts, one after the other in one array of bytes.

    Parameters
    ----------
    ptr : (n + 1) integers
        Text ``i`` has the bytes ``ptr[i]`` to ``ptr[i + 1] - 1``.
    bytes : (ptr[-1]) bytes
        The texts in UTF-8.

    Examples
    --------
    >>> texts = Texts.of(["CCO", "", "C"])
    >>> list(texts.take(np.array([2, 0])))
    ['C', 'CCO']
    """

    ptr: IntArray
    bytes: NDArray[np.uint8]

    @classmethod
    def of(cls, texts: Iterable[str]) -> Self:
        """Return texts as arrays."""
        encoded = [text.encode() for text in texts]
        return cls(offsets([len(each) for each in encoded]), np.frombuffer(b"".join(encoded), dtype=np.uint8))

    @staticmethod
    def concatenate(parts: Iterable[Texts]) -> Texts:
        """Return the texts of several."""
        listed = list(parts)
        lengths = np.concatenate([np.diff(part.ptr) for part in listed])
        return Texts(offsets(lengths), np.concatenate([part.bytes for part in listed]))

    def __len__(self) -> int:
        return len(self.ptr) - 1

    def __getitem__(self, position: int) -> str:
        return bytes(self.bytes[self.ptr[position] : self.ptr[position + 1]]).decode(errors="replace")

    def __iter__(self) -> Iterator[str]:
        return (self[position] for position in range(len(self)))

    def __repr__(self) -> str:
        return f"Texts({list(self)!r})" if len(self) <= 3 else f"Texts of {len(self)} graphs"

    def take(self, positions: IntArray) -> Texts:
        """Return the texts at positions."""
        lengths = self.ptr[positions + 1] - self.ptr[positions]
        return Texts(offsets(lengths), self.bytes[ranges(self.ptr[positions], lengths)])

    def check(self, n_texts: int) -> None:
        """Raise an error unless there are so many texts, in arrays of the right types."""
        types: tuple[Any, Any] = (self.ptr.dtype, self.bytes.dtype)
        if types != (np.int64, np.uint8) or len(self) != n_texts:
            raise InputError(f"there are {len(self)} structures of the types {types} for {n_texts} graphs")
        if self.ptr[0] != 0 or self.ptr[-1] != len(self.bytes) or (np.diff(self.ptr) < 0).any():
            raise InputError(f"the structures must rise from 0 to their number of bytes, {len(self.bytes)}")
