"""The types of arrays that functions take and return."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]
BoolArray: TypeAlias = NDArray[np.bool_]
#: The positions of training graphs and of test graphs.
Fold: TypeAlias = tuple[IntArray, IntArray]
#: A flag (1) that ends a computation early: an engine sets it to True, the compiled core looks at it now and then.
Stop: TypeAlias = BoolArray
