"""The kernels that the paper compares with, each a scikit-learn transformer from graphs to similarities.

    histogram.py    VertexHistogram (V), EdgeHistogram (E)
    subtree.py      WLSubtree (WL), WLOptimalAssignment (WL-OA)
    paths.py        ShortestPath, the base kernel of HGK-SP
    rbf.py          ContinuousVertexHistogram (VH-C), RBFWL (RBF-WL)
    hashing.py      HashGraphKernel (HGK-WL, HGK-SP)
    hopper.py       GraphHopper (GH); hops.py counts what it compares

All derive from the class in kernel.py: ``fit_transform(graphs)`` is the square matrix of the training graphs, and
``transform(new)`` the rectangle of new graphs against them. Those that count labels (counts.py) also have explicit
``features``. Matrices are computed tile by tile, as distances are.
"""

from wassergraph.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__)
