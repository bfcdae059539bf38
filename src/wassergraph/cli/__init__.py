"""The command line: parse → one library call → print.

    main.py       the parser, and exit codes
    options.py    options that several commands share
    messages.py   messages on standard error, with errors that name flags
    datasets.py, distances.py, compare.py, evaluate.py, train.py, predict.py, explain.py, reproduce.py
                  one file per command

Nothing heavy is imported before a command runs.
"""
