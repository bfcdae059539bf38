"""Settings that all tests share: the real data sets, markers and the generation of random examples."""

from __future__ import annotations

import json
import os
import signal
import socket
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import Any, NoReturn

import pytest
from hypothesis import HealthCheck, settings

from stores import use_small_tiles

ROOT = Path(__file__).parents[1]

# Files that are left out where a library is absent, as in `make test-oldest`; of the sources, those with examples.
NEEDS = {
    "torch_geometric": ["formats/test_pyg.py", "formats/pyg.py"],
    "zarr": [
        "pairwise/test_store.py",
        "pairwise/test_recipe.py",
        "pairwise/test_distance_store.py",
        "parallel/test_executors.py",
        "cli/test_cli_distances.py",
        "pairwise/distance_store.py",
    ],
    "distributed": ["parallel/test_cluster.py"],
}
#: The seconds from which on a test is slow.
SLOW_FROM = 1.0
#: The names of this computer that never leave it.
LOOPBACK = ("127.0.0.1", "::1", "localhost")
ABSENT = [library for library in NEEDS if find_spec(library) is None]
LEFT_OUT = sorted({file for library in ABSENT for file in NEEDS[library]})
collect_ignore = [file for file in LEFT_OUT if "/test_" in file]
# Seconds that test functions took, all their parameters together; `make durations` records them.
DURATIONS = Path(__file__).with_name("durations.json")
SECONDS: dict[str, float] = json.loads(DURATIONS.read_text(encoding="utf-8"))
# POT is compared with on numpy arrays only; without this it imports PyTorch.
os.environ.setdefault("POT_BACKEND_DISABLE_PYTORCH", "1")

# The default profile generates the same examples on every run and ignores how long an example takes, so that the
# result depends on the code only. The profile "fast" has fewer examples, "explore" has new random ones on every run:
# pytest --hypothesis-profile=explore.
settings.register_profile(
    "fixed", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
settings.register_profile("fast", settings.get_profile("fixed"), max_examples=20)
settings.register_profile("explore", settings.get_profile("fixed"), derandomize=False)
settings.load_profile("fixed")


def pytest_report_header() -> list[str]:
    """Name the files that are left out."""
    return [f"not run, since {' and '.join(ABSENT)} are absent: {', '.join(LEFT_OUT)}"] if ABSENT else []


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option of `make durations`."""
    parser.addoption("--record-durations", action="store_true", help=f"write how long tests take into {DURATIONS.name}")


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Write how long the functions took that took a second or more, if this was asked for."""
    if not config.getoption("--record-durations"):
        return
    seconds: dict[str, float] = defaultdict(float)
    for report in chain.from_iterable(terminalreporter.stats.values()):
        if isinstance(report, pytest.TestReport) and report.nodeid.startswith("tests/"):
            seconds[report.nodeid.removeprefix("tests/").split("[")[0]] += report.duration
    lasting = {name: round(duration, 1) for name, duration in sorted(seconds.items()) if duration >= SLOW_FROM}
    DURATIONS.write_text(json.dumps(lasting, indent=1) + "\n", encoding="utf-8")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the slow tests and those that use the real data sets; skip examples that need an absent library."""
    for item in items:
        if item.nodeid.removeprefix("tests/").split("[")[0] in SECONDS:
            item.add_marker("slow")
        if {"data_home", "molecules_home", "benchmarks_home"} & set(getattr(item, "fixturenames", ())):
            item.add_marker("data")
        if item.path in (ROOT / "src" / "wassergraph" / file for file in LEFT_OUT):
            item.add_marker(pytest.mark.skip(reason="a library is absent"))


def data_folder() -> Path | None:
    """Return the folder with the archives of the paper's data sets, or None if there is none."""
    named = os.environ.get("WASSERGRAPH_DATA")
    folder = Path(named) if named else ROOT.parent / "shared" / "datasets"
    if not folder.is_absolute():
        folder = ROOT / folder
    return folder if folder.is_dir() else None


@pytest.fixture(scope="session")
def data_home() -> Path:
    """Return the folder with the real data sets; without it, skip the test or let it fail."""
    folder = data_folder()
    return folder or _absent("the real data sets are absent: set WASSERGRAPH_DATA to a folder with their archives")


@pytest.fixture(scope="session")
def molecules_home() -> Path:
    """Return the folder with the real tables of molecules; without it, skip the test or let it fail."""
    named = os.environ.get("WASSERGRAPH_MOLECULES")
    folder = ROOT / named if named else ROOT.parent / "shared" / "molecules"
    message = "the real tables of molecules are absent: set WASSERGRAPH_MOLECULES to a folder with BACE.csv and others"
    return folder if folder.is_dir() else _absent(message)


@pytest.fixture(scope="session")
def benchmarks_home() -> Path:
    """Return the folder with the files of benchmarks of others; without it, skip the test or let it fail."""
    named = os.environ.get("WASSERGRAPH_BENCHMARKS")
    folder = ROOT / named if named else ROOT.parent / "shared" / "benchmarks"
    message = "the files of benchmarks are absent: set WASSERGRAPH_BENCHMARKS to a folder with moleculeace and others"
    return folder if folder.is_dir() else _absent(message)


def _absent(message: str) -> NoReturn:
    if os.environ.get("WASSERGRAPH_REQUIRE_DATA"):
        pytest.fail(message)
    pytest.skip(message)


@pytest.fixture(autouse=True)
def _empty_user_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let each test start with an empty user cache and without a data folder from the environment."""
    cache = tmp_path_factory.mktemp("cache")
    for variable in ("XDG_CACHE_HOME", "LOCALAPPDATA", "HOME"):
        monkeypatch.setenv(variable, str(cache))
    monkeypatch.delenv("WASSERGRAPH_DATA", raising=False)
    monkeypatch.delenv("WASSERGRAPH_BENCHMARKS", raising=False)


@pytest.fixture(autouse=True)
def _usual_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let tests not depend on the shell that started them: its width and colors, a proxy, or a hook of git."""
    for variable in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "FORCE_COLOR", "PYTHONIOENCODING"):
        monkeypatch.delenv(variable, raising=False)
    for variable, value in (("COLUMNS", "100"), ("NO_COLOR", "1"), ("no_proxy", "*")):
        monkeypatch.setenv(variable, value)


