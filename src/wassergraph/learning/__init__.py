"""Learning from distances: the choice of parameters, support vector machines, and classifiers of graphs.

    graphs ──WWLClassifier.fit──▶ distances ──selection──▶ depth, gamma, C ──svm──▶ a fitted model ──model_files──▶ file

classifier        WWLClassifier, with its state in classifier_state, its summary in summary, its output in predictions
classification    how well graphs can be classified: evaluate_distances, cross_validate
nested            nested cross-validation, for any learner
selection         the score of every candidate in every fold, for any learner
learners          Learner: the interface of a kernel method; the SVM is svm.learner
grid, effort      the candidates and their scores; limits on the work of a search
classes, folds    classes as numbers, and folds for cross-validation
splits            folds that respect groups; molecule_groups has those of molecules, by scaffold or fingerprints
metrics           how good predictions are, by name: RMSE, R², accuracy, ROC AUC and others
svm/              support vector machines for definite and indefinite kernels
model_files/      fitted models in files
"""
