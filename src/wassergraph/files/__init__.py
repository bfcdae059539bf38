"""Files on disk: atomic writes, locks between processes, names by content, archives, and the provenance of results.

atomic.py        write a file completely or not at all
locks.py         let one of several processes do a piece of work
content_keys.py  name what is computed by the content it is computed from
archive.py       a header and arrays in one file, which may be larger than the memory; archive_reader.py reads it
provenance.py    the commit and the versions that results were computed with
"""
