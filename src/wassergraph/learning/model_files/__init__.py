"""Fitted models in files: arrays and JSON in one zip archive, without any code.

    model.save(path) ──▶ the state of the model ──archive──▶ file ──load_model──▶ the model that the header names

archive      the container: a header, arrays by name, a checksum, and the format version
saved_model  SavedModel: what an estimator must provide to be saved and loaded
parts        the parts that several models share: parameters, scheme, graphs, scores
loading      load_model
"""
