from __future__ import annotations

import hashlib
import io
import json
import os
import subprocess
import sys
import threading
import warnings
import zipfile
from pathlib import Path

import numpy as np
import pytest

import wassergraph as wg
from made_metrics import model_options, plain_parameters
from specimens.write_models import write_models
from wassergraph.files.atomic import remove_leftovers, write_atomically
from wassergraph.models.classifier import GraphClassifier
from wassergraph.models.model_files.archive import FORMAT_VERSION, ModelFileError
from wassergraph.models.model_files.loading import load_model

FIXED = {"depth": 1, "gamma": 1.0, "C": 10.0}
KINDS = ("categorical", "continuous", "joint")

posix_only = pytest.mark.skipif(os.name != "posix", reason="this system has no pipes, links and permissions of POSIX")


@pytest.fixture(scope="module")
def demo():
    return wg.load_dataset("demo")


@pytest.fixture(scope="module")
def model(demo):
    return GraphClassifier(wg.WWL(depth=[0, 1], kind="joint"), gamma=[0.1, 1.0], C=[1.0, 10.0], random_state=3).fit(
        *demo
    )


@pytest.fixture(scope="module")
def data(model, tmp_path_factory) -> bytes:
    path = tmp_path_factory.mktemp("models") / "m.wgm"
    model.save(path)
    return path.read_bytes()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("classes", [["x", "ä\n,", "z"], [-1, 5, 7], [0.5, 1.5, 2.0], [False, True, True]])
def test_a_model_comes_back_as_it_was(demo, kind, classes, tmp_path):
    graphs, y = demo
    classes = np.array(classes)
    if classes.dtype.kind == "f":
        classes = np.array([0.0, 1.0, 2.0])
    model = GraphClassifier(**model_options(kind=kind, **FIXED)).fit(graphs, classes[y])
    model.save(tmp_path / "m.wgm")
    again = load_model(tmp_path / "m.wgm")
    for name in ("predict", "decision_function", "predict_proba"):
        np.testing.assert_array_equal(getattr(again, name)(graphs), getattr(model, name)(graphs))
    assert again.classes_.dtype == model.classes_.dtype
    assert [path.name for path in tmp_path.iterdir()] == ["m.wgm"]


def test_everything_that_was_learned_is_kept(model, data, tmp_path):
    (tmp_path / "m.wgm").write_bytes(data)
    again = load_model(tmp_path / "m.wgm")
    assert again.best_params_ == model.best_params_
    for name in (
        "best_score_",
        "majority_score_",
        "n_negative_",
        "negative_mass_",
        "n_train_",
        "seconds_",
        "refit_time_",
    ):
        assert getattr(again, name) == getattr(model, name)
    assert plain_parameters(again) == plain_parameters(model)
    for column, values in model.cv_results_.items():
        np.testing.assert_array_equal(again.cv_results_[column], values)
    again.save(tmp_path / "again.wgm")
    assert (tmp_path / "again.wgm").read_bytes() == data  # to the byte


def test_parameters_that_json_cannot_hold_become_the_default(demo, tmp_path):
    from sklearn.model_selection import KFold

    odd = GraphClassifier(
        **model_options(cv=KFold(3, shuffle=True), random_state=np.random.RandomState(0), **FIXED)
    ).fit(*demo)
    odd.save(tmp_path / "m.wgm")
    again = load_model(tmp_path / "m.wgm")
    assert (again.cv, again.random_state) == ("auto", 0)


def test_another_process_decides_the_same_to_the_last_bit(demo, model, data, tmp_path):
    (tmp_path / "m.wgm").write_bytes(data)
    code = (
        "import sys, wassergraph as wg; graphs, _ = wg.load_dataset('demo'); "
        "print(wg.load_model(sys.argv[1]).decision_function(graphs).tobytes().hex())"
    )
    run = [sys.executable, "-c", code, str(tmp_path / "m.wgm")]
    out = subprocess.run(run, check=True, capture_output=True, text=True).stdout
    assert out.strip() == model.decision_function(demo[0]).tobytes().hex()


