"""Readers: graphs of other libraries and file formats → GraphBatch, one file per format.

    detect.py       as_batch: graphs of any kind, recognized by their class; as_molecules: molecules for RDKit
    networkx.py, igraph.py, pyg.py, rdkit.py, arrays.py
                    one reader per library; rdkit.py also reads SMILES and SDF, arrays.py matrices and lists of edges
    atoms.py        atoms and bonds of molecules → arrays
    structures.py   SMILES that a batch keeps of molecules, from which they are drawn
    stereo.py       R and S, E and Z, as RDKit perceives them
    standardize.py  salts, charges and tautomers
    sdf.py          SDF files → records
    unreadable.py   why a molecule cannot be read
    data_frames.py  columns of pandas and polars
    compressed.py   files that may be compressed
    graph_files.py  .graphml and .gml files, one graph each
    tu/             data sets in the TU text format
    convention.py   the names under which networkx and igraph graphs keep their data
    features.py     data with one Python object per node or edge → arrays
    labels.py       labels of any kind → integers
    to_rdkit.py     the way back for molecules, to draw them

Every reader of graphs in general ends in :func:`wassergraph.graphs.packing.pack_arrays`.
"""
