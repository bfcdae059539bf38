"""How the functions of the solver are compiled."""

from __future__ import annotations

from wassergraph.transport.compiled import compiled

#: Sums may be reordered, but NaN and infinity keep their meaning.
compiled_svm = compiled({"reassoc", "contract", "arcp", "nsz"})
