"""Support vector machines on precomputed kernels, definite or not.

    learner ──▶ pairs: one problem for every two classes
            ──▶ smo: all problems and all values of C in one call of machine code
            ──▶ krein: the negative part of an indefinite kernel is flipped
    calibration: decisions of graphs that were not trained on ──▶ probabilities

smo          problems solved for several values of C: sequential minimal optimization
pairs        the problems of every two classes, their decisions and votes
multiclass   several classes as problems of two, as in scikit-learn's SVC
krein        KreinSVC, the estimator for indefinite kernels, and the fit of a final model
learner      the SVM as a :class:`wassergraph.learning.learners.Learner`
calibration  probabilities

Compiled, as the functions of :mod:`wassergraph.transport` are:

tasks        what compiled functions get               limits       when the solver does what
paths        the solver                                pair_steps   its steps of two coefficients
newton       its steps of all free coefficients        cholesky     the linear systems of these, and definiteness
decisions    decisions and votes                       compiled     how all of them are compiled
"""
