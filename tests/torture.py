"""Kill computations of a store at random moments until it is complete, and compare it with memory, bit by bit.

    python tests/torture.py --rounds 100 --seed 0

Rounds alternate between threads and a local cluster of two processes. A computation and its workers are killed as a
group, so that nothing can tidy up. The exit code is 1 if a store differs from memory.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import signal
import sys
import tempfile
import time
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np

import wassergraph as wg
from wassergraph.pairwise import fill_store
from wassergraph.pairwise.tiles import TileSize
from wassergraph.parallel.dask import local_cluster

#: Less than a second's work. Nine by nine tiles of six by six graphs have files, and 45 of them are computed.
N_GRAPHS, N_FILES = 54, 81
TILES = TileSize(target=1e18, least=1e18, enough=1, most=1, largest=36 * 8)
#: A computation is killed when it has written so many files, and at most so many seconds have passed since then. Less
#: than no files means: in the first moments.
FILES, MOST_SECONDS = (-10, N_FILES), 0.1
MODES = {"threads": nullcontext, "2 processes": lambda: local_cluster(2)}


def compute(path: Path | None = None, executor: object = None) -> Any:
    """Compute the distances, in memory or into a store."""
    fill_store.ON_DISK = TILES
    graphs = wg.datasets.make_synthie(N_GRAPHS, random_state=0)[0]
    return wg.distances(graphs, metric=wg.WWL(depth=1), n_jobs=2, executor=executor, out=path)


def run(path: Path, mode: str, ready: Any) -> None:
    """Compute a store, in a process that leads a group of its own; say when the executor is ready."""
    os.setsid()
    with MODES[mode]() as executor:
        ready.set()
        compute(path, executor)


def run_and_kill(path: Path, mode: str, n_files: int, seconds: float) -> bool:
    """Begin or continue a store, and kill the computation some seconds after there are so many files.

    Returns
    -------
    bool
        Whether the computation ended before.
    """
    context = multiprocessing.get_context("forkserver")
    ready = context.Event()
    process = context.Process(target=run, args=(path, mode, ready))
    process.start()
    while process.is_alive() and not (ready.wait(0.01) and count_files(path) >= n_files):
        pass
    process.join(seconds)
    if process.is_alive():
        os.killpg(process.pid, signal.SIGKILL)
        process.join()
    if process.exitcode not in (0, -signal.SIGKILL):
        raise SystemExit(f"a computation with {mode} ended with the exit code {process.exitcode}")
    return process.exitcode == 0


def count_files(path: Path) -> int:
    """Return the number of files of tiles that are complete."""
    return sum(file.suffix == "" for file in (path / "distances").glob("c/0/*/*"))


def one_round(path: Path, mode: str, random: np.random.Generator) -> list[int]:
    """Kill a computation until it is complete; return the number of files that each kill left."""
    left: list[int] = []
    while True:
        n_files = count_files(path) + int(random.integers(*FILES))
        if run_and_kill(path, mode, n_files, random.uniform(0.0, MOST_SECONDS)):
            return left
        left.append(count_files(path))


def is_identical(path: Path, expected: np.ndarray) -> bool:
    """Return whether a store is complete, its checksums are right, and its bits are the expected ones."""
    try:
        return np.asarray(wg.open_distances(path, verify=True)).tobytes() == expected.tobytes()
    except ValueError as error:
        print(error, file=sys.stderr)
        return False


def torture(folder: Path, rounds: int, seed: int) -> int:
    """Print a line for every store, and return how many differ from memory."""
    random, expected = np.random.default_rng(seed), compute()
    begin, n_kills, n_different = time.monotonic(), 0, 0
    print(f"round  computed by  kills  identical  files of tiles after each kill, of {N_FILES}", flush=True)
    for number in range(1, rounds + 1):
        mode, path = list(MODES)[(number - 1) % len(MODES)], folder / f"{number}.zarr"
        left = one_round(path, mode, random)
        same = is_identical(path, expected) and count_files(path) == N_FILES
        n_kills, n_different = n_kills + len(left), n_different + (not same)
        files = " ".join(map(str, left))
        print(f"{number:>5}  {mode:<11}  {len(left):>5}  {'yes' if same else 'NO':<9}  {files}".rstrip(), flush=True)
    minutes = (time.monotonic() - begin) / 60
    print(f"{rounds} stores, {n_kills} kills, {n_different} stores differ, {minutes:.1f} minutes")
    return n_different


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=100, metavar="N", help="how many stores (default: 100)")
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="the seed of the moments (default: 0)")
    options = parser.parse_args()
    multiprocessing.set_forkserver_preload(["wassergraph.pairwise.api", "distributed", "zarr"])
    with tempfile.TemporaryDirectory(prefix="wassergraph-torture-") as folder:
        os.environ["DASK_TEMPORARY_DIRECTORY"] = folder  # killed workers leave files there
        os.environ["PYTHONWARNINGS"] = "ignore:resource_tracker:UserWarning"  # and semaphores, which Python removes
        return 1 if torture(Path(folder), options.rounds, options.seed) else 0


if __name__ == "__main__":
    raise SystemExit(main())
