"""The paper's experiments: which methods on which data sets, by one protocol, with results that are files.

    sets ──▶ graphs ─┐
                     ├─ methods ──▶ matrices ──protocol──▶ accuracies ──store──▶ results/**/*.json ──page──▶ docs
    Recipe ──────────┘   (cached by content)                (one file per repetition)

What the paper fixes and what it leaves open stands in :mod:`.methods` and :mod:`.sets`, as data. :mod:`.running` goes
through all that is not done yet; whoever kills it loses no more than the repetition at hand.
"""