def assert_not_loaded(path, content: bytes, message: str) -> None:
    path.write_bytes(content)
    with pytest.raises(ModelFileError, match=message):
        load_model(path)


def test_every_changed_byte_is_noticed(data, tmp_path):
    path = tmp_path / "m.wgm"
    places = np.unique(
        np.concatenate([np.arange(120), np.linspace(0, len(data) - 1, 400), len(data) - np.arange(1, 300)])
    )
    for place in places.astype(int):
        content = bytearray(data)
        content[place] ^= 0x5A
        assert_not_loaded(path, bytes(content), "damaged|not a model")


def test_a_file_that_is_cut_short_or_has_something_behind_is_an_error(data, tmp_path):
    path = tmp_path / "m.wgm"
    for length in (0, 1, 29, 64, 100, len(data) // 2, len(data) - 64, len(data) - 1):
        assert_not_loaded(path, data[:length], "damaged or incomplete|not a model")
    assert_not_loaded(path, data + b"x", "damaged or incomplete")
    assert_not_loaded(path, b"junk" + data, "not a model")


def test_foreign_files_are_an_error(tmp_path):
    path = tmp_path / "m.wgm"
    for content in (b"", b"hello", b"PK\x03\x04", b"\x80\x04\x95", b"\x00" * 1000):
        assert_not_loaded(path, content, "this is not a model file")
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("other.txt", "something else")
    assert_not_loaded(path, path.read_bytes(), "this is not a model file")
    with pytest.raises(FileNotFoundError):
        load_model(tmp_path / "nothing.wgm")


def forged(data: bytes, *, change=None, files=None, compress=False) -> bytes:
    """Make a file with a right checksum but another content: a changed header, or other files."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    if change is not None:
        header = json.loads(members["model.json"])
        change(header)
        members["model.json"] = json.dumps(header).encode()
    members.update(files or {})
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED if compress else zipfile.ZIP_STORED) as archive:
        for name, content in members.items():
            if content is not None:
                archive.writestr(name, content)
        archive.comment = b"0" * 64
    body = buffer.getvalue()[:-64]
    return body + hashlib.sha256(body).hexdigest().encode()


def as_npy(array, **options) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array, **options)
    return buffer.getvalue()


def test_a_forgery_with_nothing_changed_loads(data, tmp_path):
    (tmp_path / "m.wgm").write_bytes(forged(data))
    load_model(tmp_path / "m.wgm")


def test_a_newer_format_is_an_error_with_a_remedy(data, tmp_path):
    def newer(header):
        header.update(format_version=FORMAT_VERSION + 1, library_version="9.9")

    message = rf"was written by wassergraph 9\.9 with the format version {FORMAT_VERSION + 1}, .*; update wassergraph"
    assert_not_loaded(tmp_path / "m.wgm", forged(data, change=newer), message)
    for version in (0, "1", None, True):
        assert_not_loaded(
            tmp_path / "m.wgm",
            forged(data, change=lambda h, v=version: h.update(format_version=v)),
            "which no version of wassergraph writes",
        )
    assert_not_loaded(tmp_path / "m.wgm", forged(data, change=lambda h: h.update(format="cake")), "not a model")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda h: h["best_params"].update(depth=-1), "the depth is -1"),
        (lambda h: h["best_params"].update(depth="1"), "the depth is '1'"),
        (lambda h: h["best_params"].update(depth=10**9), "the depth is 1000000000"),
        (lambda h: h["best_params"].update(gamma=float("nan")), "gamma is nan"),
        (lambda h: h["best_params"].update(gamma=-1), "gamma is -1"),
        (lambda h: h["best_params"].update(C=float("inf")), "C is inf"),
        (lambda h: h["scheme"].update(label_weight=1.5), "label_weight is 1.5"),
        (lambda h: h["scheme"].update(edge_weights="some"), "edge_weights is 'some'"),
        (lambda h: h["best_params"].pop("gamma"), "gamma"),
        (lambda h: h["scheme"].update(kind="magic"), "kind is 'magic'"),
        (lambda h: h["scheme"].update(features="dreams"), "features is 'dreams'"),
        (lambda h: h["scheme"].update(n_attributes=7), "mean should be"),
        (lambda h: h.update(grid={"depths": [0], "gammas": [1.0], "C_values": [1.0]}), "do not fit the candidates"),
        (lambda h: h.update(seconds={}), "training"),
        (lambda h: h.update(best_params=None), "parts of the model file do not match"),
        (lambda h: h.update(parameters=[]), "parts of the model file do not match"),
    ],
)
def test_a_header_that_makes_no_sense_is_an_error(data, tmp_path, change, message):
    assert_not_loaded(tmp_path / "m.wgm", forged(data, change=change), message)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("arrays/dual_coef.npy", as_npy(np.zeros((3, 2))), "dual_coef should be"),
        ("arrays/dual_coef.npy", as_npy(np.full((3, 60), np.nan)), "dual_coef should be"),
        ("arrays/sigmoids.npy", None, "arrays/sigmoids"),
        ("arrays/classes.npy", as_npy(np.array([1, 1, 2])), "the classes are not"),
        (
            "arrays/classes.npy",
            as_npy(np.array([object()]), allow_pickle=True),
            "is not an array of numbers or strings",
        ),
        ("arrays/classes.npy", b"no array", "is not an array of numbers or strings"),
        ("arrays/classes.npy", as_npy(np.arange(3))[:-1], "which are not the data that follow"),
        ("arrays/intercept.npy", as_npy(np.array([1 + 1j])), "is not an array of numbers or strings"),
        ("graphs/indices.npy", as_npy(np.array([10**9])), "parts of the model file do not match"),
        ("graphs/node_ptr.npy", as_npy(np.array([0.5, 2.0])), "parts of the model file do not match"),
        ("model.json", b"{", "the model file cannot be read"),
        ("model.json", b"[]", "not a model"),
        ("model.json", b"\xff", "the model file cannot be read"),
    ],
)
def test_an_array_that_makes_no_sense_is_an_error(data, tmp_path, name, content, message):
    assert_not_loaded(tmp_path / "m.wgm", forged(data, files={name: content}), message)


def test_a_header_that_promises_terabytes_allocates_nothing(data, tmp_path):
    header = b"{'descr': '<i8', 'fortran_order': False, 'shape': (400000000000,), }"
    header += b" " * (118 - len(header) - 1) + b"\n"
    vast = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + bytes(24)
    assert_not_loaded(
        tmp_path / "m.wgm", forged(data, files={"arrays/classes.npy": vast}), "which are not the data that follow"
    )


def header_of(text: str) -> bytes:
    """Write an array whose header is any text."""
    return b"\x93NUMPY\x01\x00" + (len(text) + 1).to_bytes(2, "little") + text.encode() + b"\n"


@pytest.mark.parametrize(
    "text",
    [
        "((((",
        "  x\n y\n  z",
        "{[]: 1}",
        "-" * 9000 + "1",
        f"{{'descr': '<i8', 'fortran_order': False, 'shape': (0, {10**30}), }}",
        "{'descr': '<U0', 'fortran_order': False, 'shape': (1000000000000,), }",
    ],
)
def test_any_nonsense_in_the_header_of_an_array_is_an_error(data, tmp_path, text):
    assert_not_loaded(
        tmp_path / "m.wgm", forged(data, files={"arrays/classes.npy": header_of(text)}), "is not an array|together"
    )


def test_parts_that_share_a_name_are_an_error(data, tmp_path):
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(buffer, "w") as new:
        for name in [*old.namelist(), "model.json"]:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                new.writestr(name, old.read(name))
        new.comment = b"0" * 64
    body = buffer.getvalue()[:-64]
    assert_not_loaded(tmp_path / "m.wgm", body + hashlib.sha256(body).hexdigest().encode(), "overlap or share a name")


def test_compressed_parts_are_refused_so_no_small_file_swells(data, tmp_path):
    assert_not_loaded(tmp_path / "m.wgm", forged(data, compress=True), "has compressed parts")


def test_nothing_is_run_or_written(data, tmp_path, monkeypatch):
    class Evil:
        def __reduce__(self):
            return (open, (str(tmp_path / "written"), "w"))

    folder = tmp_path / "inner"
    folder.mkdir()
    monkeypatch.chdir(folder)
    evil = as_npy(np.array([Evil()], dtype=object), allow_pickle=True)
    assert_not_loaded(folder / "m.wgm", forged(data, files={"arrays/classes.npy": evil}), "is not an array")
    outside = forged(data, files={"../outside.npy": as_npy(np.arange(3)), "/tmp/absolute.npy": as_npy(np.arange(3))})
    (folder / "m.wgm").write_bytes(outside)
    load_model(folder / "m.wgm")  # names that nobody asks for are not looked at
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["inner", "m.wgm"]


def test_classes_that_are_objects_are_saved_as_what_they_are(demo, tmp_path):
    graphs, y = demo
    model = GraphClassifier(**model_options(**FIXED)).fit(graphs, np.array(["a", "b", "c"], dtype=object)[y])
    model.save(tmp_path / "m.wgm")
    assert load_model(tmp_path / "m.wgm").predict(graphs).tolist() == model.predict(graphs).tolist()


def test_parameters_of_the_computer_are_not_part_of_the_model(demo, tmp_path, capsys):
    splits = [(np.arange(40), np.arange(40, 60)), (np.arange(20, 60), np.arange(20))]
    odd = GraphClassifier(
        **model_options(n_jobs=2, progress=True, cv=[*splits, (np.arange(59), np.array([59]))], **FIXED)
    ).fit(*demo)
    odd.save(tmp_path / "m.wgm")
    again = load_model(tmp_path / "m.wgm")
    assert (again.n_jobs, again.progress, again.cv) == (None, False, "auto")
    assert capsys.readouterr().err
    again.predict(demo[0])
    assert capsys.readouterr().err == ""


def test_a_model_that_is_not_fitted_is_not_saved(tmp_path):
    from sklearn.exceptions import NotFittedError

    with pytest.raises(NotFittedError):
        GraphClassifier().save(tmp_path / "m.wgm")


# Which model, and which version


def test_the_header_names_the_model(data, tmp_path):
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        header = json.loads(archive.read("model.json"))
    assert (header["model"], header["format_version"]) == ("GraphClassifier", FORMAT_VERSION)
    (tmp_path / "m.wgm").write_bytes(data)
    assert type(load_model(tmp_path / "m.wgm")) is GraphClassifier
    assert wg.load_model is load_model


@pytest.mark.parametrize("name", ["WWLOther", "KreinSVC", "load_model", "GraphBatch", "os", "__version__", "", None, 3])
def test_a_model_of_another_name_is_an_error(data, tmp_path, name):
    assert_not_loaded(
        tmp_path / "m.wgm", forged(data, change=lambda h: h.update(model=name)), "contains a model of the class"
    )


def test_the_error_names_the_file(tmp_path):
    path = tmp_path / "m.wgm"
    path.write_bytes(b"hello")
    with pytest.raises(ModelFileError) as caught:
        load_model(path)
    assert caught.value.file == path
    assert str(caught.value).startswith(f"{path}: ")


FOLDER = Path(__file__).parents[1] / "specimens"
SPECIMENS = sorted(FOLDER.glob("model-v*.wgm"))


def test_there_are_specimens_of_every_format_version():
    names = {path.name for path in SPECIMENS}
    for version in range(1, FORMAT_VERSION + 1):
        for kind in KINDS:
            assert f"model-v{version}-{kind}.wgm" in names
    assert all(path.stat().st_size < 100_000 for path in SPECIMENS)


@pytest.mark.parametrize("path", SPECIMENS, ids=lambda path: path.stem)
def test_specimens_load_and_predict_as_they_did(path):
    model = load_model(path)
    expected = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    graphs, _ = wg.datasets.make_demo(8)
    new = graphs[15:]
    assert model.predict(new).tolist() == expected["classes"]
    np.testing.assert_allclose(model.decision_function(new), expected["decisions"], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(model.predict_proba(new), expected["probabilities"], rtol=1e-7, atol=1e-9)
    assert model.best_params_ == expected["best_params"]
    assert model.best_score_ == (None if expected["best_score"] is None else pytest.approx(expected["best_score"]))
    named = path.stem.split("-")[2]
    assert model.scheme_.kind == expected.get("kind", named)
    if named not in KINDS:
        assert len(model.cv_results_["params"]) == model.grid_scores_.score[..., 0].size
        return
    assert model.scheme_.standardized == (model.scheme_.kind == "continuous")
    if model.scheme_.kind != "categorical":
        assert model.metric.standardize is (model.scheme_.kind == "continuous")
    if expected["best_score"] is None:
        assert model.cv_results_ == {}
        return
    assert len(model.cv_results_["params"]) == 8
    for name, values in [("depth", [0, 1]), ("gamma", [0.1, 1.0]), ("C", [1.0, 100.0])]:
        assert sorted(set(model.cv_results_[f"param_{name}"])) == values


def test_specimens_with_stereochemistry_and_standardized_molecules():
    paths = sorted(FOLDER.glob("stereo-v*.wgm"))
    assert f"stereo-v{FORMAT_VERSION}.wgm" in {path.name for path in paths}
    for path in paths:
        model = load_model(path)
        expected = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
        assert model.metric.stereo == "use"
        assert model.scheme_.features.uses_stereo
        assert model.predict(expected["new"]).tolist() == expected["classes"]
        np.testing.assert_allclose(
            model.decision_function(expected["new"]), expected["decisions"], rtol=1e-9, atol=1e-9
        )


REGRESSORS = sorted([*FOLDER.glob("regressor-*.wgm"), *FOLDER.glob("svr-*.wgm")])


@pytest.mark.parametrize("path", REGRESSORS, ids=lambda path: path.stem)
def test_specimens_of_regressors_load_and_predict_as_they_did(path):
    model = load_model(path)
    assert isinstance(model, wg.GraphRegressor)
    is_svr = path.stem.startswith("svr")
    assert model.regressor == ("svr" if is_svr else "ridge")
    expected = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    new = wg.datasets.make_demo(8)[0][15:]
    np.testing.assert_allclose(model.predict(new), expected["numbers"], rtol=1e-9)
    np.testing.assert_allclose(model.predict_interval(new, 0.8), expected["intervals"], rtol=1e-9)
    neighbors = model.neighbors(new)
    assert model.names_[neighbors.positions].tolist() == expected["nearest"]
    assert neighbors.percentiles.tolist() == expected["percentiles"]
    assert (model.best_params_, model.best_score_) == (expected["best_params"], pytest.approx(expected["best_score"]))
    assert len(model.cv_results_["params"]) == 16
    if is_svr:
        assert (model.C, model.epsilon) == ([1.0, 100.0], 0.05)
        assert sorted(set(model.cv_results_["param_C"])) == [1.0, 100.0]
    else:
        assert sorted(set(model.cv_results_["param_alpha"])) == [0.01, 1.0]


@pytest.mark.parametrize("path", sorted(FOLDER.glob("process-*.wgm")), ids=lambda path: path.stem)
def test_specimens_of_processes_load_and_predict_as_they_did(path):
    model = load_model(path)
    expected = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    mean, deviation = model.predict(wg.datasets.make_demo(8)[0][15:], return_std=True)
    np.testing.assert_allclose(mean, expected["numbers"], rtol=1e-9)
    np.testing.assert_allclose(deviation, expected["deviations"], rtol=1e-6)
    assert (model.censored_ is None) == (expected.get("censored") is None)
    assert model.censored_ is None or model.censored_.tolist() == expected["censored"]
    assert model.best_params_ == expected["best_params"]


@pytest.mark.parametrize("path", SPECIMENS, ids=lambda path: path.stem)
def test_specimens_can_be_saved_in_the_present_version(path, tmp_path):
    model = load_model(path)
    model.save(tmp_path / "m.wgm")
    again = load_model(tmp_path / "m.wgm")
    graphs, _ = wg.datasets.make_demo(8)
    np.testing.assert_array_equal(again.decision_function(graphs), model.decision_function(graphs))
    assert plain_parameters(again) == plain_parameters(model)


@pytest.mark.parametrize("path", sorted(FOLDER.glob("targets-*.wgm")), ids=lambda path: path.stem)
def test_specimens_of_several_targets_load_and_predict_as_they_did(path):
    models = load_model(path)
    expected = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    new = wg.datasets.make_demo(8)[0][15:]
    np.testing.assert_allclose(models["size"].predict(new), expected["numbers"], rtol=1e-9)
    assert models["class"].predict(new).tolist() == expected["classes"]
    assert [model.best_params_ for model in models.estimators_] == expected["best_params"]
    assert [model.n_train_ for model in models.estimators_] == expected["n_train"]


def test_the_script_that_writes_specimens_works(tmp_path):
    write_models(tmp_path)
    for path in tmp_path.glob("*.wgm"):
        expected = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
        model = load_model(path)
        found = getattr(model, "best_params_", None) or [each.best_params_ for each in model.estimators_]
        assert found == expected["best_params"]
    names = {path.name for path in tmp_path.iterdir()}
    stems = [
        *(f"model-v{FORMAT_VERSION}-{kind}" for kind in (*KINDS, "wide", "squares", "several")),
        f"regressor-v{FORMAT_VERSION}",
        f"svr-v{FORMAT_VERSION}",
        f"process-v{FORMAT_VERSION}",
        f"stereo-v{FORMAT_VERSION}",
        f"process-v{FORMAT_VERSION}-bounds",
        f"columns-v{FORMAT_VERSION}",
        f"targets-v{FORMAT_VERSION}",
    ]
    assert names == {f"{stem}.{end}" for stem in stems for end in ("wgm", "json")}


# Writing


def test_a_file_that_cannot_be_finished_leaves_the_old_one(tmp_path, monkeypatch):
    path = tmp_path / "m.wgm"
    write_atomically(path, b"old")
    monkeypatch.setattr("os.fsync", lambda _: (_ for _ in ()).throw(OSError("no space left")))
    with pytest.raises(OSError, match="no space left"):
        write_atomically(path, b"new")
    assert path.read_bytes() == b"old"
    assert [file.name for file in tmp_path.iterdir()] == ["m.wgm"]


@posix_only
def test_links_are_followed_and_permissions_kept(tmp_path):
    real, link = tmp_path / "real", tmp_path / "link"
    real.write_bytes(b"old")
    real.chmod(0o600)
    link.symlink_to(real)
    write_atomically(link, b"new")
    assert link.is_symlink()
    assert real.read_bytes() == b"new"
    assert real.stat().st_mode & 0o777 == 0o600


@posix_only
def test_a_pipe_is_written_into_and_stays_a_pipe(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    write_atomically(pipe, b"content")
    reader.join()
    assert read == [b"content"]
    assert pipe.is_fifo()


def test_places_where_nothing_can_be_written_are_errors(tmp_path):
    with pytest.raises(IsADirectoryError, match="is a folder"):
        write_atomically(tmp_path, b"")
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        write_atomically(tmp_path / "no" / "m.wgm", b"")


def test_what_killed_writers_left_beside_a_file_is_removed_and_nothing_else(tmp_path):
    (tmp_path / "below").mkdir()
    left = {".m.wgm-1-000000ab.part", ".m.wgm-22-000000cd.part"}
    others = {"m.wgm", "m.wgm-1-ab.part", ".m.wgm", ".m.wgm-1-ab", ".n.wgm-1-ab.part", "below/.m.wgm-1-000000ab.part"}
    for name in left | others:
        (tmp_path / name).write_bytes(b"content")
    for path in (tmp_path / "m.wgm", str(tmp_path / "m.wgm"), tmp_path / "no" / "m.wgm"):
        remove_leftovers(path)
        remaining = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()}
        assert remaining == others


def test_what_a_writer_leaves_when_it_is_killed_is_known_as_a_leftover(tmp_path, monkeypatch):
    names = []
    monkeypatch.setattr("os.fsync", lambda _: names.extend(path.name for path in tmp_path.iterdir()))
    write_atomically(tmp_path / "m.wgm", b"new")
    (tmp_path / names[0]).write_bytes(b"ne")
    remove_leftovers(tmp_path / "m.wgm")
    assert [path.name for path in tmp_path.iterdir()] == ["m.wgm"]