@pytest.fixture(autouse=True)
def _no_network(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Let a test fail if it connects to anything, or looks up a name, even where the code hides the error.

    Tests that are marked as ``loopback`` run a server themselves, and may connect to this computer. Other processes
    that tests start have the environment variable that forbids the library to use the network.
    """
    monkeypatch.setenv("WASSERGRAPH_OFFLINE", "1")
    on_loopback = request.node.get_closest_marker("loopback") is not None
    earlier = set(threading.enumerate()) - {threading.main_thread()}  # what an earlier test has left behind
    refused: list[str] = []
    for name in ("connect", "connect_ex"):
        monkeypatch.setattr(socket.socket, name, _guarded(getattr(socket.socket, name), on_loopback, refused, earlier))
    monkeypatch.setattr(socket, "getaddrinfo", _guarded_lookup(socket.getaddrinfo, refused))
    yield refused
    if refused:
        pytest.fail(f"the test used the network: {', '.join(refused)}")


def _guarded(
    connect: Callable[..., Any], on_loopback: bool, refused: list[str], earlier: set[threading.Thread]
) -> Callable[..., Any]:
    def guarded(self: socket.socket, address: Any) -> Any:
        # Connecting a datagram socket, as Dask does to learn its own address, sends nothing.
        is_harmless = self.family not in (socket.AF_INET, socket.AF_INET6) or self.type == socket.SOCK_DGRAM
        if is_harmless or (on_loopback and address[0] in LOOPBACK):
            return connect(self, address)
        if threading.current_thread() not in earlier:
            refused.append(str(address))
        raise ConnectionRefusedError(f"tests may not connect to {address}")

    return guarded


def _guarded_lookup(look_up: Callable[..., Any], refused: list[str]) -> Callable[..., Any]:
    def guarded(host: Any, *arguments: Any, **options: Any) -> Any:
        is_number = isinstance(host, str) and host.replace(".", "").isdecimal()
        if host is None or host in LOOPBACK or host == socket.gethostname() or is_number:
            return look_up(host, *arguments, **options)
        refused.append(str(host))
        raise socket.gaierror(f"tests may not look up {host}")

    return guarded


@pytest.fixture(autouse=True)
def _interruptible() -> Iterator[None]:
    """Let SIGINT raise KeyboardInterrupt; a process that a shell starts in the background ignores it."""
    previous = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, previous)


@pytest.fixture
def small_tiles(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let stores of few graphs have many tiles."""
    use_small_tiles(monkeypatch)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return the path of a store that does not exist yet."""
    return tmp_path / "D.zarr"
