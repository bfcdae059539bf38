"""Colors of places in the plane, and mixtures of them.

Colors change from blue to orange from left to right, which people with red-green deficiency see as well, and from dark
to light from below to above, which remains in print without colors. They are mixed in Oklab (Ottosson, 2020), where a
mixture looks as if it were between its parts.
"""

from __future__ import annotations

import numpy as np

from wassergraph.arrays import FloatArray

#: Lightness, green to red, and blue to yellow of the lower left, lower right, upper left and upper right corner.
CORNERS = np.array([[0.38, 0.0, -0.17], [0.45, 0.13, 0.09], [0.82, -0.08, -0.07], [0.88, 0.0, 0.165]])
_TO_CONES = np.array(
    [[1.0, 1.0, 1.0], [0.3963377774, -0.1055613458, -0.0894841775], [0.2158037573, -0.0638541728, -1.2914855480]]
)
_TO_RGB = np.array(
    [
        [4.0767416621, -1.2684380046, -0.0041960863],
        [-3.3077115913, 2.6097574011, -0.7034186147],
        [0.2309699292, -0.3413193965, 1.7076147010],
    ]
)
#: The least extent of the shorter side of a layout, as a part of the longer one: a path does not need all colors.
_LEAST_EXTENT = 0.25


def place_colors(points: FloatArray) -> FloatArray:
    """Return the color of each place (n, 3) in Oklab: a mixture of the colors of the corners of all places."""
    low, extent = points.min(axis=0), np.ptp(points, axis=0)
    wide = np.maximum(extent, max(_LEAST_EXTENT * float(extent.max()), 1e-12))
    x, y = np.clip(((points - low) + (wide - extent) / 2) / wide, 0, 1).T
    shares = np.column_stack([(1 - x) * (1 - y), x * (1 - y), (1 - x) * y, x * y])
    return np.asarray(shares @ CORNERS)


def to_rgb(colors: FloatArray) -> FloatArray:
    """Convert colors (n, 3) from Oklab to sRGB, between 0 and 1."""
    linear = np.clip((colors @ _TO_CONES) ** 3 @ _TO_RGB, 0, 1)
    return np.asarray(np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055))
