from wassergraph.pictures.accuracies import draw_accuracies as draw_accuracies
from wassergraph.pictures.calibration import draw_calibration as draw_calibration
from wassergraph.pictures.explanations import draw_explanation as draw_explanation
from wassergraph.pictures.graphs import draw_graphs as draw_graphs
from wassergraph.pictures.hits import draw_hits as draw_hits
from wassergraph.pictures.kernels import draw_kernel as draw_kernel
from wassergraph.pictures.map_figures import draw_map as draw_map
from wassergraph.pictures.plans import draw_plan as draw_plan
