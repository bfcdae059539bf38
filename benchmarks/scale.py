"""Measure what distances on disk and on a Dask cluster cost beside threads and arrays, and how far they reach.

    make .venv/dev
    .venv/bin/python benchmarks/scale.py [--repeat 3] [--quick] [--only NAME …] [--folder DIR]

It needs the archives of the paper's data sets in ``$WASSERGRAPH_DATA`` or ``../shared/datasets``, and the tables of
molecules in ``molecules`` beside that folder. Stores of up to 20 GB are written to ``--folder`` and removed. All sides
take turns, and the best of several turns counts; the distances that they computed are compared bit by bit. A full run
writes its tables to ``RESULTS.md``; with ``--quick`` or ``--only`` they are just printed.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import itertools
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from distributed import Client, LocalCluster

import wassergraph as wg
from reporting import circumstances, duration, markdown, save, times
from wassergraph.graphs.batch import GraphBatch
from wassergraph.metrics.solvers import Exact
from wassergraph.pairwise import api, fill_store
from wassergraph.pairwise.prepare import prepare
from wassergraph.pairwise.tiles import ON_DISK, TileSize
from wassergraph.pairwise.work import tiles

HEADING = "## Scale"
PACKAGES = ("wassergraph", "zarr", "distributed", "numpy")
HOME = Path(os.environ.get("WASSERGRAPH_DATA", "../shared/datasets")).resolve()
MOLECULES = HOME.parent / "molecules"
MIB = 2**20
#: Tiles of two seconds or more, however small the matrix is.
LONG_TILES = TileSize(target=5e9, least=5e9, enough=1)


@dataclass(frozen=True)
class Effort:
    """How much is measured."""

    repeat: int
    folder: Path
    quick: bool


@dataclass(frozen=True)
class Run:
    """The time of one computation: of the clock, and of the processors over all processes."""

    wall: float
    cpu: float


# The data


def proteins(n: int) -> GraphBatch:
    """Return proteins with 29 attributes."""
    return wg.load_dataset(HOME / "PROTEINS_full.zip")[0][:n]


def molecules(n: int) -> GraphBatch:
    """Return the first molecules of MUV, with atoms as labels."""
    with gzip.open(MOLECULES / "MUV.csv.gz", "rt", encoding="utf-8") as file:
        return wg.from_smiles(row["smiles"] for row in itertools.islice(csv.DictReader(file), n))


def zinc(n: int | None) -> GraphBatch:
    """Return the molecules of ZINC, all of them if ``n`` is None."""
    with gzip.open(MOLECULES / "zinc250k.smi.gz", "rt", encoding="utf-8") as file:
        lines = (line.strip() for line in file)
        return wg.from_smiles(itertools.islice((line for line in lines if line and line != "smiles"), n))


# What the store and Dask cost


@contextmanager
def cluster(n_workers: int) -> Iterator[Client]:
    """Start processes with one thread each."""
    options: dict[str, Any] = {"threads_per_worker": 1, "memory_limit": 0, "dashboard_address": ":0"}
    with LocalCluster(n_workers=n_workers, **options) as local, Client(local) as client:
        yield client


@contextmanager
def tile_size(size: TileSize) -> Iterator[None]:
    """Make tiles of another size, for files and for other processes."""
    for module in (fill_store, api):
        vars(module).update(ON_DISK=size)
    try:
        yield
    finally:
        for module in (fill_store, api):
            vars(module).update(ON_DISK=ON_DISK)


def measure(compute: Callable[[], Any], client: Client | None = None) -> tuple[Run, Any]:
    """Run a computation once."""
    before = _cpu(client)
    begin = time.perf_counter()
    result = compute()
    return Run(time.perf_counter() - begin, _cpu(client) - before), result


def _cpu(client: Client | None) -> float:
    workers: list[float] = [] if client is None else list(client.run(time.process_time).values())
    return time.process_time() + sum(workers)


def best(runs: list[Run]) -> Run:
    """Return the least wall time and the least CPU time."""
    return Run(min(run.wall for run in runs), min(run.cpu for run in runs))


def overhead(effort: Effort) -> str:
    """Compare memory, store and cluster on attributes, with tiles of two seconds and more."""
    graphs = proteins(120 if effort.quick else 900)
    memory = partial(wg.distances, graphs)
    expected = memory()
    runs: dict[str, list[Run]] = {}
    with cluster(1) as one, cluster(2) as two, tile_size(LONG_TILES):
        sides: dict[str, tuple[dict[str, Any], Client | None]] = {
            "array, 1 thread": ({}, None),
            "store, 1 thread": ({"out": "D.zarr"}, None),
            "array, Dask, 1 worker": ({"executor": one}, one),
            "store, Dask, 1 worker": ({"out": "D.zarr", "executor": one}, one),
            "array, 2 threads": ({"n_jobs": 2}, None),
            "store, Dask, 2 workers": ({"out": "D.zarr", "executor": two}, two),
        }
        for _, (name, (options, client)) in itertools.product(range(effort.repeat), sides.items()):
            with tempfile.TemporaryDirectory(dir=effort.folder) as folder:
                chosen = {**options, **({"out": f"{folder}/D.zarr"} if "out" in options else {})}
                run, distances = measure(partial(memory, **chosen), client)
                assert np.array_equal(np.asarray(distances), expected), name
                runs.setdefault(name, []).append(run)
    return _overhead_table({name: best(each) for name, each in runs.items()}, graphs)


def _overhead_table(runs: dict[str, Run], graphs: GraphBatch) -> str:
    grid = tiles(prepare([wg.WWL(depth=3).embed(graphs)], [3], Exact()), LONG_TILES)
    first = runs["array, 1 thread"]
    rows = [
        [
            name,
            duration(run.wall),
            f"{run.wall / first.wall - 1:+.1%}",
            duration(run.cpu),
            f"{run.cpu / first.cpu - 1:+.1%}",
        ]
        for name, run in runs.items()
    ]
    one, two = runs["store, Dask, 1 worker"], runs["store, Dask, 2 workers"]
    return (
        f"Exact distances between {len(graphs):,} proteins with 29 attributes at depth 3, in {len(grid)} tiles of "
        f"{duration(first.cpu / len(grid))} on average. The times of the processors are those of all processes.\n\n"
        + markdown(["where", "time", "against an array", "processor time", "against an array"], rows)
        + f"\n\nTwo workers against one: {times(one.wall / two.wall)} by the clock, {two.cpu / one.cpu - 1:+.1%} "
        "processor time."
    )


# How far it reaches: each in a process of its own, whose peak memory is read at the end


def peak() -> int:
    """Return the largest memory of this process so far, on Linux."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:"))


