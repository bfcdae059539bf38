"""Data sets in the TU text format.

archive.py   the files of a data set, from a folder or a .zip
numbers.py   text → tables of numbers
reader.py    tables → GraphBatch and targets
"""
