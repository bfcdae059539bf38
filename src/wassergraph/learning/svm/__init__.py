"""Support vector machines on precomputed kernels, definite or not.

    learner ──▶ pairs: one problem for every two classes, all in one compiled call
            ──▶ krein: the negative part of an indefinite kernel is flipped
            ──▶ smo: one problem, for all values of C in one path
    calibration: decisions of graphs that were not trained on ──▶ probabilities

smo          the path of fits over C: sequential minimal optimization
pair_steps   its steps of two coefficients
newton       its steps of all free coefficients at once
krein        KreinSVC, the estimator for indefinite kernels, and the fit of a final model
multiclass   several classes as problems of two, as in scikit-learn's SVC
pairs        the problems of every two classes at once, and their votes
learner      the SVM as a :class:`wassergraph.learning.learners.Learner`
calibration  probabilities
"""
