from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import igraph
import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from rdkit import Chem
from rdkit.Chem.PropertyMol import PropertyMol
from scipy.sparse import csr_array, csr_matrix

import wassergraph as wg
from strategies import batches
from wassergraph.errors import InputError, InputTypeError
from wassergraph.formats.detect import as_batch, as_molecules
from wassergraph.graphs.fields import EDGE_DATA, NETWORKX_NAMES

#: What is not read is the topic of test_unused_data.py.
pytestmark = pytest.mark.filterwarnings("ignore::wassergraph.errors.UnusedDataWarning")

PATH = np.array([[0, 2.0, 0], [2.0, 0, 1], [0, 1, 0]])
EDGE = np.array([[0, 1], [1, 0]])


def object_array(things: list) -> np.ndarray:
    array = np.empty(len(things), dtype=object)
    for position, thing in enumerate(things):
        array[position] = thing
    return array


def data(n_nodes: int):
    """Make a ring as a graph of PyTorch Geometric, or skip the test where that is absent."""
    torch = pytest.importorskip("torch")
    ring = torch.arange(n_nodes)
    edges = torch.stack([ring, (ring + 1) % n_nodes])
    nodes = torch.eye(n_nodes)[:, :2]
    return torch_geometric_data().Data(x=nodes, edge_index=torch.cat([edges, edges.flip(0)], dim=1))


def torch_geometric_data():
    return pytest.importorskip("torch_geometric.data")


# The graphs, made when they are needed, and the reader for them.
SORTS = {
    "networkx": (lambda: [nx.path_graph(3), nx.petersen_graph()], wg.from_networkx),
    "igraph": (lambda: [igraph.Graph.Ring(4), igraph.Graph.Star(3)], wg.from_igraph),
    "pyg": (lambda: [data(3), data(4)], wg.from_pyg),
    "rdkit": (lambda: [Chem.MolFromSmiles("CCO"), Chem.MolFromSmiles("C#N")], wg.from_rdkit),
    "smiles": (lambda: ["CCO", "C#N"], wg.from_smiles),
    "dense": (lambda: [PATH, EDGE], wg.from_adjacency),
    "sparse": (lambda: [csr_array(PATH), csr_matrix(EDGE)], wg.from_adjacency),
    "both sorts of matrices": (lambda: [PATH, csr_array(EDGE)], wg.from_adjacency),
}


@pytest.mark.parametrize("sort", SORTS)
@pytest.mark.parametrize("holder", [list, tuple, iter, object_array])
def test_every_sort_in_every_holder_equals_its_reader(sort, holder):
    make, reader = SORTS[sort]
    things = make()
    assert as_batch(holder(things)) == reader(things)


@pytest.mark.parametrize("sort", SORTS)
def test_a_single_graph_is_a_batch_of_one(sort):
    make, reader = SORTS[sort]
    things = make()
    assert as_batch(things[0]) == reader(things[:1])


def test_batches():
    batch = wg.from_smiles(["CCO", "C#N", "O"])
    assert as_batch(batch) is batch
    assert as_batch([batch[0], batch[1:]]) == batch
    assert as_batch(list(batch)) == batch


def test_other_shapes_of_the_same():
    assert as_batch(np.array(["CCO", "C#N"])) == wg.from_smiles(["CCO", "C#N"])
    assert as_batch(np.stack([EDGE, EDGE])) == wg.from_adjacency([EDGE, EDGE])
    assert as_batch([PropertyMol(Chem.MolFromSmiles("CO"))]) == wg.from_smiles(["CO"])


def test_a_batch_of_pytorch_geometric():
    together = torch_geometric_data().Batch.from_data_list([data(3), data(4)])
    assert as_batch(together) == wg.from_pyg([data(3), data(4)])


class OwnGraph(nx.Graph):
    pass


def test_subclasses_are_what_their_base_is():
    assert as_batch([OwnGraph([(0, 1)]), nx.DiGraph([(0, 1), (1, 0)])]) == wg.from_adjacency([EDGE, EDGE])


@given(batches())
def test_to_networkx_and_back(batch):
    expected = batch if batch.n_arcs else replace(batch, **dict.fromkeys(EDGE_DATA))
    assert as_batch(batch.to_networkx()) == expected


