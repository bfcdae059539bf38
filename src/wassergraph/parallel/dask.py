"""Dask clusters for the command line: connect to one, or start one on this machine."""

from __future__ import annotations

import json
import logging
import re
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import joblib

from wassergraph.errors import ConnectionFailedError, InputError, Option
from wassergraph.optional import require
from wassergraph.parallel.network import OFFLINE, forbidden_by

#: How many seconds a scheduler may take to answer.
_PATIENCE = 10
#: Addresses of this computer.
_LOCAL = re.compile(r"(\w+://)?(127\.0\.0\.1|localhost|\[::1\])(:|/|$)")


@contextmanager
def connected(address: str) -> Iterator[Any]:
    """Connect to the scheduler of a Dask cluster, and yield the client.

    Parameters
    ----------
    address : str
        An address such as ``tcp://10.0.0.1:8786``, or the file that ``dask scheduler --scheduler-file`` wrote.
    """
    if not re.match(r"(tcp|tls|ucx|ws|wss)://.|.*\.json$", address):
        problem = f"{{}} must be an address such as tcp://10.0.0.1:8786 or a scheduler file (.json), got {address!r}"
        raise InputError(problem, options=[Option("scheduler")])
    require("distributed")
    from distributed import Client

    try:
        place = _place(address)
        client = Client(**place, timeout=_PATIENCE, set_as_default=False) if _is_allowed(place) else None
    except (OSError, ValueError) as error:
        problem = f"{{}} does not answer: {error}"
        remedy = "start one with: dask scheduler"
        raise ConnectionFailedError(problem, remedy=remedy, options=[Option("scheduler", address)]) from None
    if client is None:
        problem = f"{{}} may be on another computer, and {forbidden_by()} forbids the network"
        remedy = f"use {{}}, or unset {OFFLINE}"
        raise InputError(problem, remedy=remedy, options=[Option("scheduler", address), Option("workers")])
    with client:
        yield client


def _is_allowed(place: dict[str, str]) -> bool:
    """Return whether a scheduler is on this computer, or the network may be used."""
    if forbidden_by() is None:
        return True
    file = place.get("scheduler_file")
    address = place["address"] if file is None else json.loads(Path(file).read_text()).get("address")
    return _LOCAL.match(str(address)) is not None


def _place(address: str) -> dict[str, str]:
    """Return the arguments of a client; wait for a scheduler file, which is written after the start of a scheduler."""
    if not address.endswith(".json"):
        return {"address": address}
    deadline = time.monotonic() + _PATIENCE
    while not Path(address).exists():
        if time.monotonic() > deadline:
            raise FileNotFoundError("there is no such file")
        time.sleep(0.1)
    return {"scheduler_file": address}


def dask_setup(_: Any) -> None:
    """Let a worker ignore Ctrl-C, which a terminal sends to all processes; Dask calls this function by its name."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


@contextmanager
def local_cluster(n_workers: int) -> Iterator[Any]:
    """Start a cluster of processes on this machine, and yield its client; the processors are divided among them."""
    if n_workers < 1:
        raise InputError(f"{{}} must be at least 1, got {n_workers}", options=[Option("workers")])
    require("distributed")
    import dask
    from distributed import Client, LocalCluster

    threads = max(1, int(joblib.cpu_count()) // n_workers)
    # Tasks return nothing and workers hold the graphs only, so that Dask has no memory to manage. The scheduler has a
    # web page even if there is no dashboard; at its usual port, a second cluster would cause a warning.
    with (
        # A worker that dies is started again. By default, the cluster gives it up for good if it is not there after 15
        # seconds, be it because starting takes long, or because it has died once more in between.
        dask.config.set({"distributed.deploy.lost-worker-timeout": "1 day"}),
        LocalCluster(
            n_workers=n_workers,
            threads_per_worker=threads,
            processes=True,
            memory_limit=0,
            dashboard_address="127.0.0.1:0",
            preload=[__name__],
            silence_logs=logging.ERROR,
        ) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        yield client
