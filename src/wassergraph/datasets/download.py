"""Data sets from the TUDataset site into a folder, so that whatever happens, the folder holds whole archives only."""

from __future__ import annotations

import contextlib
import http.client
import os
import secrets
import time
import urllib.error
import urllib.request
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, TypeVar

from wassergraph.formats.tu.archive import UNREADABLE
from wassergraph.graphs.invariants import count
from wassergraph.parallel.progress import Progress

SITE = "https://www.chrsmrrs.com/graphkerneldatasets"
_CHUNK = 1 << 16
Result = TypeVar("Result")


class DownloadError(OSError):
    """A data set could not be fetched; nothing was left behind."""


class UnknownDatasetError(LookupError, ValueError):
    """The site has no data set of this name."""


def download(
    name: str,
    folder: Path,
    *,
    site: str = SITE,
    timeout: float = 30.0,
    retries: int = 3,
    pause: float = 1.0,
    show: bool | None = None,
) -> Path:
    """Fetch ``NAME.zip`` into a folder and give its path.

    The archive is written under another name, checked, and then moved into place in one step.

    Parameters
    ----------
    name : str
        A data set of the TUDataset collection.
    folder : Path
        Where to put the archive; made if it does not exist.
    site : str
        The address that the archives are found under.
    timeout : float
        How many seconds the site may be silent.
    retries : int
        How often to try again after a failure that may pass.
    pause : float
        How many seconds to wait before the first retry; twice as long before each further one.
    show : bool, optional
        Whether to show a progress bar; by default on a terminal only.
    """
    folder.mkdir(parents=True, exist_ok=True)
    url = f"{site}/{name}.zip"
    temporary = folder / f".{name}-{os.getpid()}-{secrets.token_hex(4)}.part"
    try:
        with temporary.open("x+b") as file:
            _retry(
                lambda: _fetch(url, file, name, timeout, show),
                retries,
                pause,
                f"{name} could not be fetched from {url}",
            )
            _check_archive(file, url)
        target = folder / f"{name}.zip"
        temporary.replace(target)
        return target
    finally:
        with contextlib.suppress(FileNotFoundError):
            temporary.unlink()


def _retry(work: Callable[[], Result], retries: int, pause: float, failure: str) -> Result:
    attempt = 0
    while True:
        try:
            return work()
        except (urllib.error.URLError, TimeoutError, ConnectionError, http.client.HTTPException) as error:
            attempt += 1
            if attempt > retries or not _may_pass(error):
                raise DownloadError(f"{failure} ({error}), tried {count(attempt, 'time')}: try again later") from error
        time.sleep(pause * 2 ** (attempt - 1))


def _may_pass(error: Exception) -> bool:
    """Whether trying again may help: not where the site has understood and said no."""
    return not isinstance(error, urllib.error.HTTPError) or error.code >= 500 or error.code == 429


def _fetch(url: str, file: BinaryIO, name: str, timeout: float, show: bool | None) -> None:
    file.seek(0)
    file.truncate()
    try:
        answer = urllib.request.urlopen(url, timeout=timeout)
    except urllib.error.HTTPError as error:
        if error.code in (404, 410):
            raise UnknownDatasetError(
                f"there is no data set {name!r} at {url}: check the spelling, capitals count"
            ) from error
        raise
    with answer:
        length = answer.headers.get("Content-Length")
        total = int(length) if length is not None and length.isdecimal() else None
        with Progress(f"downloading {name}", total, "B", show=show) as progress:
            while chunk := answer.read(_CHUNK):
                file.write(chunk)
                progress.update(len(chunk))
    if total is not None and progress.done != total:
        raise ConnectionError(f"the connection ended after {progress.done} of {total} bytes")


def _check_archive(file: BinaryIO, url: str) -> None:
    try:
        with zipfile.ZipFile(file) as archive:
            bad = archive.testzip()
    except UNREADABLE as error:
        raise DownloadError(f"what {url} sent is not a whole zip archive ({error})") from error
    if bad is not None:
        raise DownloadError(f"what {url} sent is damaged: the checksum of {bad} is wrong")
