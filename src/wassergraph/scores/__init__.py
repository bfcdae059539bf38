"""What is learned and how good predictions of it are: classes, numbers, tasks, outputs of models, scores by name.

classes, numbers    what is learned: read and checked; tasks which of the two it is
outputs             what a fitted model says about graphs
measures            how good that is, by name; agreement the same, apart for training graphs
scoring             what parameters are chosen by; rare_classes when classes count as unequal
conformal           intervals of numbers
"""
