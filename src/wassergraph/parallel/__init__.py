"""Running many pieces of work: engine.py defines an engine, threads.py is the default one, progress.py the bar."""
