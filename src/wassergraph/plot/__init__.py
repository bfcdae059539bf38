"""All pictures: of graphs, collections, plans, kernels, explanations, accuracies and calibration.

The functions are written in :mod:`wassergraph.pictures`.
"""

from wassergraph.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__)
