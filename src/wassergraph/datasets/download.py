"""Download data sets from the TUDataset site; the target folder contains complete archives only.

This is the only part of the library that uses the network by itself; ``WASSERGRAPH_OFFLINE=1`` forbids it.
"""

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
from typing import BinaryIO

from wassergraph.errors import InputError, StructuredError
from wassergraph.formats.tu.archive import UNREADABLE
from wassergraph.graphs.invariants import count
from wassergraph.parallel.network import OFFLINE, forbidden_by
from wassergraph.parallel.progress import Progress

SITE = "https://www.chrsmrrs.com/graphkerneldatasets"
_CHUNK = 1 << 16


class DownloadError(StructuredError, OSError):
    """A data set could not be downloaded; no file was written."""


class UnknownDatasetError(InputError, LookupError):
    """There is no data set of this name: not on disk, and not on the site, if that was asked."""


def download_dataset(
    name: str,
    folder: Path,
    *,
    site: str = SITE,
    timeout: float = 30.0,
    retries: int = 3,
    pause: float = 1.0,
    show: bool | None = None,
) -> Path:
    """Download ``NAME.zip`` into a folder.

    The archive is written under another name, checked, and then renamed in one step.

    Parameters
    ----------
    name : str
        A data set of the TUDataset collection.
    folder : Path
        Where to write the archive; created if it does not exist.
    site : str
        The address of the folder of archives.
    timeout : float
        The number of seconds to wait for data.
    retries : int
        How often to try again after a failure that may be temporary.
    pause : float
        The number of seconds to wait before the first retry; twice as long before each further one.
    show : bool, optional
        Whether to show a progress bar; by default on a terminal only.

    Returns
    -------
    Path
        The archive.

    Raises
    ------
    UnknownDatasetError
        If the site has no data set of this name.
    DownloadError
        If the download failed, if the archive is damaged, or if ``WASSERGRAPH_OFFLINE`` forbids the network.
    """
    _check_online(name, folder)
    folder.mkdir(parents=True, exist_ok=True)
    url = f"{site}/{name}.zip"
    temporary = folder / f".{name}-{os.getpid()}-{secrets.token_hex(4)}.part"
    try:
        with temporary.open("x+b") as file:
            failure = f"{name} could not be downloaded from {url}"
            _retry(lambda: _fetch(url, file, name, timeout, show), retries, pause, failure)
            _check_archive(file, url)
        target = folder / f"{name}.zip"
        temporary.replace(target)
        return target
    finally:
        with contextlib.suppress(FileNotFoundError):
            temporary.unlink()


def _check_online(name: str, folder: Path) -> None:
    """Raise an error if the user has forbidden the network."""
    setting = forbidden_by()
    if setting is not None:
        problem = f"{name} is not on disk, and {setting} forbids downloading it"
        remedy = f"put {name}.zip, from {SITE}, into {folder} or into the folder that WASSERGRAPH_DATA names"
        raise DownloadError(problem, remedy=f"{remedy}, or unset {OFFLINE}")


def _retry(work: Callable[[], None], retries: int, pause: float, failure: str) -> None:
    attempt = 0
    while True:
        try:
            return work()
        except (urllib.error.URLError, TimeoutError, ConnectionError, http.client.HTTPException) as error:
            attempt += 1
            if attempt > retries or not _is_temporary(error):
                problem = f"{failure} ({error}), tried {count(attempt, 'time')}"
                raise DownloadError(problem, remedy="try again later") from error
        time.sleep(pause * 2 ** (attempt - 1))


def _is_temporary(error: Exception) -> bool:
    """Return whether trying again may help: not if the server rejected the request."""
    return not isinstance(error, urllib.error.HTTPError) or error.code >= 500 or error.code == 429


def _fetch(url: str, file: BinaryIO, name: str, timeout: float, show: bool | None) -> None:
    file.seek(0)
    file.truncate()
    try:
        answer = urllib.request.urlopen(url, timeout=timeout)
    except urllib.error.HTTPError as error:
        if error.code in (404, 410):
            remedy = "check the spelling, including upper and lower case"
            raise UnknownDatasetError(f"there is no data set {name!r} at {url}", remedy=remedy) from error
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
            damaged = archive.testzip()
    except UNREADABLE as error:
        problem = f"the answer of {url} is not a complete zip archive ({error})"
        raise DownloadError(problem, remedy="try again later") from error
    if damaged is not None:
        problem = f"the archive {url} is damaged: the checksum of {damaged} is wrong"
        raise DownloadError(problem, remedy="try again later")
