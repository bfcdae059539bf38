"""Compiling everything ahead."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from wassergraph.compile_ahead import CompiledStep, Warmup

# What users may do after everything was compiled, in ways that the functions of the warmup are not called in.
LATER = """if True:
    import sys
    import warnings
    import numpy as np
    import wassergraph as wg
    from wassergraph.parallel.compilation import compile_clock

    warnings.simplefilter("ignore")
    molecules = wg.from_smiles(["CCO", "c1ccccc1", "CC(=O)O", "CCN", "C1CC1", "CCCl", "c1ccncc1", "C#N"] * 2,
                               node_attributes=["charge", "mass"])
    graphs, y = wg.make_demo()
    assert compile_clock().functions == 0
    for batch in (molecules, graphs):
        for kind in ("categorical", "continuous", "joint"):
            for mass in ("share", "count"):
                D = wg.wwl_distances(batch, depth=range(3), kind=kind, mass=mass, n_jobs=2)
                wg.wwl_distances(batch, batch[:4], kind=kind, mass=mass, size_weight=0.1, dtype=np.float32)
                wg.pair_distances(batch, batch[:2], [(0, 1)], kind=kind, mass=mass)
            wg.wwl_distances(batch, kind=kind, solver="sinkhorn", reg=0.5)
            wg.transport_plan(batch, 0, 1, kind=kind)
        wg.wwl_distances(batch, kind="continuous", solver="sliced")
    wg.evaluate_distances(D.astype(np.float32), y, cv=3, gamma=1.0)
    model = wg.WWLClassifier(kind="joint", n_jobs=2).fit(graphs, y)
    model.save(sys.argv[1])
    wg.load_model(sys.argv[1]).predict_proba(graphs[:3])
    wg.WWLClassifier(mass="count").fit(molecules, np.arange(16) % 2).predict(molecules)
    report = wg.evaluate(graphs, y, method="all", folds=3, inner_folds=2)
    points = np.random.default_rng(0).normal(size=(30, 3))
    wg.KreinSVC(kernel="rbf", class_weight="balanced").fit(points, np.arange(30) % 3).predict(points)
    for kernel in (wg.ShortestPath(), wg.EdgeHistogram(normalize=True), wg.GraphHopper()):
        kernel.fit(molecules).transform(molecules[:2])
    assert all(row.seconds["compiling"] == 0 for row in report.rows.values())
    print(compile_clock().functions)
"""


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run Python in a new process."""
    environment = {**os.environ, **environment}
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, env=environment, check=False)


def compiled_files(folder: Path) -> set[str]:
    return {str(file.relative_to(folder)) for end in ("nbc", "bin") for file in folder.rglob(f"*.{end}")}


@pytest.mark.skipif(bool(os.environ.get("NUMBA_DISABLE_JIT")), reason="nothing is compiled")
def test_after_the_warmup_nothing_is_compiled(tmp_path):
    cache = tmp_path / "numba"
    first = run("-m", "wassergraph", "warmup", "--json", NUMBA_CACHE_DIR=str(cache))
    assert first.returncode == 0, first.stderr
    result = json.loads(first.stdout)
    assert result["folder"] == str(cache)
    assert result["functions"] == sum(step["functions"] for step in result["steps"]) > 50
    assert result["seconds"] == pytest.approx(sum(step["seconds"] for step in result["steps"]))
    files = compiled_files(cache)
    assert len(files) > 50

    later = run("-c", LATER, str(tmp_path / "model.wgm"), NUMBA_CACHE_DIR=str(cache))
    assert later.stdout == "0\n", later.stderr
    assert compiled_files(cache) == files

    again = run("-m", "wassergraph", "warmup", NUMBA_CACHE_DIR=str(cache))
    assert "Everything had been compiled before. Compiled code is stored in" in again.stdout
    assert compiled_files(cache) == files


def test_a_folder_that_cannot_be_written_is_named():
    failed = run("-m", "wassergraph", "warmup", NUMBA_CACHE_DIR=os.devnull + "/numba")
    assert failed.returncode == 2
    assert "wassergraph: error: " in failed.stderr
    assert "set NUMBA_CACHE_DIR to a folder that can be written" in failed.stderr
    assert failed.stdout == ""


def test_no_folder_at_all():
    # Of all folders that numba would try, only the one that cannot be written remains.
    only = {"NUMBA_CACHE_DIR": os.devnull + "/numba", "NUMBA_CACHE_LOCATOR_CLASSES": "UserProvidedCacheLocator"}
    failed = run("-m", "wassergraph", "warmup", "--json", **only)
    assert failed.returncode == 2
    assert failed.stderr.count("\n") == 1
    assert "; set NUMBA_CACHE_DIR to a folder that can be written" in failed.stderr


def test_compiling_is_switched_off():
    failed = run("-m", "wassergraph", "warmup", NUMBA_DISABLE_JIT="1")
    assert (failed.returncode, failed.stdout) == (2, "")
    assert failed.stderr == "wassergraph: error: nothing is compiled, since NUMBA_DISABLE_JIT is set; unset it\n"


def test_the_table():
    result = Warmup((CompiledStep("distances", 12, 3.456), CompiledStep("kernels", 3, 1.0)), Path("somewhere"))
    lines = str(result).splitlines()
    assert [line.split() for line in lines[1:4]] == [
        ["distances", "12", "3.46", "s"],
        ["kernels", "3", "1.00", "s"],
        ["total", "15", "4.46", "s"],
    ]
    assert len({len(line) for line in lines[1:4]}) == 1
    assert lines[5].startswith("Compiled code is stored in somewhere.")
    assert result.to_dict()["steps"][0] == {"name": "distances", "functions": 12, "seconds": 3.456}
