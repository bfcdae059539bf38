"""The same bits from real processes: a Dask cluster on this machine, pools of processes, and deaths of any of them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from distributed import Client

import wassergraph as wg
from command_line import run
from executors import KillingExecutor
from made_metrics import with_metric
from stores import CASES, assert_identical, stamps, tile_files
from wassergraph.errors import NotSolvedError
from wassergraph.parallel import dask as dask_module
from wassergraph.parallel.dask import local_cluster
from wassergraph.parallel.progress import Progress
from wassergraph.search import making

pytestmark = [pytest.mark.usefixtures("small_tiles"), pytest.mark.loopback]

posix_only = pytest.mark.skipif(os.name != "posix", reason="this system has no signals of POSIX")
TORTURE = Path(__file__).parents[1] / "torture.py"
SOME = [
    "categorical",
    "continuous",
    "joint",
    "sinkhorn",
    "sliced",
    "weights",
    "weights on both sides",
    "one depth",
    "a depth twice",
    "float32",
    "rectangle",
    "thin",
    "one graph",
    "no graphs on the left",
]


@pytest.fixture(scope="module")
def client():
    """Return the client of a cluster of two processes."""
    with local_cluster(2) as client:
        yield client


# The same bits as in memory


@pytest.mark.parametrize("name", SOME)
def test_a_cluster_computes_what_is_in_memory(client, path, name, tmp_path, monkeypatch):
    expected = wg.distances(**with_metric(**CASES[name]))
    assert_identical(wg.distances(**with_metric(**CASES[name]), out=path, executor=client), expected)
    assert_identical(wg.open_distances(path, verify=True), expected)
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    assert_identical(wg.distances(**with_metric(**CASES[name]), executor=client), expected)
    assert list((tmp_path / "temporary").iterdir()) == []


def test_two_computations_may_share_a_cluster(client, tmp_path):
    names = ["continuous", "joint", "categorical"]
    results = {}

    def compute(name):
        results[name] = wg.distances(**with_metric(**CASES[name]), out=tmp_path / f"{name}.zarr", executor=client)

    threads = [threading.Thread(target=compute, args=(name,)) for name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for name in names:
        assert_identical(results[name], wg.distances(**with_metric(**CASES[name])))


def test_everything_inside_the_block_runs_on_the_cluster(client):
    graphs, y = wg.datasets.make_demo()
    model = wg.GraphClassifier(wg.WWL(depth=[0, 1]), gamma=(0.1, 1.0), C=(1.0, 100.0), cv=3)
    expected = model.fit(graphs[:30], y[:30]).decision_function(graphs[30:40])
    with wg.use_executor(client):
        np.testing.assert_array_equal(model.fit(graphs[:30], y[:30]).decision_function(graphs[30:40]), expected)


@pytest.mark.parametrize("kind", ["categorical", "continuous", "joint"])
def test_a_cluster_embeds_the_graphs_of_an_index(client, kind, monkeypatch):
    monkeypatch.setattr(making, "_PART", 20)
    graphs = wg.datasets.make_demo(30)[0]
    weights = np.arange(graphs.n_nodes) % 3 + 1.0
    expected, found = (
        wg.GraphIndex(graphs, wg.WWL(kind=kind), weights=weights, executor=each) for each in (None, client)
    )
    for one, other in zip(expected.query(graphs[:9]), found.query(graphs[:9]), strict=True):
        np.testing.assert_array_equal(one, other)
    for each, executor in ((expected, None), (found, client)):
        each.add(graphs[:25], weights=weights[: graphs[:25].n_nodes], executor=executor)
    for one, other in zip(expected.kneighbors(3), found.kneighbors(3), strict=True):
        np.testing.assert_array_equal(one, other)


POOL = """
import multiprocessing, sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
import numpy as np
import wassergraph as wg
from wassergraph.pairwise import api, fill_store
from wassergraph.pairwise.tiles import TileSize

if __name__ == "__main__":
    method, path = sys.argv[1:]
    api.ON_DISK = fill_store.ON_DISK = TileSize(target=1e18, least=1e18, enough=1, most=1, largest=256)
    graphs, metric = wg.datasets.make_demo()[0][:13], wg.WWL([2, 0], kind="joint")
    expected = wg.distances(graphs, metric=metric)
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context(method)) as pool:
        assert wg.distances(graphs, metric=metric, executor=pool).tobytes() == expected.tobytes()
        for _ in range(2):  # the store is not claimed any more, although the processes live
            store = wg.distances(graphs, metric=metric, executor=pool, out=path)
            assert np.asarray(store).tobytes() == expected.tobytes()
            Path(path, "distances", "c", "0", "0", "1").unlink()
