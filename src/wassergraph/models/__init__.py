"""Models of graphs, which choose their parameters themselves.

    graphs ──fit──▶ distances ──tuning──▶ parameters ──learners──▶ a model ──model_files──▶ file

graph_model       what models share: embedding, distances, selection, and the domain of the training_graphs
model_search      how a model chooses a way to compare graphs, and parameters
class_model       what a model of classes says: decisions, probabilities and nearest training graphs with every class
classifier        GraphClassifier: how it is fitted
number_model      what models of numbers share: intervals and nearest training graphs with every prediction
regressor         GraphRegressor, with ridge or support vector regression
gaussian_process  GraphGaussianProcess
several_targets   what a model does that is fitted to several targets; fit_targets fits them on shared_distances
target_models     TargetModels: one model for each of several targets, of classes and of numbers, in one file
column_term       columns beside the graphs, as a term of distances
explanation       Explanation: what a prediction is made of; explaining computes it
summary           what a fitted model is, as a table
model_files/      fitted models in files
"""