def test_the_convention_equals_the_reader_with_names():
    graph = nx.Graph()
    graph.add_node("a", label="C", attributes=[1.0, 2.0], other=1)
    graph.add_node("b", label="N", attributes=[3.0, 4.0])
    graph.add_edge("a", "b", weight=0.5, label=2, attributes=7.0)
    lonely = nx.Graph()
    lonely.add_node(0, label="O", attributes=(5, 6))
    expected = wg.from_networkx([graph, lonely], **NETWORKX_NAMES)
    assert as_batch([graph, lonely]) == expected
    assert as_batch([lonely, graph]) == expected[[1, 0]]
    assert expected.edge_weights.tolist() == [0.5, 0.5]
    theirs = [igraph.Graph.from_networkx(each) for each in (graph, lonely)]
    assert as_batch(theirs) == expected


def test_of_graphs_without_edges_only_the_nodes_are_read():
    graph = nx.empty_graph(2)
    nx.set_node_attributes(graph, 1, "label")
    batch = as_batch([graph])
    assert batch.node_labels.tolist() == [1, 1]
    assert batch.edge_weights is None


@pytest.mark.parametrize("convert", [lambda graph: graph, igraph.Graph.from_networkx])
def test_data_of_only_some_nodes_raises(convert):
    whole, partial, bare = nx.path_graph(3), nx.path_graph(3), nx.path_graph(2)
    nx.set_node_attributes(whole, 1, "label")
    nx.set_node_attributes(partial, {1: 1}, "label")
    with pytest.raises(InputError, match=r"^graph 1, node 0: there is no 'label', but other nodes have it; add"):
        as_batch([convert(whole), convert(bare)])
    nx.set_node_attributes(partial, {0: 1}, "label")
    with pytest.raises(InputError, match=r"graph 1, node 2: .* name what to read with node_labels, edge_") as caught:
        as_batch([convert(whole), convert(partial)])
    assert (caught.value.graph, caught.value.node, caught.value.edge) == (1, 2, None)
    nx.set_edge_attributes(bare, 2.0, "weight")
    some_edges = nx.path_graph(3)
    some_edges.edges[0, 1]["weight"] = 2.0
    with pytest.raises(InputError, match=r"graph 1, edge 1: there is no 'weight', but other edges") as caught:
        as_batch([convert(bare), convert(some_edges)])
    assert (caught.value.graph, caught.value.node, caught.value.edge) == (1, None, 1)


def test_mixed_sorts():
    message = r"graph 2: an igraph graph \(igraph\.Graph\) follows a networkx graph; pass graphs of one kind"
    with pytest.raises(InputTypeError, match=message + ".*from_networkx.*from_igraph") as caught:
        as_batch([nx.path_graph(2), nx.path_graph(2), igraph.Graph.Ring(3)])
    assert caught.value.graph == 2
    with pytest.raises(TypeError, match=r"graph 1: an RDKit molecule \(.*\) follows a SMILES string"):
        as_batch(["CCO", Chem.MolFromSmiles("CCO")])
    with pytest.raises(TypeError, match=r"graph 1: an adjacency matrix .* follows a GraphBatch"):
        as_batch([wg.from_smiles("C"), EDGE])


@pytest.mark.parametrize("nothing", [[], (), np.array([]), iter([])])
def test_no_graphs(nothing):
    with pytest.raises(ValueError, match=r"there are no graphs; pass at least one; .*from_networkx.*from_smiles"):
        as_batch(nothing)


@pytest.mark.parametrize(
    ("thing", "type_name"),
    [
        (3, "int"),
        (None, "NoneType"),
        (np.array(3), r"numpy\.ndarray"),
        ({"a": nx.path_graph(2)}, "dict"),
        ({"CCO", "C"}, "set"),
    ],
)
def test_neither_a_graph_nor_a_list(thing, type_name):
    with pytest.raises(TypeError, match=rf"^{type_name} is neither a graph nor a list of graphs; .*from_adjacency"):
        as_batch(thing)


@pytest.mark.parametrize(
    ("things", "message"),
    [
        (["CCO", 7], "graph 1: the type int is not a graph; .*from_rdkit"),
        ([[0, 1], [1, 0]], "graph 0: the type list is not a graph; .*from_adjacency"),
        (np.arange(3), r"graph 0: the type numpy\.int64 is not a graph; "),
        ([nx.path_graph(2).nodes], r"graph 0: the type networkx\..*NodeView is not a graph; "),
    ],
)
def test_unknown_types_in_a_list(things, message):
    with pytest.raises(TypeError, match=message):
        as_batch(things)


