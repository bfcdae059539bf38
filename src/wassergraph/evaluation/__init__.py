"""Nested cross-validation of methods on any graphs.

graphs, y ──Preparation──▶ prepared graphs ─┐
method name ──make_plan──▶ Plan ────────────┴──Trial──▶ matrices ──run──▶ Repetition ──▶ Row ──▶ Report

preparation.py    changes to the graphs of a data set before they are compared
deduplication.py  which graphs are left out since they equal others
fingerprints.py   the fingerprints of molecules, which some methods compare in place of graphs
methods.py        Method: a way to compare graphs; METHODS: all of them by name
plans.py          Plan: which matrices to compute, which candidates to choose from, which model to train
splitting.py      Splitting: how graphs are split into outer and inner folds
matrix_cache.py   matrices that are computed once and saved in a folder
trial.py          Trial: a plan on graphs, which can be cross-validated repeatedly
repetition.py     Repetition: the result of one cross-validation, with its JSON form
report.py         Row and Report: the results of one method and of all, as a table
evaluate.py       the public function
"""
