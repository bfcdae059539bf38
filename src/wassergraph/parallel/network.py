"""Whether the network may be used: an environment variable forbids it."""

from __future__ import annotations

import os

#: The environment variable, and its values that forbid nothing.
OFFLINE, _ONLINE = "WASSERGRAPH_OFFLINE", ("", "0")


def forbidden_by() -> str | None:
    """Return the setting that forbids the network, such as ``WASSERGRAPH_OFFLINE=1``; None if it may be used."""
    value = os.environ.get(OFFLINE, "")
    return None if value in _ONLINE else f"{OFFLINE}={value}"
