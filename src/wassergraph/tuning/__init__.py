"""The choice of parameters: folds, candidates, grids, selection, nested cross-validation.

    ways to compare graphs ──▶ distances ──▶ candidates ──learner in inner folds──▶ scores ──▶ the best candidate

folds           folds at random, and nested ones; splits keeps groups together, which groups reads or finds
grid            the values that parameters are chosen from, and the scores of all
candidates      the matrices of distances that a search chooses from
wide            the ways to compare graphs that a wide search tries; screening which of them are worth computing
selection       the best candidate of a grid, by cross-validation
nested          nested cross-validation
foresight       what choosing will take, in time and memory
"""
