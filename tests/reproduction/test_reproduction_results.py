"""Results as files: one for each repetition of a method on a data set."""

from __future__ import annotations

import errno
import json
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from wassergraph.evaluation.repetition import Repetition
from wassergraph.files.provenance import current_provenance
from wassergraph.reproduction.others.results import read_entries
from wassergraph.reproduction.results import Key, Run, RunResult, read_results, write_result

RUN = Run("demo", "wl", "categorical", 3)
SCORES = Repetition(
    scores={"accuracy": (0.5, 0.75)},
    parameters=({"depth": 2, "C": 0.1}, {"depth": 1, "C": 10.0}),
    majority=0.6,
    n_graphs=60,
    random_state=3,
    inner_folds=5,
    unsolved=2,
    seconds={"matrices": 0.25, "selection": 1.5, "training and test": 0.125},
)
ROOT = Path(__file__).parents[2]
PLACE = r"categorical.demo.wl.03\.json"


def files_in(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def test_path_of_a_run(tmp_path):
    assert RUN.path(tmp_path) == tmp_path / "categorical" / "demo" / "wl" / "03.json"
    assert replace(RUN, method="wwl+svc", repetition=12).path(tmp_path).parts[-2:] == ("wwl+svc", "12.json")
    assert RUN.key == Key("demo", "wl", "categorical")
    assert not RUN.is_done(tmp_path)
    write_result(tmp_path, RUN, SCORES)
    assert RUN.is_done(tmp_path)
    assert not replace(RUN, repetition=0).is_done(tmp_path)


def test_results_are_read_as_they_were_written(tmp_path):
    written = write_result(tmp_path, RUN, SCORES)
    assert written == RunResult(RUN, SCORES, current_provenance())
    assert read_results(tmp_path) == [written]
    assert RunResult.from_dict(json.loads(json.dumps(written.to_dict()))) == written


def test_results_without_a_count_of_unsolved_candidates_have_none():
    content = RunResult(RUN, SCORES, current_provenance()).to_dict()
    del content["unsolved"]
    assert RunResult.from_dict(content).scores == replace(SCORES, unsolved=0)


def test_every_result_of_the_repository_is_read_without_loss():
    folder = ROOT / "results"
    results = read_results(folder)
    of_others = [path for path in folder.rglob("*.json") if (folder / "others") in path.parents]  # read by another room
    assert len(results) == len(list(folder.rglob("*.json"))) - len(of_others) > 1000
    entries = read_entries(folder)
    assert len(entries) == len(of_others)
    for entry in entries:
        assert all(value is None or np.isfinite(value) for value in entry.scores.values())
    for result in results:
        content = json.loads(result.run.path(folder).read_text(encoding="utf-8"))
        assert result.to_dict() == {"unsolved": 0, **content}


def test_file_has_one_entry_per_line(tmp_path):
    write_result(tmp_path, RUN, replace(SCORES, parameters=({"kernel": "Kreĭn"},) * 2))
    lines = RUN.path(tmp_path).read_text(encoding="utf-8").splitlines()
    assert (lines[0], lines[-1]) == ("{", "}")
    assert lines[1:6] == [
        '  "dataset": "demo",',
        '  "kind": "categorical",',
        '  "method": "wl",',
        '  "repetition": 3,',
        '  "accuracy": [0.5, 0.75],',
    ]
    assert '  "parameters": [{"kernel": "Kreĭn"}, {"kernel": "Kreĭn"}],' in lines
    assert len(lines) == 2 + len(json.loads("".join(lines)))


def test_results_are_sorted_by_kind_data_set_method_and_repetition(tmp_path):
    runs = [
        Run(dataset, method, kind, repetition)
        for kind in ("categorical", "continuous")
        for dataset in ("A", "B")
        for method in ("v", "wl")
        for repetition in (0, 1, 10)
    ]
    for position in np.random.default_rng(0).permutation(len(runs)):
        write_result(tmp_path, runs[position], SCORES)
    assert [result.run for result in read_results(tmp_path)] == runs


def test_other_files_are_not_results(tmp_path):
    assert read_results(tmp_path / "missing") == []
    write_result(tmp_path, RUN, SCORES)
    (tmp_path / "noise.csv").write_text("a,b\n")
    (tmp_path / ".locks").mkdir()
    (tmp_path / ".locks" / "demo.lock").touch()
    (RUN.path(tmp_path).parent / ".04.json-1-abc.part").write_text('{"dataset": "de')
    assert len(read_results(tmp_path)) == 1


@pytest.mark.parametrize("text", ["", '{"dataset": "de', "[]", "null", "3", '{"dataset": "demo"}', "\x00\xff"])
def test_file_that_is_not_a_result_is_named(tmp_path, text):
    path = RUN.path(tmp_path)
    path.parent.mkdir(parents=True)
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(ValueError, match=PLACE + ": this is not a result of an experiment; remove it"):
        read_results(tmp_path)


@pytest.mark.parametrize("key", sorted(RunResult(RUN, SCORES, current_provenance()).to_dict().keys() - {"unsolved"}))
def test_incomplete_result_is_named(tmp_path, key):
    write_result(tmp_path, RUN, SCORES)
    path = RUN.path(tmp_path)
    content = json.loads(path.read_text(encoding="utf-8"))
    del content[key]
    path.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(ValueError, match=PLACE + ": this is not a result of an experiment; remove it"):
        read_results(tmp_path)


@pytest.mark.parametrize(
    "place", ["categorical/demo/wl/04.json", "categorical/demo/v/03.json", "joint/demo/wl/03.json", "03.json"]
)
def test_misplaced_result_is_named(tmp_path, place):
    write_result(tmp_path, RUN, SCORES)
    target = tmp_path / place
    target.parent.mkdir(parents=True, exist_ok=True)
    RUN.path(tmp_path).rename(target)
    with pytest.raises(ValueError, match="move it to") as caught:
        read_results(tmp_path)
    expected = (
        f"{target}: this is the result of wl on demo (categorical), repetition 3; move it to {RUN.path(tmp_path)}"
    )
    assert str(caught.value) == expected


def test_copy_of_a_result_under_another_name_is_named(tmp_path):
    write_result(tmp_path, RUN, SCORES)
    copy = RUN.path(tmp_path).with_name("copy.json")
    copy.write_bytes(RUN.path(tmp_path).read_bytes())
    with pytest.raises(ValueError, match=r"copy\.json: this is the result of"):
        read_results(tmp_path)


def test_old_result_is_complete_while_a_new_one_is_written(tmp_path, monkeypatch):
    write_result(tmp_path, RUN, SCORES)
    seen, fsync = [], os.fsync

    def look(file: int) -> None:
        seen.extend(result.scores for result in read_results(tmp_path))
        fsync(file)

    monkeypatch.setattr(os, "fsync", look)
    other = replace(SCORES, scores={"accuracy": (1.0, 1.0)})
    write_result(tmp_path, RUN, other)
    assert seen == [SCORES]
    assert [result.scores for result in read_results(tmp_path)] == [other]
    assert files_in(tmp_path) == {"categorical/demo/wl/03.json"}


@pytest.mark.parametrize("problem", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()])
def test_result_that_cannot_be_written_leaves_no_file(tmp_path, monkeypatch, problem):
    def fail(_: int) -> None:
        raise problem

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(type(problem)):
        write_result(tmp_path, RUN, SCORES)
    assert files_in(tmp_path) == set()
    assert not RUN.is_done(tmp_path)
