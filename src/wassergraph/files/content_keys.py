"""Names for computed results, derived from the content that they are computed from."""

from __future__ import annotations

import hashlib

import numpy as np

#: To be increased whenever the same content and options lead to other numbers than before, if only in the last digits.
#: 1 was compiled by numba, 2 is the core in C++.
ALGORITHM = 2


def content_key(container: object, options: object) -> str:
    """Return a name for the result of a computation on arrays with options.

    Equal arrays and equal options have the same name, and different ones have different names.

    Parameters
    ----------
    container : object
        An object whose attributes are the arrays, such as a :class:`wassergraph.GraphBatch`, except those that its
        ``_not_content`` names; other attributes count if they are true or false, such as whether graphs are molecules.
    options : object
        An object whose ``repr`` contains everything else that the result depends on, such as a dataclass.

    Returns
    -------
    str
        32 hexadecimal digits.
    """
    flags = {name: value for name, value in vars(container).items() if isinstance(value, bool)}
    return array_digest(container, f"{ALGORITHM} {options!r} {flags}")[:32]


def array_digest(container: object, beginning: str = "") -> str:
    """Return a digest of a text and of the arrays of an object, as in :func:`content_key`: 64 hexadecimal digits."""
    digest = hashlib.sha256(beginning.encode())
    ignored = getattr(container, "_not_content", ())
    for name, array in vars(container).items():
        if isinstance(array, np.ndarray) and name not in ignored:
            digest.update(f"{name} {array.dtype} {array.shape}".encode())
            digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()
