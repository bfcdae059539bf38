"""Write model files of the present format version, and what they predict, into this folder.

    python tests/specimens/write_models.py

Run it once when FORMAT_VERSION grows. Files of earlier versions are never written again: they show that what an earlier
version of the library saved can still be loaded.
"""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import numpy as np

import wassergraph as wg
from wassergraph.errors import ImputedDataWarning
from wassergraph.models.model_files.archive import FORMAT_VERSION
from wassergraph.models.target_models import TargetModels
from wassergraph.scores.several import read_several

FOLDER = Path(__file__).parent
SEARCH = {"gamma": (0.1, 1.0), "C": (1.0, 100.0), "cv": 2}
FIXED = {"gamma": 1.0, "C": 10.0, "cv": 2}


def write_models(folder: Path = FOLDER) -> None:
    graphs, y = wg.datasets.make_demo(8)
    models = {
        "categorical": (wg.GraphClassifier(wg.WWL([0, 1], kind="categorical"), **SEARCH), y % 2 == 0),
        "continuous": (wg.GraphClassifier(wg.WWL([0, 1], kind="continuous", standardize=True), **SEARCH), y),
        "joint": (
            wg.GraphClassifier(wg.WWL(1, kind="joint", standardize=False), **FIXED),
            np.array(["one", "two", "four"])[y],
        ),
        "wide": (wg.GraphClassifier(wg.WWL([0, 1]), search="wide", cv=2), y),
        "squares": (
            wg.GraphClassifier(wg.WWL([0, 1], kind="categorical"), power=2.0, gamma_scale="median", **SEARCH),
            y,
        ),
        "several": (wg.GraphClassifier([wg.WWL([0, 1]), wg.WWL(1, kind="categorical")], **SEARCH), y),
    }
    for kind, (model, classes) in models.items():
        path = folder / f"model-v{FORMAT_VERSION}-{kind}.wgm"
        model.fit(graphs[:15], classes[:15]).save(path)
        expected = {
            "classes": model.predict(graphs[15:]).tolist(),
            "decisions": model.decision_function(graphs[15:]).tolist(),
            "probabilities": model.predict_proba(graphs[15:]).tolist(),
            "best_params": model.best_params_,
            "best_score": model.best_score_,
            "kind": model.scheme_.kind,
        }
        path.with_suffix(".json").write_text(json.dumps(expected, indent=1) + "\n", encoding="utf-8")
    write_regressor(folder)
    write_svr(folder)
    write_process(folder)
    write_stereo(folder)
    write_process_of_bounds(folder)
    write_columns(folder)
    write_targets(folder)


def write_regressor(folder: Path = FOLDER) -> None:
    write_numbers(wg.GraphRegressor(alpha=(0.01, 1.0)), folder / f"regressor-v{FORMAT_VERSION}.wgm")


def write_svr(folder: Path = FOLDER) -> None:
    model = wg.GraphRegressor(regressor="svr", C=(1.0, 100.0), epsilon=0.05)
    write_numbers(model, folder / f"svr-v{FORMAT_VERSION}.wgm")


def write_numbers(model: wg.GraphRegressor, path: Path) -> None:
    graphs, y = wg.datasets.make_demo(8)
    metrics = [wg.WWL([0, 1], kind="joint", mass=mass) for mass in ("share", "count")]
    model.set_params(metric=metrics, gamma=(0.1, 1.0), calibration=0.3, cv=2)
    names = [f"graph {number}" for number in range(15)]
    model.fit(graphs[:15], graphs[:15].sizes + y[:15], names=names)
    model.save(path)
    neighbors = model.neighbors(graphs[15:])
    expected = {
        "numbers": model.predict(graphs[15:]).tolist(),
        "intervals": model.predict_interval(graphs[15:], 0.8).tolist(),
        "nearest": model.names_[neighbors.positions].tolist(),
        "percentiles": neighbors.percentiles.tolist(),
        "best_params": model.best_params_,
        "best_score": model.best_score_,
    }
    path.with_suffix(".json").write_text(json.dumps(expected, indent=1) + "\n", encoding="utf-8")


def write_process(folder: Path = FOLDER) -> None:
    graphs, y = wg.datasets.make_demo(8)
    model = wg.GraphGaussianProcess(wg.WWL(depth=[0, 1], kind="joint")).fit(graphs[:15], graphs[:15].sizes + y[:15])
    write_expected(model, folder / f"process-v{FORMAT_VERSION}.wgm")


