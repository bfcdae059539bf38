"""How the functions of the solver are compiled."""

from __future__ import annotations

import numba as nb

from wassergraph.transport.compiled import compiled

#: Sums may be reordered, but NaN and infinity keep their meaning, which numba's fastmath=True would not guarantee.
_FASTMATH = {"reassoc", "contract", "arcp", "nsz"}
jit = nb.njit(nogil=True, cache=True, fastmath=_FASTMATH, error_model="numpy")
#: For functions that are called by compiled ones only, and return numbers or nothing.
inner = compiled(_FASTMATH)
