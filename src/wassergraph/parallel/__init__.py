"""Running many pieces of work.

engine.py defines an engine, threads.py is the default one; progress.py is the bar of a loop, stages.py that of several;
estimate.py tells what work will take, and memory.py refuses what will not fit.
"""
