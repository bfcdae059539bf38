"""Open an index that was saved."""

from __future__ import annotations

from pathlib import Path

from wassergraph.search.index import GraphIndex
from wassergraph.search.index_files import read_index


def load_index(path: str | Path, *, verify: bool = True) -> GraphIndex:
    """Open an index that was saved.

    The file is not copied into memory: a search reads the parts that it needs, so that an index may be larger than the
    memory. The file must not be written to as long as the index is used; replacing it is harmless.

    Parameters
    ----------
    path : str or Path
        A file that :meth:`wassergraph.GraphIndex.save` wrote, with this version of the library or an earlier one.
    verify : bool
        Whether the whole file is read once: its checksum is compared, and all numbers are checked. If not, an index of
        any size is open at once, and only the types and lengths of its arrays are checked. The file must then be
        trusted: a search in a damaged one can end the process, or return anything.

    Returns
    -------
    GraphIndex
        The index. It finds exactly what the one that was saved does. Opening runs no code from the file, and writes
        nothing.

    Raises
    ------
    IndexFileError
        If the file is not an index, is damaged or incomplete, or was written by a newer version of the library. It is
        a ``ValueError``.

    See Also
    --------
    GraphIndex : make an index
    load_model : read a model

    Examples
    --------
    >>> import tempfile, wassergraph as wg
    >>> index = wg.GraphIndex(["CCO", "CCN", "c1ccccc1"], wg.WWL(depth=1), names=["ethanol", "ethylamine", "benzene"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     index.save(f"{folder}/three.wgi")
    ...     again = wg.load_index(f"{folder}/three.wgi")
    >>> again.names[again.query("CCCO", k=2)[1][0]].tolist()
    ['ethanol', 'ethylamine']
    """
    return GraphIndex._of_parts(read_index(path, verify=verify))
