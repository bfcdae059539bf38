"""The file of an index: a header and arrays, as :mod:`wassergraph.files.archive` writes them.

    index.json              scheme, depth, the kind of searcher, and every number that is not an array
    arrays/*.npy            the scheme's mean and scale; the weights of nodes, if there are any
    names/*.npy             the names as UTF-8, one behind the other, and where each ends
    graphs/*.npy            the graphs, as a GraphBatch holds them
    search/*.npy            what the searcher made of them

An index is opened without reading it: arrays are parts of the file, and only what a search needs comes into memory.

Format versions
---------------
1   the first; the header has ``source``, how the graphs were read, unless the file was written before this was kept
"""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wassergraph.arrays import FloatArray
from wassergraph.errors import InputError
from wassergraph.files.archive import ArchiveFormat, write_archive
from wassergraph.files.archive_reader import read_archive
from wassergraph.graphs.batch import GraphBatch
from wassergraph.graphs.fields import ALL_ARRAYS
from wassergraph.graphs.saved_graphs import graph_arrays, graph_header, open_graphs, read_vocabulary
from wassergraph.graphs.saved_source import read_source
from wassergraph.graphs.saved_values import Arrays, present
from wassergraph.metrics.saved_scheme import read_scheme, scheme_arrays, scheme_to_json
from wassergraph.metrics.scheme import Scheme
from wassergraph.search.label_search import LabelSearch
from wassergraph.search.line_search import LineSearch
from wassergraph.search.making import searcher_type
from wassergraph.search.searcher import Searcher
from wassergraph.search.stored import Stored, check_between, check_rising
from wassergraph.search.transport_search import TransportSearch

INDEX_VERSION = 1
#: The searchers by the names that files have for them.
_SEARCHERS: dict[type[Any], str] = {LabelSearch: "labels", LineSearch: "lines", TransportSearch: "transport"}
#: The largest depth that a file may have: a larger one would only exhaust the memory.
_MAX_DEPTH = 10_000
#: What reading an index can raise if its parts do not fit together.
_INCONSISTENT = (LookupError, TypeError, ValueError, ArithmeticError, AttributeError, MemoryError)


class IndexFileError(InputError):
    """A file is not an index, or it is damaged."""


_FORMAT = ArchiveFormat(
    name="wassergraph index",
    noun="graph index",
    header_member="index.json",
    version=INDEX_VERSION,
    remedy="pass a file that GraphIndex.save or wassergraph index has written",
    error=IndexFileError,
)


class IndexParts(NamedTuple):
    """What an index consists of."""

    graphs: GraphBatch
    scheme: Scheme
    depth: int
    weights: FloatArray | None
    names: NDArray[np.str_]
    searcher: Searcher
    source: dict[str, Any]


def write_index(path: str | Path, index: IndexParts) -> None:
    """Write an index to one file, completely or not at all; the same index is the same file.

    Parameters
    ----------
    path : str or Path
        The file.
    index : IndexParts
        The index, with the searcher for graphs without weights of their own.
    """
    header = {
        **graph_header(index.graphs),
        "depth": index.depth,
        "source": index.source,
        "scheme": scheme_to_json(index.scheme),
        "searcher": _SEARCHERS[type(index.searcher)],
        "numbers": index.searcher.numbers,
    }
    arrays = {
        **scheme_arrays(index.scheme),
        **present({"arrays/weights": index.weights}),
        **_name_arrays(index.names),
        **graph_arrays(index.graphs, ALL_ARRAYS),
        **{f"search/{name}": array for name, array in index.searcher.arrays.items()},
    }
    write_archive(path, _FORMAT, header, arrays)


def read_index(path: str | Path, *, verify: bool = True) -> IndexParts:
    """Open what :func:`write_index` wrote: see :func:`wassergraph.load_index`."""
    header, arrays = read_archive(path, _FORMAT, memory_map=True, verify=verify)
    try:
        depth, graphs = _read_depth(header), _read_graphs(header, arrays, verify)
        scheme, weights = read_scheme(header["scheme"], arrays), _read_weights(arrays, graphs)
        example = scheme.embed(graphs[:1], depth)
        stored = Stored(header["numbers"], arrays, example, graphs.sizes, weights is not None).part("search/")
        searcher = _read_searcher(header["searcher"], stored, verify)
        names, source = _read_names(arrays, len(graphs)), read_source(header.get("source"))
        return IndexParts(graphs, scheme, depth, weights, names, searcher, source)
    except _INCONSISTENT as error:
        raise IndexFileError(f"the parts of the graph index do not match: {error}", file=path) from error


def _read_depth(header: dict[str, Any]) -> int:
    depth = header["depth"]
    if not isinstance(depth, int) or isinstance(depth, bool) or not 0 <= depth <= _MAX_DEPTH:
        raise ValueError(f"the depth is {depth!r}")
    return depth


def _read_graphs(header: dict[str, Any], arrays: Arrays, verify: bool) -> GraphBatch:
    molecules = header["molecules"]
    if not isinstance(molecules, bool):
        raise ValueError(f"molecules is {molecules!r}, neither true nor false")
    names = read_vocabulary(header, molecules)
    graphs = open_graphs(arrays, molecules=molecules, verify=verify, vocabulary=names)
    if not len(graphs):
        raise ValueError("there are no graphs")
    return graphs


def _read_weights(arrays: Arrays, graphs: GraphBatch) -> FloatArray | None:
    weights = arrays.get("arrays/weights")
    if weights is not None:
        if weights.dtype != np.float64 or weights.shape != (graphs.n_nodes,):
            raise ValueError(f"the weights are {weights.dtype} {weights.shape} for {graphs.n_nodes} nodes")
        check_between("weights", weights, float(np.nextafter(0, 1)), 1.0)
    return weights


def _read_searcher(name: object, stored: Stored, verify: bool) -> Searcher:
    """Return the searcher, which must be the one that graphs like these have."""
    kind = searcher_type(stored.example)
    if name != _SEARCHERS[kind]:
        raise ValueError(f"the searcher is {name!r}, but these graphs need {_SEARCHERS[kind]!r}")
    searcher = kind.from_stored(stored)
    if verify:
        searcher.check(stored)
    return searcher


# Names: numpy would give each as much room as the longest one needs


def _name_arrays(names: NDArray[np.str_]) -> Arrays:
    encoded = [name.encode("utf-8", "surrogatepass") for name in names.tolist()]
    ends = np.cumsum([len(name) for name in encoded], dtype=np.int64)
    return {"names/text": np.frombuffer(b"".join(encoded), dtype=np.uint8), "names/ends": ends}


def _read_names(arrays: Arrays, n_graphs: int) -> NDArray[np.str_]:
    text, ends = arrays["names/text"], arrays["names/ends"]
    if text.dtype != np.uint8 or text.ndim != 1 or ends.dtype != np.int64 or ends.shape != (n_graphs,):
        raise ValueError(f"the names are {text.dtype} {text.shape} and {ends.dtype} {ends.shape}")
    borders = np.concatenate([[0], ends])
    check_rising("names", borders, len(text))
    data, cut = text.tobytes(), borders.tolist()
    names = [data[first:last].decode("utf-8", "surrogatepass") for first, last in itertools.pairwise(cut)]
    return np.array(names, dtype=np.str_)
