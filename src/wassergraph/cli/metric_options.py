"""The parameters of the metric as options; what is not given has the default of :class:`wassergraph.WWL`."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from wassergraph.cli.options import STANDARDIZE, YES_OR_NO, OptionTable, add_options, or_auto, read_depths
from wassergraph.errors import InputError, Option

if TYPE_CHECKING:
    from wassergraph.metrics.solvers import Solver
    from wassergraph.metrics.wwl import WWL

#: The options of each solver.
_OF_SOLVER = {
    "exact": ("max_iter",),
    "sinkhorn": ("reg", "tol", "max_iter"),
    "sliced": ("n_projections", "random_state"),
}


_number_or_auto = or_auto(float, "a number")
#: The parameters of the metric, besides the depth.
_METRIC: OptionTable = {
    "--kind": (
        ("auto", "categorical", "continuous", "joint"),
        "compare labels, attributes or both (default: auto, both for molecules, otherwise attributes if there are any)",
    ),
    "--standardize": (
        tuple(STANDARDIZE),
        "scale attributes to mean 0 and standard deviation 1 (default: auto, yes if there are two or more "
        "attributes, unless they are whole numbers of molecules)",
    ),
    "--isolated-nodes": (
        ("halve", "keep"),
        "what averaging does to the attributes of nodes without neighbors (default: halve, as in the paper)",
    ),
    "--label-weight": (
        {"type": _number_or_auto, "metavar": "W"},
        "with --kind joint, the share of labels in the cost of moving a node (default: auto, 0.8 for molecules "
        "and 0.5 otherwise)",
    ),
    "--edge-labels": (
        ("auto", "use", "ignore"),
        "refine node labels over edge labels, such as types of bonds (default: auto, yes for molecules)",
    ),
    "--stereo": (
        ("auto", "use", "ignore"),
        "compare the stereochemistry of molecules, as a part of their labels (default: auto, no)",
    ),
    "--degrees": (YES_OR_NO, "use the degree of a node as one more attribute (default: no)"),
    "--mass": (
        ("auto", "share", "count"),
        "share: all graphs have the same mass, as in the paper; count: all nodes have, so that size counts (default: "
        "{mass})",
    ),
    "--unmatched-cost": (
        {"type": _number_or_auto, "metavar": "P"},
        "with --mass count, what a node without a partner costs (default: auto, half of a typical ground cost)",
    ),
    "--size-weight": (
        {"type": _number_or_auto, "metavar": "W"},
        "move graphs with n and m nodes apart by W |log n - log m| (default: {size_weight})",
    ),
}
#: Those that are as they are given.
_AS_GIVEN = [name[2:].replace("-", "_") for name in _METRIC if name != "--standardize"]
_SOLVERS: OptionTable = {
    "--solver": (
        tuple(_OF_SOLVER),
        "exact; sinkhorn, which adds an entropy; or sliced, the mean over random lines (default: exact)",
    ),
    "--reg": ({"type": float, "metavar": "G"}, "strength of the entropy, with --solver sinkhorn"),
    "--tol": (
        {"type": float, "metavar": "T"},
        "largest error of the marginals, with --solver sinkhorn (default: 1e-9)",
    ),
    "--max-iter": ({"type": int, "metavar": "N"}, "largest number of steps of a solver for a pair of graphs"),
    "--n-projections": ({"type": int, "metavar": "N"}, "number of lines, with --solver sliced (default: 100)"),
    "--random-state": ({"type": int, "metavar": "N"}, "random seed of the lines, with --solver sliced (default: 0)"),
}
#: What the default is where a model chooses, and where nothing does.
_CHOSEN = {
    "mass": "auto, the better one for molecules and share otherwise",
    "size_weight": "0; with auto, it is chosen",
}
_FIXED = {"mass": "auto, share", "size_weight": "0"}


def add_metric(
    command: argparse.ArgumentParser, *, depths: bool = False, solvers: bool = False, chosen: bool = False
) -> None:
    """Add the options that say how graphs are compared.

    Parameters
    ----------
    command : ArgumentParser
        The command.
    depths : bool
        Whether there may be several depths.
    solvers : bool
        Whether solvers other than the exact one can be used.
    chosen : bool
        Whether a model chooses depth and mass if they are not given.
    """
    several = ", or several: 3, 0-7 or 0,2,4" if depths else ""
    default = "auto: one of 0-7 is chosen" if chosen else "auto, 3"
    text = f"number of Weisfeiler-Lehman iterations{several} (default: {default})"
    depth: OptionTable = {"--depth": ({"type": read_depths if depths else int, "metavar": "H"}, text)}
    group = command.add_argument_group("how graphs are compared")
    table = {**depth, **_METRIC, **_SOLVERS} if solvers else {**depth, **_METRIC}
    add_options(group, table, **(_CHOSEN if chosen else _FIXED))


def metric_of(options: argparse.Namespace) -> WWL:
    """Return the metric that options describe."""
    from wassergraph.metrics.wwl import WWL, paper_metric

    given: dict[str, Any] = {name: getattr(options, name) for name in _AS_GIVEN}
    depth = options.depth[0] if isinstance(options.depth, list) and len(options.depth) == 1 else options.depth
    given |= {"depth": depth, "solver": _solver_of(options) if hasattr(options, "solver") else None}
    if options.standardize is not None:
        given["standardize"] = STANDARDIZE[options.standardize]
    default = paper_metric() if getattr(options, "protocol", "default") == "paper" else WWL()
    return default.set_params(**{name: value for name, value in given.items() if value is not None})


def check_without_metric(options: argparse.Namespace) -> None:
    """Raise an error if a parameter of the metric is given beside a model, which has a metric of its own."""
    for name in ("depth", "standardize", *_AS_GIVEN):
        if getattr(options, name) is not None:
            problem = "{} cannot be combined with {}, which has its own"
            raise InputError(problem, remedy="leave it out", options=[Option(name), Option("model")])


def _solver_of(options: argparse.Namespace) -> Solver:
    """Return the solver; raise an error if there are options that it does not have."""
    from wassergraph.metrics.solvers import Exact, Sinkhorn, Sliced

    name = options.solver or "exact"
    every = sorted({each for names in _OF_SOLVER.values() for each in names})
    given: dict[str, Any] = {each: getattr(options, each, None) for each in every}
    given = {each: value for each, value in given.items() if value is not None}
    for each in given:
        if each not in _OF_SOLVER[name]:
            having = [Option("solver", solver) for solver, names in _OF_SOLVER.items() if each in names]
            problem = f"{{}} is used with {' or '.join(['{}'] * len(having))} only"
            raise InputError(problem, options=[Option(each), *having])
    if name == "sinkhorn" and "reg" not in given:
        raise InputError("{} needs {}", options=[Option("solver", "sinkhorn"), Option("reg")])
    solvers: dict[str, Callable[..., Solver]] = {"exact": Exact, "sinkhorn": Sinkhorn, "sliced": Sliced}
    return solvers[name](**given)
