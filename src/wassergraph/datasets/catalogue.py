"""The data sets of the paper, with the numbers published for them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Published:
    """What is known of a data set without reading it: mean sizes are rounded to two digits."""

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


CATALOGUE: dict[str, Published] = {
    "MUTAG": Published(188, 2, 17.93, 19.79, "node labels, edge labels"),
    "PTC_MR": Published(344, 2, 14.29, 14.69, "node labels, edge labels"),
    "NCI1": Published(4110, 2, 29.87, 32.30, "node labels"),
    "DD": Published(1178, 2, 284.32, 715.66, "node labels"),
    "ENZYMES": Published(600, 6, 32.63, 62.14, "node labels, 18 attributes"),
    "PROTEINS": Published(1113, 2, 39.06, 72.82, "node labels, 1 attribute"),
    "PROTEINS_full": Published(1113, 2, 39.06, 72.82, "node labels, 29 attributes"),
    "BZR": Published(405, 2, 35.75, 38.36, "node labels, 3 attributes"),
    "COX2": Published(467, 2, 41.22, 43.45, "node labels, 3 attributes"),
    "Synthie": Published(400, 4, 95.00, 172.93, "15 attributes"),
    "IMDB-BINARY": Published(1000, 2, 19.77, 96.53, "nothing but the edges"),
    "SYNTHETICnew": Published(300, 2, 100.00, 196.25, "1 attribute"),
    "BZR_MD": Published(306, 2, 21.30, 225.06, "node labels, edge labels, 1 edge attribute"),
    "COX2_MD": Published(303, 2, 26.28, 335.12, "node labels, edge labels, 1 edge attribute"),
}
