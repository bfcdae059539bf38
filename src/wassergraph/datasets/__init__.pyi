from wassergraph.datasets.demo import make_demo as make_demo
from wassergraph.datasets.drugs import Drugs as Drugs
from wassergraph.datasets.drugs import load_drugs as load_drugs
from wassergraph.datasets.synthetic import make_noisy_erdos_renyi as make_noisy_erdos_renyi
from wassergraph.datasets.synthetic import make_synthetic_new as make_synthetic_new
from wassergraph.datasets.synthetic import make_synthie as make_synthie
from wassergraph.formats.molecule_descriptors import descriptors as descriptors
from wassergraph.graphs.columns import GraphColumns as GraphColumns
