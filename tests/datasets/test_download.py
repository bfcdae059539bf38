"""Downloads, from a real HTTP server on loopback that behaves well or badly."""

from __future__ import annotations

import io
import socket
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

import wassergraph as wg
from tu_files import FILES
from wassergraph.datasets import load
from wassergraph.datasets.data_home import cache_folder
from wassergraph.datasets.download import DownloadError, UnknownDatasetError, download_dataset

pytestmark = pytest.mark.loopback


def archive() -> bytes:
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w") as file:
        for suffix, text in FILES.items():
            file.writestr(f"TINY/TINY_{suffix}.txt", text)
        file.writestr("TINY/README.txt", "x" * 200_000)
    return memory.getvalue()


ARCHIVE = archive()


class Handler(BaseHTTPRequestHandler):
    """Serve /BEHAVIOR/TINY.zip; each behavior is a method."""

    asked: list[str] = []  # noqa: RUF012 - emptied by the fixture

    def do_GET(self) -> None:
        self.asked.append(self.path)
        getattr(self, self.path.split("/")[1])()

    def answer(self, code: int, body: bytes, length: int | None = None) -> None:
        self.send_response(code)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        self.end_headers()
        self.wfile.write(body)

    def good(self) -> None:
        self.answer(200, ARCHIVE)

    def missing(self) -> None:
        self.answer(404, b"not here")

    def cut_off(self) -> None:
        self.answer(200, ARCHIVE[: len(ARCHIVE) // 2], len(ARCHIVE))
        self.close_connection = True

    def cut_off_once(self) -> None:
        self.good() if len(self.asked) > 1 else self.cut_off()

    def busy_once(self) -> None:
        self.good() if len(self.asked) > 1 else self.answer(503, b"busy")

    def not_a_zip(self) -> None:
        self.answer(200, b"<html>please log in</html>")

    def damaged(self) -> None:
        self.answer(200, ARCHIVE.replace(b"xxxx", b"xxyx", 1))

    def damaged_stream(self) -> None:
        memory = io.BytesIO()
        with zipfile.ZipFile(memory, "w", zipfile.ZIP_DEFLATED) as file:
            file.writestr("TINY_A.txt", "1, 2\n" * 1000)
        data = bytearray(memory.getvalue())
        data[45:50] = b"\xff" * 5
        self.answer(200, bytes(data))

    def forbidden(self) -> None:
        self.answer(403, b"no")

    def odd_length(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "abc")
        self.end_headers()
        self.wfile.write(ARCHIVE)
        self.close_connection = True

    def silent(self) -> None:
        self.server.wait.wait(60)

    def log_message(self, *_: object) -> None:
        """Say nothing on standard error."""


@pytest.fixture(autouse=True)
def _online(monkeypatch):
    """Let these tests use the network of this computer, as their marker says."""
    monkeypatch.delenv("WASSERGRAPH_OFFLINE")


@pytest.fixture
def site():
    Handler.asked.clear()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.wait = threading.Event()
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.wait.set()
    server.shutdown()
    server.server_close()
    thread.join()


def fetch(site, behavior, folder, **options):
    return download_dataset("TINY", folder, site=f"{site}/{behavior}", **{"pause": 0, "timeout": 60, **options})


def test_success(site, tmp_path):
    path = fetch(site, "good", tmp_path / "new" / "folder")
    assert path == tmp_path / "new" / "folder" / "TINY.zip"
    assert path.read_bytes() == ARCHIVE
    assert [child.name for child in path.parent.iterdir()] == ["TINY.zip"]
    assert Handler.asked == ["/good/TINY.zip"]


def test_a_name_that_is_not_on_disk_is_downloaded_once(site, tmp_path, monkeypatch):
    monkeypatch.setattr(load, "download_dataset", lambda name, folder: fetch(site, "good", folder))
    for _ in range(2):
        assert len(wg.load_dataset("TINY", download=True)[0]) == 2
    assert len(wg.load_dataset("TINY")[0]) == 2
    assert Handler.asked == ["/good/TINY.zip"]
    assert (cache_folder() / "TINY.zip").exists()
    wg.load_dataset("TINY", data_home=tmp_path, download=True)
    assert not (tmp_path / "TINY.zip").exists()
    (cache_folder() / "TINY.zip").unlink()
    wg.load_dataset("TINY", data_home=tmp_path, download=True)
    assert (tmp_path / "TINY.zip").exists()


def test_only_names_of_the_catalogue_are_downloaded_unasked(site, tmp_path, monkeypatch):
    asked = []

    def note(name, folder):
        asked.append(name)
        return fetch(site, "good", folder)

    monkeypatch.setattr(load, "download_dataset", note)
    with pytest.raises(UnknownDatasetError, match=r"no data set 'TINY' .*; pass download=True to look for it on the"):
        wg.load_dataset("TINY")
    assert asked == []
    with pytest.raises(ValueError, match="this is not the published data set"):
        wg.load_dataset("MUTAG", data_home=tmp_path)
    assert asked == ["MUTAG"]


@pytest.mark.parametrize("value", ["1", "yes"])
def test_a_variable_forbids_the_network(site, tmp_path, monkeypatch, value):
    monkeypatch.setenv("WASSERGRAPH_OFFLINE", value)
    message = rf"MUTAG is not on disk, and WASSERGRAPH_OFFLINE={value} forbids .*; put MUTAG\.zip, .* into .*{tmp_path}"
    with pytest.raises(DownloadError, match=message):
        wg.load_dataset("MUTAG", data_home=tmp_path)
    with pytest.raises(DownloadError, match="WASSERGRAPH_OFFLINE"):
        fetch(site, "good", tmp_path)
    assert Handler.asked == []
    monkeypatch.setenv("WASSERGRAPH_OFFLINE", "0")
    assert fetch(site, "good", tmp_path).exists()


def test_404_is_final(site, tmp_path):
    with pytest.raises(UnknownDatasetError, match=r"there is no data set 'TINY' at .*; check the spelling"):
        fetch(site, "missing", tmp_path)
    assert len(Handler.asked) == 1
    assert list(tmp_path.iterdir()) == []


def test_cut_off_half_way(site, tmp_path):
    with pytest.raises(DownloadError, match=r"TINY could not be downloaded .*, tried 3 times"):
        fetch(site, "cut_off", tmp_path, retries=2)
    assert len(Handler.asked) == 3
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("behavior", ["cut_off_once", "busy_once"])
def test_failures_that_pass_are_tried_again(site, tmp_path, behavior):
    assert fetch(site, behavior, tmp_path).read_bytes() == ARCHIVE
    assert len(Handler.asked) == 2


@pytest.mark.parametrize(
    ("behavior", "message"),
    [
        ("not_a_zip", "is not a complete zip archive"),
        ("damaged", "is damaged"),
        ("damaged_stream", "is not a complete zip archive"),
    ],
)
def test_what_is_not_a_whole_zip_is_not_kept(site, tmp_path, behavior, message):
    (tmp_path / "TINY.zip").write_text("what was there before")
    with pytest.raises(DownloadError, match=message):
        fetch(site, behavior, tmp_path)
    assert [child.read_text() for child in tmp_path.iterdir()] == ["what was there before"]


def test_a_refusal_is_final_and_an_odd_header_is_passed_over(site, tmp_path):
    with pytest.raises(DownloadError, match=r"403.*tried 1 time;"):
        fetch(site, "forbidden", tmp_path)
    assert len(Handler.asked) == 1
    assert fetch(site, "odd_length", tmp_path).read_bytes() == ARCHIVE


def test_others_may_read_what_was_downloaded(site, tmp_path):
    path = fetch(site, "good", tmp_path)
    (tmp_path / "ordinary").touch()
    assert path.stat().st_mode == (tmp_path / "ordinary").stat().st_mode


def test_a_silent_site_is_given_up(site, tmp_path):
    with pytest.raises(DownloadError, match="timed out"):
        fetch(site, "silent", tmp_path, timeout=0.2, retries=0)
    assert list(tmp_path.iterdir()) == []


def test_nobody_there(tmp_path):
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))  # nobody else can listen here, and this socket does not
        with pytest.raises(DownloadError, match="tried 2 times; try again later"):
            fetch(f"http://127.0.0.1:{closed.getsockname()[1]}", "good", tmp_path, retries=1)


def test_an_interrupt_leaves_nothing_behind(site, tmp_path, monkeypatch):
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("wassergraph.parallel.progress.Progress.update", interrupt)
    with pytest.raises(KeyboardInterrupt):
        fetch(site, "good", tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_progress_is_shown_on_request(site, tmp_path, capsys):
    fetch(site, "good", tmp_path, show=True)
    shown = capsys.readouterr().err
    assert "downloading TINY" in shown
    assert "100%" in shown
    assert "done" in shown
    fetch(site, "good", tmp_path)
    assert capsys.readouterr().err == ""
