"""``wassergraph explain``: explain the prediction for one graph."""

from __future__ import annotations

import argparse
import json
from typing import Any

from wassergraph.cli.column_options import new_columns, take_columns_of
from wassergraph.cli.messages import print_message
from wassergraph.cli.models import load_new_source, load_trained_for_one, predicts_classes
from wassergraph.cli.options import DATA, TARGET_OF_MODEL, Commands, OptionTable, add_common, add_options
from wassergraph.errors import InputError, Option

_OPTIONS: OptionTable = {
    "model": ("MODEL", "file written by wassergraph train or the save of a model"),
    "data": ("NEW", f"a SMILES string; or the new graphs: {DATA}; classes may be unknown"),
    "--row": (
        {"type": int, "default": 1, "metavar": "N"},
        "the graph to explain: its row in a table, without the header, or its position, both counted from 1 "
        "(default: 1)",
    ),
    "--classes": (
        {"nargs": 2, "metavar": ("A", "B")},
        "explain the decision between these two classes, positive for A (default: the predicted class and the one "
        "that comes closest); not for models of numbers",
    ),
    "-o --out": ("FILE", "file for a picture of the graph with its scores: .svg, .png or .pdf"),
}


def add_parser(commands: Commands) -> None:
    """Add the command to the command line."""
    command = commands.add_parser(
        "explain",
        help="explain the prediction for one graph",
        description="Print what the prediction for one graph is made of: the training graphs with the largest "
        "contributions, and the scores of nodes, whose sum is the predicted number, or the decision between the "
        "predicted class and the one that comes closest.",
        epilog="example: wassergraph explain bace.wgm new.csv --row 3 -o molecule.svg, or "
        "wassergraph explain bace.wgm CCO",
    )
    add_options(command, _OPTIONS)
    add_common(command, target=TARGET_OF_MODEL, invalid=("nan", "error"))
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Print what a prediction is made of, and draw it on request."""
    from wassergraph.pictures.explanations import draw_explanation
    from wassergraph.pictures.style import check_picture

    if options.out is not None:
        check_picture(options.out)
    model = load_trained_for_one(options)
    options.task = "classification" if predicts_classes(model) else "auto"
    chosen = _read_classes(model, options.classes)
    source = load_new_source(options, model, smiles=True)
    position = source.graph_in_row(options.row, Option("row", options.row))
    columns = take_columns_of(new_columns(options, model, source), [position])
    explanation, name = model.explain(source.graphs[position], **chosen, columns=columns), source.title(position)
    if options.json:
        print(json.dumps({"row": options.row, "name": source.names[position], **explanation.to_dict()}, indent=2))
    else:
        print(f"Row {options.row}{'' if name is None else f', {name}'}\n\n{explanation}")
    if options.out is not None:
        draw_explanation(explanation, path=options.out, title=f"row {options.row}" if name is None else name)
        if not options.quiet:
            print_message(f"picture written to {options.out}")


def _read_classes(model: Any, names: list[str] | None) -> dict[str, list[Any]]:
    """Return the argument of ``explain`` that names two classes, if it is asked for."""
    if names is None:
        return {}
    if not predicts_classes(model):
        problem = "{} applies to models of classes, but this model predicts numbers"
        raise InputError(problem, remedy="leave it out", options=[Option("classes")])
    # On the command line classes are text, whatever they are in the model; unknown ones are refused by the model.
    known = {str(each): each for each in model.classes_.tolist()}
    return {"classes": [known.get(name, name) for name in names]}
