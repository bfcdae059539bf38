"""Images of points: a few coordinates whose distances never exceed those of the points.

They are the leading principal axes, and the distance from these: |‖x‖ - ‖y‖| ≤ ‖x - y‖ holds for what is left of two
points. If there are few coordinates, images are the points themselves.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wassergraph.arrays import FloatArray

#: The number of principal axes: with one coordinate more, images have 16.
AXES = 15
#: How many points are turned at a time.
_ROWS = 100_000
#: The greatest number of points that the axes are computed from.
_SAMPLE = 200_000


@dataclass(frozen=True, eq=False)
class Images:
    """How images are made.

    Attributes
    ----------
    axes : (width, n_axes) floats
        Orthonormal axes.
    center : (width) floats
        What points are shifted by.
    exponent : int
        Images are divided by 2**exponent, so that short floats hold them.
    """

    axes: FloatArray
    center: FloatArray
    exponent: int

    @classmethod
    def of(cls, points: FloatArray) -> Images:
        """Choose the axes along which points differ most."""
        width = points.shape[1]
        center = points.mean(axis=0) if len(points) else np.zeros(width)
        if width <= AXES + 1:
            axes = np.eye(width)
        else:
            step = max(1, len(points) // _SAMPLE)
            centered = points[::step] - center
            axes = np.linalg.eigh(centered.T @ centered)[1][:, : -AXES - 1 : -1]
        largest = max(float(np.abs(points - center).max(initial=0.0)), np.finfo(np.float64).tiny)
        return cls(np.ascontiguousarray(axes), center, int(np.frexp(largest)[1]))

    @property
    def width(self) -> int:
        """The number of coordinates of an image."""
        return int(self.axes.shape[1]) + (0 if self.complete else 1)

    @property
    def complete(self) -> bool:
        """Whether images are the points themselves, turned and shifted."""
        return bool(self.axes.shape[0] == self.axes.shape[1])

    def map(self, points: FloatArray) -> NDArray[np.float32]:
        """Return the images of points (n, width of images)."""
        image = np.empty((len(points), self.width), dtype=np.float32)
        for first in range(0, len(points), _ROWS):
            centered = np.ldexp(points[first : first + _ROWS] - self.center, -self.exponent)
            turned = centered @ self.axes
            image[first : first + _ROWS, : self.axes.shape[1]] = turned
            if not self.complete:
                rest = np.maximum((centered**2).sum(axis=1) - (turned**2).sum(axis=1), 0.0)
                image[first : first + _ROWS, -1] = np.sqrt(rest)
        return image