"""


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_a_pool_of_processes_computes_what_is_in_memory(path, method, tmp_path):
    """In a process of its own, since forking one with the threads of other tests may end in a deadlock."""
    if method == "fork" and not hasattr(os, "fork"):
        pytest.skip("this system does not fork")
    script = tmp_path / "script.py"
    script.write_text(POOL)
    subprocess.run([sys.executable, str(script), method, str(path)], check=True)


# Deaths of workers


class KillingClient(Client):
    """A client whose workers die while they compute chosen tiles."""

    fatal: dict[int, str]

    def get_executor(self, **options):
        return KillingExecutor(super().get_executor(**options), self.fatal)


@posix_only
@pytest.mark.parametrize("tile", [0, 4, 9], ids=["first", "middle", "last"])
@pytest.mark.parametrize("in_store", [True, False], ids=["store", "memory"])
def test_a_worker_may_be_killed(tile, in_store, path, tmp_path):
    """The cluster is used for this alone: whether and when Dask starts the worker again does not matter."""
    expected = wg.distances(**with_metric(**CASES["continuous"]))
    marker = tmp_path / "killed"
    with local_cluster(2) as client, KillingClient(client.cluster, set_as_default=False) as killer:
        client.wait_for_workers(2)
        killer.fatal = {tile: str(marker)}
        distances = wg.distances(**with_metric(**CASES["continuous"]), out=path if in_store else None, executor=killer)
    assert_identical(distances, expected)
    assert marker.exists()


# Errors and interrupts


def test_an_error_of_a_worker_names_graphs_of_the_whole_collection(client, path):
    """Two graphs of one node need no step, so that compiling in this process succeeds, and a worker fails."""
    single = wg.from_edges([[], []], n_nodes=[1, 1], node_labels=[[0]] * 2, node_attributes=[np.zeros((1, 2))] * 2)
    graphs = [*wg.datasets.make_demo()[0][:9].to_networkx(), *single.to_networkx()]
    for out in (None, path):
        with pytest.raises(NotSolvedError, match=r"for the graphs \d and \d within max_iter=1; incr") as caught:
            wg.distances(
                graphs,
                metric=wg.WWL(depth=[0, 1], kind="continuous", solver=wg.Exact(max_iter=1)),
                executor=client,
                out=out,
            )
        first, second = caught.value.graphs
        assert 0 <= first < second < 9
    options = {"kind": "continuous", "depth": [0, 1]}
    assert_identical(
        wg.distances(graphs, **with_metric(**options), executor=client, out=path),
        wg.distances(graphs, **with_metric(**options)),
    )


def test_an_interrupt_leaves_a_store_that_goes_on(client, path, monkeypatch):
    def interrupt(self, *_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Progress, "update", interrupt)
        with pytest.raises(KeyboardInterrupt):
            wg.distances(**with_metric(**CASES["joint"]), out=path, executor=client)
    before = stamps(path)
    assert before
    distances = wg.distances(**with_metric(**CASES["joint"]), out=path, executor=client)
    assert_identical(distances, wg.distances(**with_metric(**CASES["joint"])))


@posix_only
def test_workers_leave_an_interrupt_to_the_process_that_started_them(client):
    """A terminal sends it to all processes; those that die of it would print tracebacks."""
    assert set(client.run(signal.getsignal, signal.SIGINT).values()) == {signal.SIG_IGN}


# The command line


def test_the_command_line_connects_to_a_cluster(client, path, capsys):
    address = client.scheduler_info()["address"]
    code, out, err = run(
        capsys, "distances", "demo", "--kind", "joint", "--depth", 1, "--out", path, "--scheduler", address, "--json"
    )
    assert (code, err) == (0, "")
    assert json.loads(out)["shape"] == [60, 60]
    assert len(tile_files(path)) > 10
    assert_identical(
        wg.open_distances(path),
        wg.distances(wg.datasets.make_demo()[0], metric=wg.WWL(depth=1, kind="joint", standardize="auto")),
    )


@pytest.mark.parametrize("is_file", [False, True])
def test_schedulers_elsewhere_are_refused_without_the_network(path, tmp_path, capsys, is_file):
    address, file = "tcp://10.0.0.1:8786", tmp_path / "scheduler.json"
    file.write_text(json.dumps({"address": address}))
    code, _, err = run(capsys, "distances", "demo", "--out", path, "--scheduler", file if is_file else address)
    assert code == 2
    assert "may be on another computer, and WASSERGRAPH_OFFLINE=1 forbids the network; use --workers, or unset" in err


def test_a_scheduler_that_does_not_answer_is_named(path, capsys, monkeypatch):
    monkeypatch.setattr(dask_module, "_PATIENCE", 0.5)
    code, _, err = run(capsys, "distances", "demo", "--out", path, "--scheduler", "tcp://127.0.0.1:9")
    assert code == 2
    assert "--scheduler tcp://127.0.0.1:9 does not answer" in err
    assert not path.exists()


@posix_only
def test_a_killed_command_goes_on_when_it_is_repeated(path):
    command = [sys.executable, "-m", "wassergraph", "distances", "demo", "--kind", "joint"]
    command += ["--depth", "1", "--out", str(path), "--workers", "2"]
    process = subprocess.Popen(command, start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while process.poll() is None and not path.exists():
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert (
        done.stdout
        == f"Distances between 60 graphs (node labels and node attributes, standardized) at depth 1 written to {path}\n"
    )
    assert done.stderr == ""
    assert_identical(
        wg.open_distances(path),
        wg.distances(wg.datasets.make_demo()[0], metric=wg.WWL(depth=1, kind="joint", standardize="auto")),
    )


@posix_only
def test_runs_that_are_killed_at_random_moments_end_with_the_same_bits():
    """Threads, processes, threads; `make torture` does the same a hundred times."""
    command = [sys.executable, str(TORTURE), "--rounds", "3", "--seed", "56"]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("  yes") == 3
