"""The experiments of Togninalli et al. (2019) on top of :mod:`wassergraph.evaluation`.

setups.py (data sets) ──▶ runner.py ──Trial──▶ results.py: results/kind/set/method/repetition.json ─┐
noise.py, runtime.py, definiteness.py, duplicates.py ──csv_tables.py──▶ results/*.csv ──────────────┤
                                                    docs/reproduction.md ◀── render.py, sections.py ◀──┤
                                                    docs/beyond.md ◀── beyond.py, beyond_tables.py ◀───┘

others/         benchmarks that others have set, which are no part of the paper
experiments.py  which methods on which data sets, by the name of a table
reproduce.py    run experiments by name, and continue where the last run ended
paper.py        the numbers that the paper printed
statistics.py   from results to means, tests, ranks and verdicts; tables.py and figures.py show them
prose/          what the pages say in any case, as Markdown; sections.py puts values into it
"""
