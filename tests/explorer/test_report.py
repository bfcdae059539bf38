"""Pages of collections: what report reads, refuses, and writes."""

from __future__ import annotations

import html
import re

import numpy as np
import pytest

import wassergraph as wg
from made_metrics import evaluate
from wassergraph.explorer.container import pack_content, unpack_content

HOSTILE = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def demo():
    return wg.load_dataset("demo")


@pytest.fixture(scope="module")
def model(demo):
    graphs, y = demo
    return wg.GraphClassifier(wg.WWL(depth=[1, 2], kind="joint", standardize=True), gamma=1.0, C=10.0).fit(graphs, y)


def content_of(page):
    """Return what a page contains: the longest text of letters, digits and the signs of base64."""
    return unpack_content(max(re.findall(r"[A-Za-z0-9+/]+={0,2}", page.html), key=len))


# Pages


def test_a_page_shows_itself_in_a_notebook_and_saves_itself(tmp_path):
    page = wg.ExplorerPage('<p title="a">ä &amp; b</p>', 3, HOSTILE)
    frame = page._repr_html_()
    assert re.search(r'srcdoc="([^"]*)"', frame)[1] == html.escape(page.html)
    assert 'sandbox="allow-scripts allow-downloads"' in frame
    assert HOSTILE not in frame
    assert repr(page) == f"ExplorerPage({HOSTILE!r}, 3 graphs, 0 kB)"
    assert page.n_bytes == len(page.html) + 1
    page.save(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == page.html


def test_a_page_is_not_written_anywhere(tmp_path):
    page = wg.ExplorerPage("", 0, "")
    with pytest.raises(ValueError, match=r"path must end with \.html, got '.*page\.txt'"):
        page.save(tmp_path / "page.txt")
    with pytest.raises(FileNotFoundError, match="create it first"):
        page.save(tmp_path / "absent" / "page.html")
    assert not list(tmp_path.iterdir())


# Reports


def test_a_report_is_written(demo, tmp_path):
    graphs, y = demo
    page = wg.explore(graphs, y, metric=wg.WWL(depth=1), title="Three classes")
    page.save(tmp_path / "page.html")
    assert (page.n_graphs, page.title) == (60, "Three classes")
    assert (tmp_path / "page.html").read_bytes() == page.html.encode()
    content = content_of(page)
    assert (content["title"], content["n_graphs"], content["names"][:2]) == ("Three classes", 60, ["0", "1"])
    assert content["target"]["codes"].tolist() == np.asarray(y).tolist()
    distances = wg.distances(graphs, metric=wg.WWL(depth=1))
    positions = content["neighbors"]["positions"]
    np.testing.assert_array_equal(content["neighbors"]["distances"], np.take_along_axis(distances, positions, axis=1))
    assert content["largest"] == distances.max()


def test_texts_of_users_are_no_html(demo):
    graphs, _ = demo
    names = [HOSTILE, "</script>", *map(str, range(58))]
    page = wg.explore(
        graphs, {HOSTILE: [HOSTILE, "b"] * 30}, metric=wg.WWL(depth=0), names=names, title=f"{HOSTILE} \udcff"
    )
    assert HOSTILE not in page.html
    assert html.escape(HOSTILE) in page.html  # the title
    content = content_of(page)
    assert content["names"] == names
    assert content["target"]["values"] == [HOSTILE, "b"]
    assert content["title"] == f"{HOSTILE} �"


def test_halves_of_characters_are_replaced(demo):
    graphs, _ = demo
    page = wg.explore(
        graphs, {"\ud83d": ["\ud800", "b"] * 30}, metric=wg.WWL(depth=0), names=["\udfff"] * 60, title=" "
    )
    content = content_of(page)
    assert (content["target"]["name"], content["target"]["values"][1], content["names"][0]) == ("�", "�", "�")
    assert content["title"] == "60 graphs"  # in place of a title without any letters


def test_any_graphs_have_a_page():
    page = wg.explore(iter(["CCO", "CCN", "CCC"]), [1.5, 2.0, None], metric=wg.WWL(depth=1))
    content = content_of(page)
    assert (content["noun"], content["names"], page.title) == ("molecule", ["CCO", "CCN", "CCC"], "3 molecules")
    assert content["target"]["known"].tolist() == [1, 1, 0]
    alone = content_of(wg.explore("CCO"))
    assert alone["neighbors"]["positions"].shape == (1, 0)
    assert alone["target"] is None


def test_wrong_input_is_refused(demo):
    graphs, y = demo
    with pytest.raises(ValueError, match="no graphs to show"):
        wg.explore(graphs[:0])
    with pytest.raises(ValueError, match="there are 60 graphs, but 2 names; pass one of names for each graph"):
        wg.explore(graphs, names=["a", "b"])
    with pytest.raises(ValueError, match="there are 60 graphs, but 59 values in y"):
        wg.explore(graphs, y[:59])
    with pytest.raises(ValueError, match="task must be one of"):
        wg.explore(graphs, y, task="clustering")
    with pytest.raises(ValueError, match="random_state must be at least 0"):
        wg.explore(graphs, random_state=-1)
    with pytest.raises(TypeError, match="depth must be one whole number here"):
        wg.explore(graphs, metric=wg.WWL(depth=[1, 2]))
    with pytest.raises(ValueError, match=r"y must have one entry, a name with the classes or numbers of all .* got 2"):
        wg.explore(graphs, {"class": y, "number": y})


# Distances


def test_a_store_is_used(demo, tmp_path):
    pytest.importorskip("zarr")
    graphs, y = demo
    store = wg.distances(graphs, metric=wg.WWL(depth=[1, 2]), out=tmp_path / "D.zarr")
    for given in (store, tmp_path / "D.zarr"):
        content = content_of(wg.explore(graphs, y, metric=wg.WWL(depth=2), distances=given))
        positions = content["neighbors"]["positions"]
        nearest = np.take_along_axis(store[1], positions, axis=1)
        np.testing.assert_array_equal(content["neighbors"]["distances"], nearest)
    with pytest.raises(ValueError, match="these are not the distances that the page needs: the store has no depth 3"):
        wg.explore(graphs, y, distances=store)


# Models


def test_a_model_embeds_the_graphs(demo, model):
    graphs, y = demo
    content = content_of(wg.explore(graphs[:20], y[:20], predicted_by=model))
    facts = dict(content["facts"])
    assert (facts["kind"], facts["depth"]) == ("joint", str(model.best_params_["depth"]))
    assert facts["attributes"] == "standardized"
    assert content["embedding"]["mean"] == model.scheme_.mean.tolist()
    names = np.array(content["target"]["values"])
    assert names[content["predictions"]["predicted"]].tolist() == model.predict(graphs[:20]).astype(str).tolist()
    np.testing.assert_array_equal(content["predictions"]["decisions"], model.decision_function(graphs[:20]))


def test_classes_of_the_model_come_first(demo, model):
    content = content_of(wg.explore(demo[0][:3], ["new", 1, None], predicted_by=model))
    assert content["target"]["values"] == ["0", "1", "2", "new"]
    assert content["target"]["codes"].tolist() == [3, 1, -1]
    unknown = content_of(wg.explore(demo[0][:3], predicted_by=model))["target"]
    assert unknown["name"] == "class"
    assert (unknown["values"], unknown["codes"].tolist()) == (["0", "1", "2"], [-1, -1, -1])


def test_numbers_are_called_as_the_model_calls_them(demo):
    graphs, _ = demo
    model = wg.GraphRegressor(wg.WWL(depth=0), gamma=1.0, alpha=0.1).fit(
        graphs, graphs.sizes, target_name="size (nodes)"
    )
    for y in (None, graphs.sizes[:9].astype(float)):
        assert content_of(wg.explore(graphs[:9], y, predicted_by=model))["target"]["name"] == "size (nodes)"
    assert content_of(wg.explore(graphs[:9], {"n": y}, predicted_by=model))["target"]["name"] == "n"


def test_numbers_of_a_model(demo):
    graphs = demo[0]
    process = wg.GraphGaussianProcess(wg.WWL(depth=1, mass="count")).fit(graphs[:30], np.log(graphs.sizes[:30]))
    content = content_of(wg.explore(graphs[30:], predicted_by=process))
    assert content["predictions"]["predicted"].tolist() == process.predict(graphs[30:]).tolist()
    assert content["target"]["known"].tolist() == [0] * 30
    assert content_of(wg.explore(graphs, graphs.sizes, predicted_by=process))["target"]["kind"] == "numbers"
    assert content["embedding"]["price"] > 0


def test_models_that_do_not_fit_are_refused(demo, model):
    graphs, y = demo
    with pytest.raises(
        TypeError, match=r"predicted_by must be a fitted model or .* wassergraph\.evaluate, got 'm.wgm'"
    ):
        wg.explore(graphs, predicted_by="m.wgm")
    with pytest.raises(ValueError, match="predicted_by is not fitted; call fit first"):
        wg.explore(graphs, predicted_by=wg.GraphClassifier())
    with pytest.raises(ValueError, match="metric cannot be combined with predicted_by, which has its own; leave"):
        wg.explore(graphs, metric=wg.WWL(depth=5), predicted_by=model)
    with pytest.raises(ValueError, match="weights cannot be combined with predicted_by"):
        wg.explore(graphs, predicted_by=model, weights=np.ones(graphs.n_nodes))
    with pytest.raises(ValueError, match='task="regression" does not fit what is predicted, classes; leave it out'):
        wg.explore(graphs, y, predicted_by=model, task="regression")


# Evaluations


def test_predictions_of_an_evaluation(demo):
    graphs, y = demo
    evaluation = evaluate(graphs, y, method=["wl", "v"], folds=4, inner_folds=3)
    content = content_of(wg.explore(graphs, metric=wg.WWL(depth=1), predicted_by=evaluation["v"]))
    predictions = evaluation.rows["v"].repetitions[0].predictions
    assert content["predictions"]["predicted"].tolist() == predictions.tolist()
    assert content["target"]["codes"].tolist() == np.asarray(y).tolist()  # those of the evaluation
    assert content["predictions"]["source"].startswith("Predictions of V in a nested cross-validation")
    assert wg.explore(graphs, [str(each) for each in y], metric=wg.WWL(depth=1), predicted_by=evaluation).n_graphs == 60
    with pytest.raises(ValueError, match="predicted_by is of 60 graphs, but there are 59"):
        wg.explore(graphs[:59], predicted_by=evaluation)
    with pytest.raises(ValueError, match="predicted_by is of other classes or numbers than those in y"):
        wg.explore(graphs, y[::-1], predicted_by=evaluation)
    with pytest.raises(TypeError, match=r"the result of wassergraph\.evaluate, got {"):
        wg.explore(graphs, predicted_by=evaluation.to_dict())


def test_an_evaluation_of_numbers(demo):
    graphs, _ = demo
    y = graphs.sizes.astype(float)
    evaluation = evaluate(graphs, y, task="regression", depth=1, folds=3, inner_folds=2)
    content = content_of(wg.explore(graphs, {"size": y}, metric=wg.WWL(depth=1), predicted_by=evaluation))
    assert (content["target"]["kind"], content["target"]["name"]) == ("numbers", "size")
    errors = content["predictions"]["predicted"] - y
    folds = evaluation.splitting.outer(evaluation.task, 3, 0)
    by_fold = [np.sqrt(np.mean(errors[test] ** 2)) for _, test in folds]
    assert by_fold == pytest.approx(evaluation.rows["wwl"].values("rmse")[0].tolist())
    with pytest.raises(ValueError, match="predicted_by is of other classes or numbers"):
        wg.explore(graphs, y + 1, predicted_by=evaluation)


def test_the_container_of_a_page_needs_no_escaping():
    packed = pack_content({"name": HOSTILE})
    assert re.fullmatch(r"[A-Za-z0-9+/]+={0,2}", packed)
