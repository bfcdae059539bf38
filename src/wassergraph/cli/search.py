"""``wassergraph search``: find the nearest graphs of new ones in an index."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

from wassergraph.cli.messages import print_message
from wassergraph.cli.options import (
    DATA,
    FLAG,
    Commands,
    OptionTable,
    add_common,
    add_options,
    load_source,
    number_of_graphs,
    reading_like,
    show_progress,
)
from wassergraph.cli.tables import csv_text, free_names
from wassergraph.errors import InputError, Option
from wassergraph.notebook import aligned

if TYPE_CHECKING:
    from wassergraph.arrays import FloatArray, IntArray
    from wassergraph.datasets.source import Source
    from wassergraph.search.index import GraphIndex

#: The most graphs that a picture shows.
_DRAWN = 23

#: How it was found out whether a graph is among the nearest, as the summary says it.
_OUTCOMES = {
    "vectors": "{:,} ruled out by vectors",
    "image": "{:,} by images of nodes",
    "abandoned": "{:,} by a solver that was stopped",
    "solved": "{:,} distances computed",
}


class Hits(NamedTuple):
    """What was found for each query: its graphs in the index, and their distances."""

    distances: list[FloatArray]
    positions: list[IntArray]


class Hit(NamedTuple):
    """One graph that was found, as it is shown; ``query`` is the position of the query."""

    query: int
    rank: int
    neighbor: str
    distance: float


_OPTIONS: OptionTable = {
    "index": ("INDEX", "file written by wassergraph index or GraphIndex.save"),
    "data": ("QUERY", f"a SMILES string; or the new graphs: {DATA}"),
    "-k --k": ({"type": int, "metavar": "K"}, "how many graphs to find (default: 5, or with --radius all within it)"),
    "--radius": ({"type": float, "metavar": "R"}, "find graphs within this distance only"),
    "--row": ({"type": int, "metavar": "N"}, "search for one of the queries: its row or position, counted from 1"),
    "-o --out": ("FILE", "file to write the hits to as CSV, or with --json as JSON; - is standard output"),
    "--plot": (
        "FILE",
        f"draw one query and its hits, at most {_DRAWN}, each with its nodes in the colors of their places in the "
        "query: .svg, .png or .pdf",
    ),
    "--no-verify": (
        FLAG,
        "open the index without reading all of it, which is faster if it is large; the file must be trusted",
    ),
}


def add_parser(commands: Commands) -> None:
    """Add the command to the command line."""
    command = commands.add_parser(
        "search",
        help="find the nearest graphs of new ones in an index",
        description="Find the nearest graphs of new ones among those of an index, exactly. A table of all hits is "
        "printed or, with --out, written as CSV: all columns of the queries, then rank, neighbor and distance, one row "
        "for each hit. A name of these that is also that of a column, in upper or lower case, begins with hit_.",
        epilog="example: wassergraph search zinc.wgi CCO --plot hits.svg, or wassergraph search zinc.wgi new.csv -k 5 "
        "-o hits.csv",
    )
    add_options(command, _OPTIONS)
    add_common(command, cluster=False)
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Print or save the nearest graphs of new ones, and draw them on request."""
    from wassergraph.search.loading import load_index
    from wassergraph.search.neighbors import check_radius

    _check_targets(options)
    if options.radius is not None:
        check_radius(options.radius)
    index = load_index(options.index, verify=not options.no_verify)
    if options.row is not None and options.invalid == "skip":
        options.invalid = "nan"  # so that rows are counted as in the table
    queries = load_source(options, smiles=True, like=reading_like(options, index.graphs, index.source))
    if options.row is not None:
        queries = _one_row(queries, options.row)
    if options.plot is not None and len(queries.graphs) != 1:
        problem = f"{{}} draws one query, but there are {len(queries.graphs)}"
        raise InputError(problem, remedy="choose one with {}", options=[Option("plot"), Option("row")])
    started = perf_counter()
    hits = _search(index, queries, options)
    seconds = perf_counter() - started
    _write(options, queries, index, hits)
    if options.plot is not None:
        _draw(options.plot, index, queries, hits)
    if not options.quiet:
        print_message(_summary(index, len(queries.graphs), seconds))


def _check_targets(options: argparse.Namespace) -> None:
    """Raise an error if nothing can be written where it should be, before anything is computed."""
    from wassergraph.files.atomic import check_target
    from wassergraph.pictures.style import check_picture

    if options.plot is not None:
        check_picture(options.plot)
    if options.out not in (None, "-"):
        check_target(options.out)


