"""The choice of parameters: folds, candidates, grids, selection, nested cross-validation.

ways to compare graphs ──▶ distances ──▶ candidates ──learner in inner folds──▶ scores ──▶ the best candidate
"""
