"""What is learned and how good predictions of it are: classes, numbers, tasks, outputs of models, scores by name."""