def in_process(name: str, *arguments: object) -> dict[str, Any]:
    """Call one of the functions below in a new process, and return its figures."""
    command = [sys.executable, __file__, "--one", name, *map(str, arguments)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    figures: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return figures


def drive(n: str, folder: str) -> dict[str, Any]:
    """Compute the distances of n molecules on a worker; the driver only hands out tiles."""
    graphs = molecules(int(n))
    before = peak()
    with cluster(1) as client:
        run, _ = measure(partial(wg.distances, graphs, out=f"{folder}/D.zarr", executor=client, dtype="float32"))
    return {"graphs": len(graphs), "before": before, "peak": peak(), "seconds": run.wall}


def driver_memory(effort: Effort) -> str:
    """Measure the memory of the driver for growing collections."""
    rows = []
    for n in (1_000, 2_000) if effort.quick else (1_000, 5_000, 20_000):
        with tempfile.TemporaryDirectory(dir=effort.folder) as folder:
            figures = in_process("drive", n, folder)
        matrix = 4 * n * n
        held = f"{figures['before'] / MIB:,.0f} MiB"
        rows.append(
            [
                f"{n:,}",
                f"{matrix / MIB:,.0f} MiB",
                held,
                f"{figures['peak'] / MIB:,.0f} MiB",
                duration(figures["seconds"]),
            ]
        )
    return (
        "Peak memory of the driver, while a Dask worker computes molecules with labels at depth 3 in float32:\n\n"
        + (markdown(["graphs", "matrix", "driver before the call, with the graphs", "driver, peak", "time"], rows))
    )


def write_store(n: str, dtype: str, folder: str) -> dict[str, Any]:
    """Write the distances of n molecules to a store on two threads, and check a sample."""
    graphs = molecules(int(n))
    run, store = measure(partial(wg.distances, graphs, out=f"{folder}/D.zarr", n_jobs=2, dtype=dtype))
    figures = {"peak": peak(), "wall": run.wall, "cpu": run.cpu, "tile": store.tile_shape}
    pairs = np.random.default_rng(0).integers(0, len(graphs), size=(300, 2))
    expected = wg.pair_distances(graphs, None, pairs, dtype=dtype)
    assert np.array_equal(store[pairs[:, 0], pairs[:, 1]], expected)
    size = sum(file.stat().st_size for file in Path(folder).rglob("*") if file.is_file())
    return {**figures, "disk": size, "graphs": len(graphs)}


def large_store(effort: Effort) -> str:
    """Write the distances between many molecules with labels to a store."""
    rows = []
    for dtype in ("float32", "float64"):
        folder = tempfile.mkdtemp(dir=effort.folder)
        try:
            figures = in_process("write_store", 2_000 if effort.quick else 50_000, dtype, folder)
        finally:
            shutil.rmtree(folder)
        rate = figures["disk"] / figures["wall"] / 1e6
        rows.append(
            [
                f"{figures['graphs']:,}",
                dtype,
                " × ".join(f"{edge:,}" for edge in figures["tile"]),
                duration(figures["wall"]),
                duration(figures["cpu"]),
                f"{figures['disk'] / 1e9:.1f} GB, {rate:.0f} MB/s",
                f"{figures['peak'] / MIB:,.0f} MiB",
            ]
        )
    columns = ["graphs", "type", "tile", "time", "processor time", "on disk", "peak memory"]
    return "Molecules of MUV with labels at depth 3, to a store on two threads:\n\n" + markdown(columns, rows)


def list_tiles(n: str) -> dict[str, Any]:
    """List the tiles of the distances between the molecules of ZINC."""
    graphs = zinc(None if n == "all" else int(n))
    embedding = wg.WWL(depth=3).embed(graphs)
    begin = time.perf_counter()
    problem = prepare([embedding], [3], Exact())
    prepared = time.perf_counter()
    count = sum(1 for _ in tiles(problem, ON_DISK))
    listed = time.perf_counter() - prepared
    return {"graphs": len(graphs), "prepare": prepared - begin, "tiles": count, "list": listed, "peak": peak()}


def listing(effort: Effort) -> str:
    """Measure how long the tiles of a quarter of a million graphs take to list."""
    figures = in_process("list_tiles", 2_000 if effort.quick else "all")
    return (
        f"The {figures['tiles']:,} tiles of the {figures['graphs']:,} molecules of ZINC, labels at depth 3, are listed "
        f"in {duration(figures['list'])}, after {duration(figures['prepare'])} for preparing the problem; both "
        f"and reading them takes {figures['peak'] / MIB:,.0f} MiB."
    )


PARTS: dict[str, Callable[[Effort], str]] = {
    "overhead": overhead,
    "driver": driver_memory,
    "large": large_store,
    "listing": listing,
}
IN_PROCESS: dict[str, Callable[..., dict[str, Any]]] = {
    "drive": drive,
    "write_store": write_store,
    "list_tiles": list_tiles,
}


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=3, help="turns, of which the best counts (default: 3)")
    parser.add_argument("--quick", action="store_true", help="few graphs and one turn, for a look")
    parser.add_argument("--only", nargs="+", choices=list(PARTS), metavar="NAME", help=f"of {', '.join(PARTS)}")
    parser.add_argument("--folder", type=Path, default=Path(), help="where stores are written (default: here)")
    parser.add_argument("--one", nargs="+", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(IN_PROCESS[options.one[0]](*options.one[1:])))
        return
    effort = Effort(1 if options.quick else options.repeat, options.folder.resolve(), options.quick)
    sections = []
    for name in options.only or PARTS:
        sections.append(PARTS[name](effort))
        print(f"{sections[-1]}\n", flush=True)
    if not options.quick and not options.only:
        save(HEADING, "\n\n".join([circumstances(PACKAGES), *sections]))


if __name__ == "__main__":
    main()
