"""``wassergraph evaluate``: estimate how well methods predict, by nested cross-validation."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from wassergraph.cli.column_options import COLUMNS, imputed_columns, training_columns
from wassergraph.cli.messages import print_message
from wassergraph.cli.metric_options import add_metric
from wassergraph.cli.model_options import MODEL, model_of
from wassergraph.cli.options import (
    DATA,
    FLAG,
    Commands,
    OptionTable,
    add_common,
    add_options,
    folds_option,
    load_training_source,
    print_result,
    show_progress,
    tell_not_compared,
)
from wassergraph.errors import InputError, Option

if TYPE_CHECKING:
    from wassergraph.datasets.source import Source
    from wassergraph.evaluation.evaluation import Evaluation
    from wassergraph.evaluation.preparation import Preparation

_OPTIONS: OptionTable = {
    "data": ("DATA", DATA),
    "--method": (
        {"nargs": "+", "default": ["wwl"], "metavar": "M"},
        "methods to compare: wwl (default: what wassergraph train fits), wwl-wide (its wide search); on labels v, "
        "e, wl, wl-oa; on attributes vh-c, rbf-wl, hgk-wl, hgk-sp, gh, wwl-sinkhorn; for molecules tanimoto (Morgan "
        "fingerprints), tanimoto-counts and rf (a random forest on these fingerprints); a variant such as wwl+joint, "
        "wwl+knn (nearest neighbors) or, for numbers, wwl+svr and wwl+gp; or all, every method that applies to these "
        "graphs",
    ),
    "--measures --metrics": (
        {"nargs": "+", "metavar": "M"},
        "what to measure: for classes accuracy, balanced-accuracy, roc-auc, pr-auc, mcc, enrichment-1, "
        "enrichment-5, log-loss (default: accuracy, or the first five if classes are unequal); for numbers "
        "rmse, mae, r2, spearman (default: these four), pearson, and for wwl+gp coverage; or all",
    ),
}
_FOLDS: OptionTable = {
    "--protocol": (
        {"choices": ("default", "paper"), "default": "default"},
        "default: what wassergraph train fits; paper: depths 0-7, labels or attributes, and shares of mass, as in "
        "the paper; its data sets, which are recognized by their content, are prepared as in the paper",
    ),
    "--deduplicate": (FLAG, "leave out duplicates: of equal graphs, keep the first one of each class or number"),
    "--split": (
        {"choices": ("random", "scaffold", "butina", "wwl", "group", "given"), "default": "random"},
        "how to split graphs into folds: at random (default), or into whole groups: the Bemis-Murcko scaffolds or "
        "Butina clusters of molecules, clusters of WWL distances, or the groups of a column; given takes the folds "
        "from a column",
    ),
    "--split-column": ("NAME", "the column of groups, or of train and test, or of the numbers of folds"),
    "--repetitions": ({"type": int, "default": 1, "metavar": "N"}, "repeat with new random folds (default: 1)"),
    "--folds": (
        {"type": folds_option, "default": "auto", "metavar": "N"},
        "number of outer folds (default: auto, 10, or fewer if no class has as many graphs, or if there are fewer "
        "graphs or groups)",
    ),
    "--cv --inner-folds": (
        {"type": folds_option, "metavar": "N"},
        "number of inner folds, used to choose parameters (default: auto, 5, or fewer as for --folds)",
    ),
    "--random-state": (
        {"type": int, "default": 0, "metavar": "N"},
        "random seed of the folds of the first repetition; each further one adds 1 (default: 0)",
    ),
    "--plot": ("FILE", "save a box plot of the accuracies, or errors, as .png, .svg or .pdf"),
}


def add_parser(commands: Commands) -> None:
    """Add the command to the command line."""
    command = commands.add_parser(
        "evaluate",
        help="estimate how well methods predict classes or numbers, by nested cross-validation",
        description="Split the graphs into folds. For each fold, choose the parameters of a method on the training "
        "graphs (from all graphs come, without their classes, the scale of attributes and the median distance that "
        "gamma is relative to), fit a model (an SVM for classes, ridge regression for numbers) and compare "
        "its predictions with the test graphs. The table shows the accuracy or the errors, and the running "
        "time, of each method. By default this is what wassergraph train fits, with the same options. With "
        "--protocol paper, it is what the paper evaluates. Several targets have a table each, of the rows with "
        "a value, and a summary.",
        epilog="example: wassergraph evaluate ENZYMES --method wwl rbf-wl wl --repetitions 10 --plot enzymes.png, or "
        "wassergraph evaluate FreeSolv.csv --target expt --method wwl tanimoto --split scaffold",
    )
    add_options(command, _OPTIONS)
    add_metric(command, depths=True, chosen=True)
    add_options(command, {**COLUMNS, **MODEL, **_FOLDS})
    add_common(command, quiet="print only the result", task=True, several=True)
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Print how well methods predict, and save a picture of it on request."""
    from wassergraph.cli.targets import evaluate_targets
    from wassergraph.metrics.node_embedding import Features
    from wassergraph.pictures.accuracies import draw_accuracies
    from wassergraph.pictures.style import check_picture

    if options.plot is not None:
        check_picture(options.plot)
    source = load_training_source(options)
    options.several = bool(source.targets)
    if source.targets:
        if options.plot is not None:
            problem = "{} draws one target, but there are several"
            raise InputError(problem, remedy="evaluate one, or remove it", options=[Option("plot", options.plot)])
        evaluate_targets(options, source, lambda each: _evaluate_one(options, each))
        return
    result = _evaluate_one(options, source)
    of_attributes = Features.NODE_ATTRIBUTES in {row.features for row in result.rows.values()}
    tell_not_compared(options, source.graphs, labels=of_attributes)
    facts = {"data": options.data, **source.describe_target()}
    print_result(options, {**facts, **result.to_dict()}, result)
    if options.plot is not None:
        draw_accuracies(result, path=options.plot, title=Path(options.data).name)
        if not options.quiet:
            print_message(f"Box plot written to {options.plot}")


def _evaluate_one(options: argparse.Namespace, source: Source) -> Evaluation:
    """Evaluate one target."""
    from wassergraph.cli.targets import measures_of_target
    from wassergraph.evaluation.evaluate import Request
    from wassergraph.evaluation.matrices import Threads
    from wassergraph.evaluation.splitting import Folds

    groups = _groups(options, source)
    folds = Folds(options.folds, options.split, groups, options.repetitions, options.random_state)
    assert source.target is not None
    numbers = source.target.task == "regression"
    return Request(
        source.graphs,
        source.target.values,
        method=options.method,
        model=model_of(options, numbers=numbers, also=("C", "alpha") if numbers and options.model != "gp" else ()),
        folds=folds,
        measures=measures_of_target(options, source),
        deduplicate=options.deduplicate,
        molecules=source.molecules,
        preparations=_paper_preparations(options, source) if options.protocol == "paper" else None,
        threads=Threads(options.n_jobs, show_progress(options)),
        columns=training_columns(options, source),
        impute=imputed_columns(options),
    ).run()


def _paper_preparations(options: argparse.Namespace, source: Source) -> dict[str, Preparation]:
    """Return how the paper prepares a data set, and say that it is prepared."""
    from wassergraph.reproduction.setups import paper_setups

    found = {} if source.published is None else paper_setups(source.published)
    if found and not options.quiet:
        print_message(f"These graphs are the data set {source.published}, and are prepared as in the paper.")
    return found


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
