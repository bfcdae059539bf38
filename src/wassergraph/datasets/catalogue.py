"""The data sets of the paper, with the sizes published for them, and how to recognize them by their content."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256

import numpy as np
from numpy.typing import ArrayLike

from wassergraph.graphs.batch import GraphBatch
from wassergraph.graphs.fields import ARRAYS


@dataclass(frozen=True)
class PublishedDataset:
    """The published size of a data set; means are rounded to two digits."""

    graphs: int
    classes: int
    mean_nodes: float
    mean_edges: float
    data: str

    def __str__(self) -> str:
        return (
            f"{self.graphs} graphs, {self.classes} classes, {self.mean_nodes:.2f} nodes and "
            f"{self.mean_edges:.2f} edges on average"
        )


#: Each data set: its published size, its data, and the content of its files, as :func:`content_digest` returns it.
_PUBLISHED: dict[str, tuple[int, int, float, float, str, str]] = {
    "MUTAG": (188, 2, 17.93, 19.79, "node labels, edge labels", "386055de07de58b1"),
    "PTC_MR": (344, 2, 14.29, 14.69, "node labels, edge labels", "18b475fef4772914"),
    "NCI1": (4110, 2, 29.87, 32.30, "node labels", "798659399128cc24"),
    "DD": (1178, 2, 284.32, 715.66, "node labels", "bafd8742ce07fa8b"),
    "ENZYMES": (600, 6, 32.63, 62.14, "node labels, 18 attributes", "43856117f2089377"),
    "PROTEINS": (1113, 2, 39.06, 72.82, "node labels, 1 attribute", "37faa924c1059909"),
    "PROTEINS_full": (1113, 2, 39.06, 72.82, "node labels, 29 attributes", "4fb08cbc536bb51b"),
    "BZR": (405, 2, 35.75, 38.36, "node labels, 3 attributes", "1b6c36044b8df544"),
    "COX2": (467, 2, 41.22, 43.45, "node labels, 3 attributes", "20fe2c24ab38ffae"),
    "Synthie": (400, 4, 95.00, 172.93, "15 attributes", "25de3a13c5ad48a6"),
    "IMDB-BINARY": (1000, 2, 19.77, 96.53, "edges only", "2de1042c7cd86646"),
    "SYNTHETICnew": (300, 2, 100.00, 196.25, "1 attribute", "24dd90d2eadd9659"),
    "BZR_MD": (306, 2, 21.30, 225.06, "node labels, edge labels, 1 edge attribute", "dd091fea5276041a"),
    "COX2_MD": (303, 2, 26.28, 335.12, "node labels, edge labels, 1 edge attribute", "d8af9efcf387a7e1"),
}
CATALOGUE = {name: PublishedDataset(*row[:5]) for name, row in _PUBLISHED.items()}
DIGESTS = {name: row[5] for name, row in _PUBLISHED.items()}


def content_digest(graphs: GraphBatch, y: ArrayLike | None) -> str:
    """Compute a digest of graphs and targets; equal digests mean equal content, down to the last bit.

    Parameters
    ----------
    graphs : GraphBatch
        The graphs.
    y : (n_graphs) array, optional
        Their targets.

    Returns
    -------
    str
        The first 16 hexadecimal digits of a SHA-256.
    """
    digest = sha256()
    arrays = {name: getattr(graphs, name) for name in ARRAYS}
    for name, value in {**arrays, "y": y}.items():
        if value is None:
            continue
        array = np.asarray(value)
        array = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))  # the same on every computer
        digest.update(f"{name} {array.dtype.str} {array.shape}".encode())
        digest.update(array.tobytes())
    return digest.hexdigest()[:16]


def published_name(graphs: GraphBatch, y: ArrayLike | None) -> str | None:
    """Return the name of the data set of the paper that graphs and classes are, as published; None if they are none.

    The content decides, not the name of a file or folder.

    Parameters
    ----------
    graphs : GraphBatch
        The graphs.
    y : (n_graphs) array, optional
        Their classes.

    Returns
    -------
    str or None
    """
    candidates = [name for name, published in CATALOGUE.items() if published.graphs == len(graphs)]
    if not candidates:
        return None
    digest = content_digest(graphs, y)
    return next((name for name in candidates if DIGESTS[name] == digest), None)
