"""Benchmarks that others have set, with their splits, and the numbers that were published for them.

benchmarks.py (sets, order) ──▶ runner.py ◀── reading.py (files) , methods.py (ours, references.py)
                                   │
                                   ▼
                results.py: results/others/benchmark/set/method.json ─┐
        published.py: moleculeace.csv, errica.csv ────────────────────┴──▶ page.py, tables.py ──▶ docs/benchmarks.md
"""
