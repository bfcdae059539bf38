"""Who may import whom, read off the syntax trees: imports go one way, and heavy libraries stay in their rooms."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1] / "src" / "wassergraph"

# Each room may import those below it (and itself), and nothing else of ours.
LAYERS = [
    {"__main__"},
    {"cli"},
    {"cli_options", "experiments.reproduce"},
    {"experiments.page"},
    {"experiments.evaluate", "experiments.extras", "experiments.running"},
    {"experiments.noise", "experiments.protocol", "experiments.runtime", "experiments.spectra"},
    {"experiments.pictures", "experiments.plans", "experiments.tables", "experiments.rows"},
    {"experiments.sets", "experiments.paper", "experiments.statistics", "experiments.store"},
    {"experiments.methods", "experiments"},
    {"learning.summary", "learning.predictions"},
    {"learning.classifier"},
    {"learning.evaluation", "learning.state"},
    {"learning.folds", "learning.files"},
    {"learning.selection"},
    {"learning.krein", "learning.calibration"},
    {"learning.smo", "learning.multiclass", "learning"},
    {"baselines.hashing", "baselines.histogram"},
    {"baselines.subtree", "baselines.rbf", "baselines.hopper"},
    {"baselines.paths"},
    {"baselines.counts"},
    {"baselines.kernel", "baselines"},
    {"explain", "estimators"},
    {"pairwise", "kernels"},
    {"blocks"},
    {"histograms"},
    {"transport.sliced", "transport.sinkhorn"},
    {"transport.exact"},
    {"transport.simplex", "transport.ground", "transport.tree", "embedding", "duals"},
    {"transport", "transport.arrays"},
    {"datasets.description", "datasets.sources"},
    {"datasets", "plots"},
    {
        "datasets.demo",
        "datasets.synthetic",
        "datasets.download",
        "datasets.places",
        "datasets.catalogue",
        "datasets.tables",
    },
    {"formats.anything"},
    {
        "formats.tu",
        "formats.networkx",
        "formats.igraph",
        "formats.pyg",
        "formats.rdkit",
        "formats.arrays",
    },
    {"formats.features", "formats.archive", "formats.numbers"},
    {"formats.labels"},
    {"packing", "formats"},
    {"graphs"},
    {"summary", "threads", "indexing"},
    {"checks", "progress", "optional", "writing"},
]
# The package root is above everything but the command line, which asks it for the version.
ROOT_MAY_BE_ASKED_BY = {"cli"}
OPTIONAL = {"pandas", "networkx", "igraph", "torch", "torch_geometric", "rdkit", "dask", "matplotlib"}
SKLEARN_ROOMS = {
    "estimators",
    "learning.krein",
    "learning.folds",
    "learning.classifier",
    "baselines.kernel",
    "baselines.counts",
    "baselines.hashing",
}

MODULES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
    for path in sorted(ROOT.rglob("*.py"))
}


NUMBA_ROOMS = {module for module in MODULES if module.startswith("transport.")} | {
    "learning.smo",
    "baselines.counts",
    "baselines.paths",
    "baselines.rbf",
    "baselines.hopper",
}


def imports(path: Path, *, top_level_only: bool = False) -> Iterator[str]:
    """Give the modules that a file imports at run time, `if TYPE_CHECKING` left out."""
    skipped: set[ast.AST] = set()
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        type_checking = isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)
        if type_checking or (top_level_only and isinstance(node, ast.FunctionDef)):
            skipped.update(child for child in ast.walk(node) if child is not node)
    for node in ast.walk(tree):
        if node in skipped:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports relatively"
            for alias in node.names:  # `from wassergraph.formats import tu` imports the room formats.tu
                inner = f"{node.module}.{alias.name}"
                yield inner if inner.removeprefix("wassergraph.") in MODULES else node.module


def layer(module: str) -> int:
    return next(number for number, rooms in enumerate(LAYERS) if module in rooms)


def test_every_module_has_a_layer():
    assert set(MODULES) - {"__init__"} == set().union(*LAYERS)


@pytest.mark.parametrize("module", sorted(set(MODULES) - {"__init__"}))
def test_imports_go_down_only(module):
    for imported in imports(MODULES[module]):
        if not imported.startswith("wassergraph"):
            continue
        if imported == "wassergraph":
            assert module in ROOT_MAY_BE_ASKED_BY
            continue
        target = imported.removeprefix("wassergraph.")
        assert layer(target) > layer(module), f"{module} imports {target}, which stands above or beside it"


@pytest.mark.parametrize("module", sorted(MODULES))
def test_heavy_libraries_stay_in_their_rooms(module):
    for imported in imports(MODULES[module]):
        package = imported.split(".")[0]
        assert package != "sklearn" or module in SKLEARN_ROOMS
        assert package != "numba" or module in NUMBA_ROOMS


@pytest.mark.parametrize("module", sorted(MODULES))
def test_optional_libraries_are_imported_inside_functions_only(module):
    top = {imported.split(".")[0] for imported in imports(MODULES[module], top_level_only=True)}
    assert not top & OPTIONAL


@pytest.mark.parametrize("name", ["utils", "common", "base", "helpers"])
def test_no_rooms_without_an_idea(name):
    assert not any(name in module.split(".") for module in MODULES)


def test_the_checker_sees_imports_inside_functions(tmp_path):
    file = tmp_path / "module.py"
    file.write_text("import numpy\ndef f():\n    import networkx.readwrite\n    from sklearn import svm\n")
    assert set(imports(file)) == {"numpy", "networkx.readwrite", "sklearn"}
    assert set(imports(file, top_level_only=True)) == {"numpy"}
    file.write_text("from wassergraph.formats import tu")
    assert set(imports(file)) == {"wassergraph.formats.tu"}
