"""Learning from distances: the choice of parameters, support vector machines, regression, and models of graphs.

    graphs ──fit──▶ distances ──selection──▶ depth, gamma, C or alpha ──svm, ridge, svr──▶ a model ──model_files──▶ file

graph_model       what models share: embedding, distances, selection, and the domain of the training_graphs
classifier        WWLClassifier, with its state in classifier_state
number_model      what models of numbers share: intervals and nearest training graphs with every prediction
regressor         WWLRegressor, with ridge or svr, and conformal for its intervals
gaussian_process  WWLGaussianProcess; its numerics are in gaussian
explanation       Explanation: what a prediction is made of; explaining computes it
summary           what a fitted model is, as a table; its output is in predictions
classification    how well graphs can be classified: evaluate_distances, cross_validate
nested            nested cross-validation, for any learner
selection         the score of every candidate in every fold, for any learner
foresight         what choosing parameters will take, in time and memory, told before
learners          Learner: the interface of a kernel method; the SVM is svm.learner, regressions are ridge and svr,
                  with number_learner for what both share; neighbors has those that use distances as they are
tridiagonal       the numerics of ridge regression, on the routines of lapack
grid, effort      the candidates and their scores; limits on the work of a search
tasks             ClassTask and NumberTask: what is learned; classes and numbers read and check the targets
folds             folds for cross-validation
splits            folds that respect groups; molecule_groups has those of molecules, by scaffold or fingerprints
metrics           how good the outputs of a model are, by name: RMSE, R², accuracy, ROC AUC and others
svm/              support vector machines for definite and indefinite kernels
model_files/      fitted models in files
"""
