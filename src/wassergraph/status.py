"""Status codes that a solver returns instead of its number of steps if it did not reach the solution.

These are all negative, and mean the same for every solver.
"""

from __future__ import annotations

#: The solution was not reached within the allowed number of steps.
NOT_CONVERGED = -1
#: The computation was stopped from outside.
STOPPED = -2
#: The solver could not begin: costs are not numbers, or supplies and demands do not match.
NOT_STARTED = -3
#: The solver proved that the solution costs more than what was allowed, and ended there.
ABANDONED = -4
