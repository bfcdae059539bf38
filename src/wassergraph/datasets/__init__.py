"""Data sets by name, from files, and generated.

load.py             load_dataset: a data set by name, from disk or downloaded, or by path
catalogue.py        the data sets of the paper, and how to recognize them
data_home.py        the folders in which data sets are looked up
download.py         data sets from the TUDataset site
description.py      lists and descriptions of data sets
inputs.py           load_graphs: TU data sets, tables of SMILES and folders of graph files, with classes and names
reading.py          ReadingOptions: how they are read
source_kind.py      what a source is: a SMILES, a file or a data set
source.py           Source: what load_graphs returns
tu_sources.py       TU data sets
molecule_tables.py  tables of SMILES
graph_folders.py    .graphml and .gml files, and folders of these
targets.py          whether what is to be predicted has classes or numbers
censored.py         numbers with a sign, such as ">10": which signs there are, and what is done with them
bounds.py           read_bounds: the same for a list or a column of pandas
tables.py           .csv, .tsv and .smi files as text
demo.py             the demo data set
drugs.py            the embedded data set of well-known drugs, in drugs.csv and drugs.graphs
synthetic.py        generators: the synthetic data sets of the paper, and noisy random graphs
"""

from wassergraph.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__)