def test_an_iterator_that_fails_is_not_taken_for_something_else():
    def failing():
        yield "CCO"
        raise TypeError("mine")

    with pytest.raises(TypeError, match=r"^mine$"):
        as_batch(failing())


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_columns_of_smiles(library):
    tables = pytest.importorskip(library)
    smiles = ["CCO", "C#N", "c1ccccc1"]
    expected = wg.from_smiles(smiles)
    assert as_batch(tables.Series(smiles)) == expected
    assert as_batch(tables.DataFrame({"anything": smiles})) == expected
    table = tables.DataFrame({"name": ["a", "b", "c"], "smiles": smiles})
    assert as_batch(table["smiles"]) == as_batch(table[["smiles"]]) == wg.from_smiles(table[["smiles"]]) == expected
    assert np.isfinite(wg.distances(table[["smiles"]])).all()
    graphs = tables.DataFrame({"molecule": [Chem.MolFromSmiles(each) for each in smiles]})
    assert as_batch(graphs) == expected


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_table_with_other_than_one_column(library):
    tables = pytest.importorskip(library)
    message = r"^the DataFrame has 2 columns \('y', 'SMILES'\), and .*; pass that column, such as df\['SMILES'\]$"
    with pytest.raises(InputError, match=message):
        as_batch(tables.DataFrame({"y": [1], "SMILES": ["C"]}))
    with pytest.raises(InputError, match=r"'c9', …\), .* such as df\['smiles'\]$"):
        as_batch(tables.DataFrame({f"c{i}": ["C"] for i in range(11)}))
    with pytest.raises(InputError, match="the DataFrame has 0 columns, and"):
        as_batch(tables.DataFrame())
    with pytest.raises(InputError, match="there are no graphs"):
        as_batch(tables.DataFrame({"smiles": []}))


def test_pandas_with_other_rows_and_types():
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"smiles": ["CCO", "CCO", "C"]}, index=[7, 7, 2])
    assert as_batch(table) == as_batch(table["smiles"].astype("category")) == wg.from_smiles(["CCO", "CCO", "C"])
    with pytest.raises(InputError, match=r"graph 1: .* cannot be read as a molecule"):
        as_batch(pandas.DataFrame({"smiles": ["C", None]}))


def test_no_optional_library_is_imported_to_find_out():
    code = """if True:
        import sys
        import numpy as np
        from wassergraph.formats.detect import as_batch
        as_batch([np.array([[0, 1], [1, 0]])])
        try:
            as_batch([object()])
        except TypeError:
            print(*{"networkx", "igraph", "torch_geometric", "torch", "rdkit", "pandas", "polars"} & set(sys.modules))
    """
    run = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert run.stdout == "\n"


def test_empty_cells_among_smiles_are_named_as_molecules_that_cannot_be_read():
    with pytest.raises(InputError, match=r"^graph 1: nan cannot be read as a molecule \(its type is float\) \(also gr"):
        as_batch(["CCO", float("nan"), None])


@pytest.mark.parametrize("convert", [list, tuple, iter, lambda texts: [Chem.MolFromSmiles(text) for text in texts]])
def test_molecules_are_those_of_rdkit(convert):
    texts = ["CCO", "c1ccccc1[N+](=O)[O-]"]
    molecules = as_molecules(convert(texts))
    assert [Chem.MolToSmiles(molecule) for molecule in molecules] == [Chem.CanonSmiles(text) for text in texts]
    assert len(as_molecules("CCO")) == 1


def test_graphs_are_no_molecules():
    with pytest.raises(TypeError, match=r"a GraphBatch lacks what a molecule has.* pass SMILES strings"):
        as_molecules(wg.from_smiles(["C"]))
    with pytest.raises(ValueError, match="there are no graphs"):
        as_molecules([])
    with pytest.raises(
        ValueError, match=r"^graph 1: 'x\(' cannot be .* \(also graph 2: 'C1'\); correct or remove such "
    ):
        as_molecules(["C", "x(", "C1"])
    with pytest.raises(ValueError, match=r"remove such molecules$"):
        as_molecules(["C", ""])


def test_unreadable_molecules_are_left_out_by_their_reader():
    """No function that takes graphs of any kind has the option to leave some out."""
    for graphs, reader in ((["C", "xx"], "from_smiles"), ([Chem.MolFromSmiles("C"), Chem.Mol()], "from_rdkit")):
        with pytest.raises(ValueError, match=rf'^graph 1: .*, or read the others by {reader} with invalid="skip"$'):
            wg.distances(graphs)
    with pytest.raises(ValueError, match=r"; correct or remove such molecules$"):
        wg.distances("xx")
