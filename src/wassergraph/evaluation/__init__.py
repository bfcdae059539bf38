"""Nested cross-validation of methods on any graphs.

graphs, y ──Preparation──▶ prepared graphs ─┐
method name ──make_plan──▶ Plan ────────────┴──Trial──▶ matrices ──run──▶ Repetition ──▶ Row ──▶ Evaluation

preparation.py    changes to the graphs of a data set before they are compared
deduplication.py  which graphs are left out since they equal others
compared.py       what is compared in place of graphs: fingerprints of molecules, or distances that are given
methods.py        Method: a way to compare graphs; METHODS: all of them by name
matrices.py       from graphs to distances or kernels; ways.py those of several ways, as far as they are needed
plan.py           Plan: which matrices to compute, which candidates to choose from, which model to train
plans.py          the plan of a method, and its variants; planning.py from a model and names of methods to plans
splitting.py      Splitting: how graphs are split into outer and inner folds
matrix_cache.py   matrices that are computed once and saved in a folder
trial.py          Trial: a plan on graphs, which can be cross-validated repeatedly
repetition.py     Repetition: the result of one cross-validation, with its JSON form
row.py            Row: the results of one method; evaluation.py those of all, as a table
foresight.py      what an evaluation will take, in time and memory
evaluate.py       the public function
"""