# Queries


def _one_row(queries: Source, row: int) -> Source:
    import numpy as np

    position = queries.graph_in_row(row, Option("row", row))
    return replace(
        queries,
        graphs=queries.graphs[position],
        target=None,
        names=[queries.names[position]],
        rows=[queries.rows[row - 1]],
        positions=np.zeros(1, dtype=np.int64),
        molecules=None if queries.molecules is None else [queries.molecules[position]],
    )


def _search(index: GraphIndex, queries: Source, options: argparse.Namespace) -> Hits:
    settings: Any = {"n_jobs": options.n_jobs, "progress": show_progress(options)}
    if options.radius is not None and options.k is None:
        return Hits(*index.radius_neighbors(queries.graphs, options.radius, **settings))
    if options.k is not None:
        settings["k"] = options.k
    distances, positions = index.query(queries.graphs, **settings)
    if options.radius is None:
        return Hits(list(distances), list(positions))
    inside = [row <= options.radius for row in distances]
    return Hits(*([row[near] for row, near in zip(rows, inside, strict=True)] for rows in (distances, positions)))


# What is printed


def _write(options: argparse.Namespace, queries: Source, index: GraphIndex, hits: Hits) -> None:
    from wassergraph.files.atomic import write_atomically

    rows = list(_rows(index, hits))
    if options.json:
        text = json.dumps(_to_dicts(queries, rows), indent=2) + "\n"
    else:
        text = _to_table(queries, rows) if options.out is None else _to_csv(queries, rows)
    if options.out in (None, "-"):
        print(text, end="")
    else:
        write_atomically(options.out, text.encode())


def _rows(index: GraphIndex, hits: Hits) -> Iterator[Hit]:
    """Yield all hits, query by query."""
    for query, (distances, positions) in enumerate(zip(*hits, strict=True)):
        names = index.names[positions].tolist()
        for rank, (name, distance) in enumerate(zip(names, distances.tolist(), strict=True), 1):
            yield Hit(query, rank, name, distance)


def _to_dicts(queries: Source, hits: list[Hit]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = [{"query": name, "hits": []} for name in queries.titles]
    for hit in hits:
        found[hit.query]["hits"].append({"rank": hit.rank, "neighbor": hit.neighbor, "distance": hit.distance})
    return found


def _to_csv(queries: Source, hits: list[Hit]) -> str:
    header = [*queries.columns, *free_names(Hit._fields[1:], queries.columns, "hit_")]
    return csv_text(header, ([*queries.rows[queries.positions[hit.query]], *hit[1:]] for hit in hits))


def _to_table(queries: Source, hits: list[Hit]) -> str:
    """Return aligned columns: the query if there are several, rank, name and distance."""
    if not hits:
        return "no graph is within the radius\n"
    first = 0 if len(queries.titles) > 1 else 1
    lines = [("query", "rank", "name", "distance")]
    lines += [(queries.titles[hit.query], str(hit.rank), hit.neighbor, f"{hit.distance:.6g}") for hit in hits]
    return "\n".join(aligned([line[first:] for line in lines], right={1 - first, 3 - first})) + "\n"


def _summary(index: GraphIndex, n_queries: int, seconds: float) -> str:
    """Return how long it took, and how many graphs were ruled out without computing their distance."""
    counts = [_OUTCOMES[name].format(n) for name, n in index.last_counts.items() if n]
    queries = f"{n_queries:,} {'query' if n_queries == 1 else 'queries'}"
    graphs = number_of_graphs(len(index), index.graphs)
    return f"{queries} among {graphs} in {seconds:.2f} s; {', '.join(counts)}"


def _draw(path: str, index: GraphIndex, queries: Source, hits: Hits) -> None:
    from wassergraph.explain.transport import plan_of
    from wassergraph.pictures.hits import draw_hits

    positions = hits.positions[0][:_DRAWN]
    if not len(positions):
        print_message(f"{path} is not written, since there are no hits")
        return
    query = queries.graphs
    pairs = ((index.embed_with(query, g), (query, index.graphs[g])) for g in positions.tolist())
    plans = [plan_of(embedding, pair) for embedding, pair in pairs]
    draw_hits(
        plans,
        names=index.names[positions].tolist(),
        distances=hits.distances[0][:_DRAWN],
        path=path,
        title=queries.titles[0],
    )
