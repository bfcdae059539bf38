"""Fitted models in files: arrays and JSON in one zip archive, without any code.

    model.save(path) ──▶ the state of the model ──archive──▶ file ──load_model──▶ the model that the header names

archive      the format of model files: its name, its versions, its error
parts        the parts that several models share: parameters, scores; schemes and graphs are saved by their own rooms
loading      load_model
"""
