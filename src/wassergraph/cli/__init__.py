"""The command line: parse → one library call → print.

    main.py       the parser, and exit codes
    options.py    options that several commands share, as tables, and what is done with them
    metric_options.py, model_options.py, models.py
                  the parameters of metrics and of models as options, and models that are loaded
    messages.py   messages on standard error, with errors that name flags
    tables.py, prediction_table.py
                  tables that are written as CSV
    datasets.py, distances.py, compare.py, duplicates.py, evaluate.py, train.py, predict.py, explain.py,
    report.py, index.py, search.py, reproduce.py
                  one file per command

Nothing heavy is imported before a command runs.
"""
