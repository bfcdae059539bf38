"""Search: the exact nearest graphs among many.

    graphs ──embedding──▶ NodeEmbedding ──▶ searcher (labels | transport | lines) ──▶ GraphIndex.query, within, …

index               GraphIndex, the public class
label_search        labels: distances in closed form from inverted lists, to all graphs at once
transport_search    attributes, or both: bounds first, and transport for the few graphs that are left
line_search         one attribute at depth 0: distances on a line, to all graphs at once
running             the searcher that fits queries, run for many of them on threads, also among the graphs of a model
members             the graphs of an index, and those that are added to it
duplicates          find_duplicates, the public function; duplicate_groups has its result
equal_graphs        graphs at distance 0, without comparing all pairs
found_tables        what was found, as tables and matrices
isomorphism         whether graphs are the same but for the order of their nodes
index_files         indexes in files; stored.py checks what they hold
loading             load_index
"""
