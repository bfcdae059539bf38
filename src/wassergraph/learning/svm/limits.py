"""When the solver does what; see smo.py."""

from __future__ import annotations

#: Coefficients are set aside after at most this many steps.
BURST = 1000
#: Coefficients are set aside if at most this share is left, of more coefficients than BURST // 5.
MAX_PART = 0.6
#: A Newton step is taken after this many steps without an end.
STRETCH = 10_000
#: No Newton step is taken with more free coefficients than this.
MAX_FREE = 1500
#: Newton steps end when the cubes of the numbers of free coefficients add up to this much work.
MAX_WORK = 5e8
#: Kernels of more graphs than this are checked by LAPACK, outside of compiled code, where it is faster.
MAX_CHECKED = 200
