"""Open files that may be compressed with gzip."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from wassergraph.errors import InputError, MissingFileError

_ENDING = ".gz"


def format_suffix(path: Path) -> str:
    """Return how the name of a file ends, in lower case and without .gz.

    Examples
    --------
    >>> format_suffix(Path("molecules.CSV.gz")), format_suffix(Path("molecules.sdf")), format_suffix(Path("a.gz"))
    ('.csv', '.sdf', '')
    """
    name = path.name.lower().removesuffix(_ENDING)
    return Path(name).suffix


@contextmanager
def open_bytes(path: Path) -> Iterator[BinaryIO]:
    """Open a file for reading; one whose name ends with .gz is decompressed."""
    try:
        with gzip.open(path, "rb") if path.name.lower().endswith(_ENDING) else path.open("rb") as file:
            yield cast(BinaryIO, file)
    except FileNotFoundError as error:
        raise MissingFileError("it does not exist", remedy="check the path", file=path) from error
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        problem = "the compressed file is damaged or cut off"
        raise InputError(f"{problem} ({error})", remedy="copy it again", file=path) from error