def write_process_of_bounds(folder: Path = FOLDER) -> None:
    graphs, y = wg.datasets.make_demo(8)
    numbers = graphs[:15].sizes + y[:15]
    above, below = numbers > 18, numbers < 10
    model = wg.GraphGaussianProcess(wg.WWL(depth=[0, 1], kind="categorical"))
    model.fit(graphs[:15], np.clip(numbers, 10, 18), censored=above.astype(int) - below)
    write_expected(model, folder / f"process-v{FORMAT_VERSION}-bounds.wgm")


def write_expected(model: wg.GraphGaussianProcess, path: Path) -> None:
    graphs, _ = wg.datasets.make_demo(8)
    model.save(path)
    mean, deviation = model.predict(graphs[15:], return_std=True)
    expected = {"numbers": mean.tolist(), "deviations": deviation.tolist(), "best_params": model.best_params_}
    if model.censored_ is not None:
        expected["censored"] = model.censored_.tolist()
    path.with_suffix(".json").write_text(json.dumps(expected, indent=1) + "\n", encoding="utf-8")


def write_stereo(folder: Path = FOLDER) -> None:
    molecules = [form for n in range(1, 7) for form in (f"{'C' * n}[C@H](O)F", f"{'C' * n}[C@@H](O)F")]
    source = {"smiles_column": "smiles", "standardize_molecules": ["fragment"]}
    model = wg.GraphClassifier(wg.WWL(1, stereo="use"), **FIXED).fit(molecules, ["R", "S"] * 6, source=source)
    path = folder / f"stereo-v{FORMAT_VERSION}.wgm"
    model.save(path)
    new = ["CCCCCCCC[C@@H](O)F.Cl", "CCCCCCCC[C@H](O)F", "CC(O)F"]
    expected = {"new": new, "classes": model.predict(new).tolist(), "decisions": model.decision_function(new).tolist()}
    expected |= {"best_params": model.best_params_}
    path.with_suffix(".json").write_text(json.dumps(expected, indent=1) + "\n", encoding="utf-8")


def write_columns(folder: Path = FOLDER) -> None:
    graphs, _ = wg.datasets.make_demo(8)
    columns = {"pH": np.sin(np.arange(24.0)), "temperature": np.where(np.arange(24) % 5, np.cos(np.arange(24.0)), None)}
    model = wg.GraphRegressor(wg.WWL([0, 1], kind="joint"), gamma=(0.1, 1.0), alpha=(0.01, 1.0), calibration=0, cv=2)
    y = graphs.sizes + 5 * columns["pH"]
    path = folder / f"columns-v{FORMAT_VERSION}.wgm"
    train, new = ({name: each[part] for name, each in columns.items()} for part in (slice(15), slice(15, None)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ImputedDataWarning)
        model.fit(graphs[:15], y[:15], columns=train, impute="median").save(path)
        numbers = model.predict(graphs[15:], columns=new)
    expected = {"numbers": numbers.tolist(), "best_params": model.best_params_}
    path.with_suffix(".json").write_text(json.dumps(expected, indent=1) + "\n", encoding="utf-8")


def write_targets(folder: Path = FOLDER) -> None:
    graphs, classes = wg.datasets.make_demo(8)
    table = [[float(size), str(each)] for size, each in zip(graphs.sizes, classes, strict=True)]
    table[3][0] = table[5][1] = None
    metric = wg.WWL([0, 1], kind="categorical")
    models = [wg.GraphRegressor(metric, gamma=0.1, alpha=(0.01, 1.0), cv=2), wg.GraphClassifier(metric, **SEARCH)]
    fitted = TargetModels.fit(models, graphs[:15], read_several(table[:15], 15, ["size", "class"]))
    path = folder / f"targets-v{FORMAT_VERSION}.wgm"
    fitted.save(path)
    new = graphs[15:]
    expected = {"numbers": models[0].predict(new).tolist(), "classes": models[1].predict(new).tolist()}
    expected |= {
        "best_params": [model.best_params_ for model in models],
        "n_train": [model.n_train_ for model in models],
    }
    path.with_suffix(".json").write_text(json.dumps(expected, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    write_models()
