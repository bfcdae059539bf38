"""Tables of errors on molecules: ours beside the published ones, and those of what is run here."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import fmean
from typing import TypeAlias

from wassergraph.graphs.invariants import count
from wassergraph.reproduction.others.benchmarks import ADME, MOLECULEACE, OURS, REFERENCES, Benchmark
from wassergraph.reproduction.others.methods import METHOD_TITLES
from wassergraph.reproduction.others.published import MEANS_ELSEWHERE, published_errors
from wassergraph.reproduction.others.results import EntryResult
from wassergraph.reproduction.statistics import average_ranks
from wassergraph.reproduction.tables import NOTHING, markdown

#: A measure of every set, by method: the published ones, ours, and what is run here.
ScoresBySet: TypeAlias = dict[str, dict[str, float]]
#: The measures of MoleculeACE, and how they are called.
CLIFFS = "cliff_rmse"
_RUN_HERE = (OURS, *REFERENCES)


def run_scores(results: Sequence[EntryResult], benchmark: Benchmark, measure: str) -> ScoresBySet:
    """Return a measure of what was run on a benchmark, by method and set."""
    scores: ScoresBySet = {method: {} for method in _RUN_HERE}
    for result in results:
        value = result.scores.get(measure)
        if result.entry.benchmark == benchmark.name and value is not None:
            scores[result.entry.method][result.entry.set] = value
    return scores


def published_scores(measure: str) -> ScoresBySet:
    """Return a published measure of MoleculeACE, by method and set."""
    return {
        method: {name: getattr(errors, measure) for name, errors in sets.items()}
        for method, sets in published_errors().items()
    }


def shown_sets(ours: Mapping[str, float]) -> list[str]:
    """Return the sets that means are taken over: those with a result of ours, or all if there are none yet."""
    return [name for name in MOLECULEACE.sets if name in ours] or list(MOLECULEACE.sets)


def ranks_of(scores: ScoresBySet, sets: Sequence[str]) -> dict[str, float]:
    """Return the mean rank of every method that has all of the sets; the smallest error has the rank 1."""
    whole = [method for method in scores if all(name in scores[method] for name in sets)]
    return average_ranks({name: {method: -scores[method][name] for method in whole} for name in sets})


def means_table(results: Sequence[EntryResult]) -> str:
    """Return mean errors and mean ranks of all methods on MoleculeACE, the smallest mean first."""
    both = {
        measure: {**run_scores(results, MOLECULEACE, measure), **published_scores(measure)}
        for measure in ("rmse", CLIFFS)
    }
    sets = shown_sets(both["rmse"][OURS])
    ranks = {measure: ranks_of(scores, sets) for measure, scores in both.items()}
    best = {method: sum(_is_best(method, both["rmse"], name) for name in sets) for method in both["rmse"]}
    rows: list[tuple[float, list[str]]] = []
    for method in both["rmse"]:
        means = [_mean(scores[method], sets) for scores in both.values()]
        texts = [*map(error_text, means), *(_rank_text(each.get(method)) for each in ranks.values())]
        is_whole = means[0] is not None
        title = f"{_title(method)} (run here)" if method in REFERENCES else _title(method)
        rows.append((_last(means[0]), [title, *texts, str(best[method]) if is_whole else NOTHING]))
    if len(sets) == len(MOLECULEACE.sets):
        for method, errors in MEANS_ELSEWHERE.items():
            rows.append((errors.rmse, [method, *map(error_text, errors), NOTHING, NOTHING, NOTHING]))
    lines = [line for _, line in sorted(rows, key=lambda row: row[0])]
    return markdown(["method", "RMSE", "RMSE on cliffs", "rank", "rank on cliffs", "best of all on"], lines)


def errors_by_set(results: Sequence[EntryResult], measure: str) -> str:
    """Return a measure on every set of MoleculeACE: ours, the best published one, and what is run here."""
    ours_and_references, published = run_scores(results, MOLECULEACE, measure), published_scores(measure)
    sizes = {result.entry.set: (result.n_train, _n_tested(result, measure)) for result in results}
    lines = []
    for name in MOLECULEACE.sets:
        here = [ours_and_references[method].get(name) for method in _RUN_HERE]
        best = min(published, key=lambda method: published[method][name])
        values = [here[0], published[best][name], *here[1:]]
        texts = _with_bold(values, error_text, min)
        texts[1] = f"{best} {texts[1]}"
        size = map(str, sizes.get(name, (NOTHING, NOTHING)))
        lines.append([name, *size, *texts, _place_text(here[0], [scores[name] for scores in published.values()])])
    ours, *references = map(_title, _RUN_HERE)
    tested = "test, on cliffs" if measure == CLIFFS else "test"
    columns = ["set", "train", tested, ours, "best published", *references, "our place among the published"]
    return markdown(columns, lines)


def endpoint_table(results: Sequence[EntryResult], measure: str, choose: Callable[[Sequence[float]], float]) -> str:
    """Return a measure on every endpoint of the ADME set, and its mean; ``choose`` is min or max, what is better."""
    scores = run_scores(results, ADME, measure)
    rows = {name: [scores[method].get(name) for method in _RUN_HERE] for name in ADME.sets}
    sizes = {result.entry.set: (result.n_train, result.n_test) for result in results}
    lines = [
        [name, *map(str, sizes.get(name, (NOTHING, NOTHING))), *_with_bold(values, error_text, choose)]
        for name, values in rows.items()
    ]
    means = [_mean(scores[method], ADME.sets) for method in _RUN_HERE]
    lines.append(["*mean*", "", "", *_with_bold(means, error_text, choose)])
    return markdown(["endpoint", "train", "test", *map(_title, _RUN_HERE)], lines)


def summary_of_errors(results: Sequence[EntryResult]) -> list[str]:
    """Return how many sets of MoleculeACE have results, and how ours compare with the published ones."""
    lines = []
    for measure, called in (("rmse", "RMSE"), (CLIFFS, "RMSE on cliffs")):
        ours, published = run_scores(results, MOLECULEACE, measure)[OURS], published_scores(measure)
        if not ours:
            continue
        sets = shown_sets(ours)
        means = {method: fmean(scores[name] for name in sets) for method, scores in published.items()}
        best = min(means, key=means.__getitem__)
        n_best = sum(ours[name] < min(scores[name] for scores in published.values()) for name in sets)
        rank = ranks_of({OURS: ours, **published}, sets)[OURS]
        over = f"the mean over {len(sets)} of {len(MOLECULEACE.sets)} sets"
        lines.append(
            f"- MoleculeACE, {called}: {over} is {fmean(ours.values()):.3f}; "
            f"the best of {len(published)} published methods, {best}, has {means[best]:.3f}. "
            f"Ours is better than all of them on {count(n_best, 'set')}; its mean rank among them is {rank:.2f}."
        )
    return lines or ["- MoleculeACE: no results yet."]


def summary_of_endpoints(results: Sequence[EntryResult]) -> list[str]:
    """Return on how many endpoints ours is the best of what is run here."""
    scores = run_scores(results, ADME, "rmse")
    whole = [name for name in ADME.sets if all(name in scores[method] for method in _RUN_HERE)]
    n_best = sum(_is_best(OURS, scores, name) for name in whole)
    counted = f"ours has the least RMSE on {n_best} of {len(whole)} endpoints on which all methods have results"
    return [f"- ADME: {counted if whole else 'no endpoint has results of all methods yet'}."]


def error_text(value: float | None) -> str:
    """Return a measure with three digits after the point."""
    return NOTHING if value is None else f"{value:.3f}".replace("-", "−")


def _title(method: str) -> str:
    title = METHOD_TITLES.get(method, method)
    return f"**{title}**" if method == OURS else title


def _n_tested(result: EntryResult, measure: str) -> int:
    return result.n_cliffs if measure == CLIFFS else result.n_test


def _is_best(method: str, scores: ScoresBySet, name: str) -> bool:
    value = scores[method].get(name)
    return value is not None and value == min(each[name] for each in scores.values() if name in each)


def _mean(scores: Mapping[str, float], sets: Sequence[str]) -> float | None:
    return fmean(scores[name] for name in sets) if all(name in scores for name in sets) else None


def _rank_text(rank: float | None) -> str:
    return NOTHING if rank is None else f"{rank:.2f}"


def _last(value: float | None) -> float:
    """Return a mean to sort by: what is not known comes last."""
    return float("inf") if value is None else value


def _place_text(ours: float | None, published: Sequence[float]) -> str:
    return NOTHING if ours is None else f"{1 + sum(value < ours for value in published)} of {len(published) + 1}"


def _with_bold(
    values: Sequence[float | None], text: Callable[[float | None], str], choose: Callable[[Sequence[float]], float]
) -> list[str]:
    """Return the texts of values, with the best as printed in bold."""
    known = [round(value, 3) for value in values if value is not None]
    best = choose(known) if known else None
    return [f"**{text(value)}**" if value is not None and round(value, 3) == best else text(value) for value in values]
