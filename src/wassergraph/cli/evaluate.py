"""``wassergraph evaluate``: estimate how well methods predict, by nested cross-validation."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

from wassergraph.cli.class_options import add_class_options, given_class_options
from wassergraph.cli.messages import print_message
from wassergraph.cli.options import (
    DATA,
    STANDARDIZE,
    add_alpha,
    add_choice_of_mass,
    add_cluster,
    add_kind,
    add_output,
    add_parameters,
    add_search,
    add_sources,
    describe_target,
    load_training_source,
    read_depths,
    read_folds,
    read_whole_numbers,
    show_progress,
    tell_not_compared,
)
from wassergraph.errors import InputError, Option

if TYPE_CHECKING:
    from wassergraph.cli.options import Commands
    from wassergraph.datasets.source import Source


def add_parser(commands: Commands) -> None:
    """Add the command to the command line."""
    command = commands.add_parser(
        "evaluate",
        help="estimate how well methods predict classes or numbers, by nested cross-validation",
        description="Split the graphs into folds. For each fold, choose the parameters of a method on the training "
        "graphs (from all graphs come, without their classes, the scale of attributes and the median distance that "
        "gamma is relative to), fit a model (an SVM for classes, ridge regression for numbers) and compare "
        "its predictions with the test graphs. The table shows the accuracy or the errors, and the running "
        "time, of each method. By default this is what wassergraph train fits. For other methods, and with "
        "--search paper, data sets of the paper are prepared as in the paper; they are recognized by their "
        "content, not by their name.",
        epilog="example: wassergraph evaluate ENZYMES --method wwl rbf-wl wl --repetitions 10 --plot enzymes.png, or "
        "wassergraph evaluate FreeSolv.csv --target expt --method wwl tanimoto --split scaffold",
    )
    command.add_argument("data", metavar="DATA", help=DATA)
    command.add_argument(
        "--method",
        nargs="+",
        default=["wwl"],
        metavar="M",
        help="methods to compare: wwl (default: what wassergraph train fits), wwl-wide (its wide search); on labels v, "
        "e, wl, wl-oa; on attributes vh-c, rbf-wl, hgk-wl, hgk-sp, gh, wwl-sinkhorn; for molecules tanimoto (Morgan "
        "fingerprints), tanimoto-counts and rf (a random forest on these fingerprints); a variant such as wwl+joint, "
        "wwl+knn (nearest neighbors) or, for numbers, wwl+svr and wwl+gp; or all, every method that applies to these "
        "graphs",
    )
    command.add_argument(
        "--metrics",
        nargs="+",
        metavar="M",
        help="what to measure: for classes accuracy, balanced-accuracy, roc-auc, pr-auc, mcc, enrichment-1, "
        "enrichment-5, log-loss (default: accuracy, or the first five if classes are unequal); for numbers "
        "rmse, mae, r2, spearman (default: these four), and for wwl+gp coverage; or all",
    )
    add_search(command)
    add_kind(command)
    add_choice_of_mass(command)
    command.add_argument(
        "--depth",
        type=read_depths,
        metavar="H",
        help="number of Weisfeiler-Lehman iterations, or several to choose from: 3, 0-7 or 0,2,4 (default: 0-7)",
    )
    add_parameters(command)
    add_alpha(command)
    command.add_argument(
        "--k",
        type=read_whole_numbers,
        metavar="K",
        help="the number of neighbors of wwl+knn, or several to choose from: 5 or 1,3,5 (default: 1,3,5,7,11,15)",
    )
    add_class_options(command)
    _add_folds(command)
    command.add_argument(
        "--plot", metavar="FILE", help="save a box plot of the accuracies, or errors, as .png, .svg or .pdf"
    )
    add_cluster(command)
    add_output(command, quiet="print only the result")
    add_sources(command, task=True)
    command.set_defaults(run=run)


def _add_folds(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--deduplicate",
        action="store_true",
        help="leave out duplicates: of equal graphs, keep the first one of each class or number",
    )
    command.add_argument(
        "--split",
        choices=("random", "scaffold", "butina", "wwl", "group", "given"),
        default="random",
        help="how to split graphs into folds: at random (default), or into whole groups: the Bemis-Murcko scaffolds or "
        "Butina clusters of molecules, clusters of WWL distances, or the groups of a column; given takes the folds "
        "from a column",
    )
    command.add_argument(
        "--split-column",
        metavar="NAME",
        help="the column of groups, or of train and test, or of the numbers of folds",
    )
    command.add_argument(
        "--repetitions", type=int, default=1, metavar="N", help="repeat with new random folds (default: 1)"
    )
    command.add_argument(
        "--folds",
        type=read_folds,
        default="auto",
        metavar="N",
        help="number of outer folds (default: auto, 10, or fewer if no class has as many graphs, or if there are fewer "
        "graphs or groups)",
    )
    command.add_argument(
        "--inner-folds",
        type=read_folds,
        default="auto",
        metavar="N",
        help="number of inner folds, used to choose parameters (default: auto, 5, or fewer as for --folds)",
    )
    command.add_argument(
        "--random-state",
        type=int,
        default=0,
        metavar="N",
        help="random seed of the folds of the first repetition; each further one adds 1 (default: 0)",
    )


def run(options: argparse.Namespace) -> None:
    """Print how well methods predict, and save a picture of it on request."""
    from wassergraph.evaluation.evaluate import evaluate
    from wassergraph.metrics.node_embedding import Features
    from wassergraph.pictures.accuracies import draw_accuracies
    from wassergraph.pictures.style import check_picture
    from wassergraph.reproduction.setups import paper_setups

    if options.plot is not None:
        check_picture(options.plot)
    source, y = load_training_source(options)
    report = evaluate(
        source.graphs,
        y,
        method=options.method,
        task="auto" if source.target is None else source.target.task,
        metrics=options.metrics,
        split=options.split,
        groups=_groups(options, source),
        molecules=source.molecules,
        search="auto" if options.search is None else options.search,
        kind=options.kind,
        standardize=STANDARDIZE[options.standardize],
        edge_labels=options.edge_labels,
        mass=options.mass,
        depth=options.depth,
        gamma=options.gamma,
        C=options.C,
        alpha=options.alpha,
        k=options.k,
        **given_class_options(options),
        deduplicate=options.deduplicate,
        preparation=None if source.published is None else paper_setups(source.published),
        repetitions=options.repetitions,
        folds=options.folds,
        inner_folds=options.inner_folds,
        random_state=options.random_state,
        n_jobs=options.n_jobs,
        progress=show_progress(options),
    )
    if Features.NODE_ATTRIBUTES in {row.features for row in report.rows.values()}:
        tell_not_compared(options, source.graphs)
    facts = {"data": options.data, **describe_target(source)}
    print(json.dumps({**facts, **report.to_dict()}, indent=2) if options.json else report)
    if options.plot is not None:
        draw_accuracies(report, path=options.plot, title=Path(options.data).name)
        if not options.quiet:
            print_message(f"Box plot written to {options.plot}")


def _groups(options: argparse.Namespace, source: Source) -> list[str] | None:
    """Return the column that the split is read from; raise an error if it is missing, or not used."""
    if options.split not in ("group", "given"):
        if options.split_column is not None:
            problem = "{} is used with {} or {} only"
            flags = [Option("split_column"), Option("split", "group"), Option("split", "given")]
            raise InputError(problem, remedy="remove it, or add one of them", options=flags)
        return None
    if options.split_column is None:
        flags = [Option("split", options.split), Option("split_column")]
        raise InputError("{} needs a column", remedy="name it with {}", options=flags)
    return source.column(Option("split_column", options.split_column))
