"""Support vector machines on precomputed kernels, definite or not.

    learner ──▶ pairs: one problem for every two classes
            ──▶ smo: all problems and all values of C in one call of the core
            ──▶ krein: the negative part of an indefinite kernel is flipped
    calibration: decisions of graphs that were not trained on ──▶ probabilities

smo          problems solved for several values of C: sequential minimal optimization
pairs        the problems of every two classes, their decisions and votes
multiclass   several classes as problems of two, as in scikit-learn's SVC
krein        KreinSVC, the estimator for indefinite kernels, and the fit of a final model
learner      the SVM as a :class:`wassergraph.learners.protocol.Learner`
calibration  probabilities

The solver itself is in the compiled core, in the files core/svm*.
"""
