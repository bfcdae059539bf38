"""Tables of accuracies on given folds of graphs, and of what was chosen and how long that took."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from wassergraph.reproduction.experiments import DESIGNED_ON
from wassergraph.reproduction.others.benchmarks import BENCHMARKS, ENTRIES, ERRICA, OURS
from wassergraph.reproduction.others.methods import METHOD_TITLES
from wassergraph.reproduction.others.published import PublishedAccuracy, published_accuracies
from wassergraph.reproduction.others.results import EntryResult
from wassergraph.reproduction.paper import dataset_title
from wassergraph.reproduction.tables import NOTHING, choices_text, markdown, signed

#: The sets in the order of the published table; the last is no part of it.
_COLUMNS = ("DD", "NCI1", "PROTEINS", "ENZYMES", "IMDB-BINARY", "PROTEINS_full")


def set_title(name: str) -> str:
    """Return what a set is called on the page, with a mark if the search was designed on it."""
    title = "PROTEINS with attributes" if name == "PROTEINS_full" else dataset_title(name)
    return f"{title} †" if any(name == dataset for dataset, _ in DESIGNED_ON) else title


def fold_accuracies(results: Sequence[EntryResult]) -> dict[str, list[float]]:
    """Return our accuracies in percent in the folds of every set that has any, in the order of the folds."""
    found: dict[str, list[float]] = {}
    for result in results:
        accuracy = result.scores.get("accuracy")
        if result.entry.benchmark == ERRICA.name and accuracy is not None:
            found.setdefault(result.entry.set, []).append(100 * accuracy)
    return found


def accuracy_table(results: Sequence[EntryResult]) -> str:
    """Return the accuracies of all methods on all sets, ours first; the highest mean of a set is bold."""
    folds, published = fold_accuracies(results), published_accuracies()
    ours = {name: _our_accuracy(accuracies) for name, accuracies in folds.items()}
    means = {name: [round(each[name].mean, 1) for each in published.values() if name in each] for name in _COLUMNS}
    best = {
        name: max([*means[name], *([round(ours[name].mean, 1)] if name in ours else [])], default=0.0)
        for name in _COLUMNS
    }
    lines = [
        [
            f"**{METHOD_TITLES[OURS]}**",
            *(_accuracy_text(ours, name, best, len(folds.get(name, ()))) for name in _COLUMNS),
        ]
    ]
    lines.append(["*our place*", *(_place_text(ours.get(name), means[name]) for name in _COLUMNS)])
    for method, numbers in published.items():
        lines.append([method, *(_accuracy_text(numbers, name, best, ERRICA.n_folds) for name in _COLUMNS)])
    return markdown(["", *map(set_title, _COLUMNS)], lines)


def _place_text(ours: PublishedAccuracy | None, published: Sequence[float]) -> str:
    if ours is None or not published:
        return NOTHING
    return f"{1 + sum(mean > round(ours.mean, 1) for mean in published)} of {len(published) + 1}"


def summary_of_folds(results: Sequence[EntryResult]) -> list[str]:
    """Return on how many sets ours is above the best published mean, and where it is not."""
    ours = {name: _our_accuracy(values).mean for name, values in fold_accuracies(results).items()}
    published = {
        name: max(numbers[name].mean for numbers in published_accuracies().values() if name in numbers)
        for name in _COLUMNS[:-1]
    }
    compared = {name: ours[name] - published[name] for name in published if name in ours}
    if not compared:
        return ["- Errica et al.: no results yet."]
    below = [f"{set_title(name)} {signed(gain)}" for name, gain in compared.items() if round(gain, 1) <= 0]
    above = len(compared) - len(below)
    return [
        f"- Errica et al.: ours is above the best published mean on {above} of {len(compared)} sets with results; "
        f"not above it on: {', '.join(below) or 'none'}."
    ]


def chosen_table(results: Sequence[EntryResult], benchmark: str) -> str:
    """Return what our models chose on every set of a benchmark, and the seconds that a split took on average."""
    ours = [result for result in results if result.entry.benchmark == benchmark and result.entry.method == OURS]
    names = list(dict.fromkeys(name for result in ours for name in result.parameters))
    lines = []
    for name in dict.fromkeys(result.entry.set for result in ours):
        splits = [result for result in ours if result.entry.set == name]
        seconds = math.fsum(_seconds(result) for result in splits) / len(splits)
        chosen = [_chosen_text([result.parameters for result in splits], each) for each in names]
        lines.append([set_title(name), *chosen, f"{seconds:.0f}"])
    return markdown(["set", *names, "seconds"], lines) if lines else ""


def hours_table(results: Sequence[EntryResult]) -> str:
    """Return the hours that every method took on every benchmark, and how much of it is done."""
    lines = []
    for name, benchmark in BENCHMARKS.items():
        for method in benchmark.methods:
            done = [result for result in results if result.entry[0] == name and result.entry.method == method]
            n_all = sum(entry.benchmark == name and entry.method == method for entry in ENTRIES)
            hours = f"{math.fsum(map(_seconds, done)) / 3600:.2f}" if done else NOTHING
            lines.append([benchmark.title, METHOD_TITLES[method], f"{len(done)} of {n_all}", hours])
    return markdown(["benchmark", "method", "splits", "hours"], lines)


def _our_accuracy(folds: Sequence[float]) -> PublishedAccuracy:
    """Return mean and standard deviation over the folds, as the authors of the benchmark do (``ddof=0``)."""
    return PublishedAccuracy(float(np.mean(folds)), float(np.std(folds)))


def _accuracy_text(numbers: Mapping[str, PublishedAccuracy], name: str, best: Mapping[str, float], n_folds: int) -> str:
    """Return the text of a cell: mean ± standard deviation, and the number of folds if some are missing."""
    if name not in numbers:
        return NOTHING
    accuracy = numbers[name]
    text = f"{accuracy.mean:.1f} ± {accuracy.std:.1f}" if n_folds > 1 else f"{accuracy.mean:.1f}"
    mark = f"<sup>{n_folds}</sup>" if n_folds != ERRICA.n_folds else ""
    return (f"**{text}**" if round(accuracy.mean, 1) == best[name] else text) + mark


def _chosen_text(parameters: Sequence[Mapping[str, Any]], name: str) -> str:
    """Return the value of a parameter, or the most frequent ones of several splits."""
    values = [_rounded(each[name]) for each in parameters if name in each]
    if len(parameters) == 1 or not values:
        return values[0] if values else NOTHING
    counted = sorted(Counter(values).items(), key=lambda item: (-item[1], item[0]))
    return choices_text([(value, count / len(values)) for value, count in counted])


def _rounded(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.3g}" if isinstance(value, int | float) else str(value)


def _seconds(result: EntryResult) -> float:
    return math.fsum(result.seconds.values())
