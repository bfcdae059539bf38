"""Which part of the code may import which, read off the syntax trees: the graph drawn in CONTRIBUTING.md."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

from rules import for_each

ROOT = Path(__file__).parents[2] / "src" / "wassergraph"


def drawn_graph() -> dict[str, set[str]]:
    """Read the graph that CONTRIBUTING.md draws: each part of the package, and the parts directly below it."""
    text = (ROOT.parents[1] / "CONTRIBUTING.md").read_text(encoding="utf-8")
    section = text.partition("Which part may import which")[2].partition("A public function")[0]
    below: dict[str, set[str]] = {}
    for line in section.splitlines():
        part, arrow, parts = line.partition("→")
        if arrow:
            below[part.strip()] = {name.strip() for name in parts.split(",")}
    return below | {leaf: set() for leaf in set().union(*below.values()) - set(below)}


# A part may import those directly below it, and all that these may import.
BELOW = drawn_graph() | {"__main__": {"cli"}}
# A public function takes graphs of any sort, which this module recognizes.
FRONT_DOOR = "formats.detect"
HAVE_PUBLIC_FUNCTIONS = set(BELOW) - {
    "arrays",
    "errors",
    "lazy",
    "optional",
    "files",
    "parallel",
    "graphs",
    "notebook",
    "status",
}
# A metric that is fitted computes distances, inside a function; what computes them is above metrics, which it needs.
CALLED_BACK = {("metrics.wwl", "pairwise.api")}
# The compiled core, which imports nothing, and the parts that call it; the command line prints its level.
CORE = "wassergraph._core"
CALL_THE_CORE = {"baselines", "cli", "pairwise", "kernels", "metrics", "learners", "search"}
# Compilers that nothing may need at run time: the core is compiled when it is installed.
COMPILERS = {"numba", "llvmlite", "cython", "cffi"}
# What a third-party library may be imported by; an optional one, besides, inside functions only.
ONLY_IN = {"dask": ("parallel.dask",), "distributed": ("parallel.dask",), "zarr": ("pairwise.store",)}
OPTIONAL = {"pandas", "polars", "networkx", "igraph", "torch", "torch_geometric", "rdkit", "dask", "zarr", "matplotlib"}

MODULES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
    for path in sorted(ROOT.rglob("*.py"))
}
INNER = sorted(set(MODULES) - {"__init__"})


def imports(path: Path, *, top_level_only: bool = False) -> Iterator[str]:
    """Yield the modules that a file imports, also inside functions and for type checking."""
    text = path.read_text(encoding="utf-8")
    yield from _imports(text, top_level_only)


@functools.cache
def _imports(text: str, top_level_only: bool) -> list[str]:
    return list(_find_imports(text, top_level_only))


def _find_imports(text: str, top_level_only: bool) -> Iterator[str]:
    skipped: set[ast.AST] = set()
    tree = ast.parse(text)
    for node in ast.walk(tree):
        type_checking = isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)
        if top_level_only and (type_checking or isinstance(node, ast.FunctionDef)):
            skipped.update(child for child in ast.walk(node) if child is not node)
    for node in ast.walk(tree):
        if node in skipped:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative import"
            for alias in node.names:  # `from wassergraph.formats import tu` imports the module formats.tu
                inner = f"{node.module}.{alias.name}"
                yield inner if inner == CORE or inner.removeprefix("wassergraph.") in MODULES else node.module


def own_imports(module: str) -> set[str]:
    """Return the modules of this package that a module imports."""
    found = {name for name in imports(MODULES[module]) if name.partition(".")[0] == "wassergraph"} - {CORE}
    return {name.partition(".")[2] for name in found} - {""}


def part_of(module: str) -> str:
    return module.partition(".")[0]


def all_below(part: str) -> set[str]:
    below = set(BELOW[part])
    return below.union(*(all_below(other) for other in below))


def test_the_drawn_graph_has_every_part_and_no_cycle():
    assert set(BELOW) == {part_of(module) for module in INNER}
    list(TopologicalSorter(BELOW).static_order())  # raises CycleError


@for_each(sorted(BELOW))
def test_every_drawn_arrow_is_used(part):
    """An arrow that no import needs would allow more than the code does."""
    imported = {part_of(name) for module in INNER if part_of(module) == part for name in own_imports(module)}
    for other in BELOW[part]:
        needed = imported & ({other} | all_below(other))
        elsewhere = set().union(*({third} | all_below(third) for third in BELOW[part] - {other}))
        assert needed - elsewhere, f"{part} imports nothing of {other} that it could not import otherwise"


@for_each(INNER)
def test_imports_follow_the_drawn_graph(module):
    part = part_of(module)
    for imported in own_imports(module):
        if (imported == FRONT_DOOR and part in HAVE_PUBLIC_FUNCTIONS) or (module, imported) in CALLED_BACK:
            continue
        allowed = {part} | all_below(part)
        assert part_of(imported) in allowed, f"{module} imports {imported}, but {part} is not above it"


def test_no_two_modules_import_each_other():
    graph = {module: own_imports(module) - {module} for module in INNER}
    # A type may be named where it cannot be imported: what makes a batch valid is checked apart from the batch.
    graph["graphs.invariants"] -= {"graphs.flat_graphs"}
    for module in ("joining", "line_graph", "one_hot", "subgraphs", "summary", "to_networkx"):
        graph[f"graphs.{module}"] -= {"graphs.batch"}
    for module, called in CALLED_BACK:
        graph[module] -= {called}
    list(TopologicalSorter(graph).static_order())  # raises CycleError


def test_the_package_hands_pictures_down_to_batches():
    """Graphs may not import the pictures that a notebook shows of them; the package, which is above both, does."""
    assert own_imports("__init__") == {"notebook", "lazy", "graphs.batch", "pictures.thumbnails"}


@for_each(INNER)
def test_the_package_itself_is_asked_for_its_version_only(module):
    assert "wassergraph" not in set(imports(MODULES[module])) or module.startswith("cli.")


@for_each(sorted(MODULES))
def test_heavy_libraries_stay_in_their_parts(module):
    for package in {imported.partition(".")[0] for imported in imports(MODULES[module])}:
        assert package not in COMPILERS
        assert package not in ONLY_IN or module in ONLY_IN[package]


@for_each(sorted(MODULES))
def test_optional_libraries_are_imported_inside_functions_only(module):
    top = {imported.partition(".")[0] for imported in imports(MODULES[module], top_level_only=True)}
    assert not top & OPTIONAL


@for_each(["benchmarks", "docs", "examples", "tests"])
def test_nothing_around_the_package_compiles_either(folder):
    for path in sorted((ROOT.parents[1] / folder).rglob("*.py")):
        assert not {name.partition(".")[0] for name in imports(path)} & {"numba", "llvmlite"}, path


def test_the_core_is_called_by_the_parts_that_compute():
    called = {module: {name for name in imports(MODULES[module]) if name.startswith(CORE)} for module in INNER}
    assert {part_of(module) for module, names in called.items() if names} == CALL_THE_CORE
    assert set().union(*called.values()) == {CORE}  # what is below it is for tests
    assert {module for module in INNER if module.startswith("cli.") and called[module]} == {"cli.main"}


def functions_of(module: str) -> Iterator[ast.FunctionDef]:
    """Yield the functions and methods of a module."""
    tree = ast.parse(MODULES[module].read_text(encoding="utf-8"))
    yield from (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))


@for_each(sorted(MODULES))
def test_files_are_short(module):
    assert len(MODULES[module].read_text(encoding="utf-8").splitlines()) <= 400


@for_each(sorted(MODULES))
def test_functions_are_short(module):
    """A function has at most 45 lines, without its signature and its docstring."""
    for function in functions_of(module):
        body = function.body[1:] if ast.get_docstring(function) else function.body
        assert not body or function.end_lineno - body[0].lineno < 45, function.name


@for_each(sorted(MODULES))
def test_signatures_are_short(module):
    """A function has at most 12 parameters, besides self and cls."""
    for function in functions_of(module):
        given = function.args
        names = {each.arg for each in (*given.posonlyargs, *given.args, *given.kwonlyargs)} - {"self", "cls"}
        assert len(names) <= 12, function.name


@for_each(sorted(MODULES))
def test_the_parameters_of_the_metric_are_listed_in_few_places(module):
    """WWL lists them; files and evaluations of matrices have a list of their own."""
    few = {
        "metrics.wwl",
        "metrics.node_embedding",
        "evaluation.matrices",
        "pairwise.recipe",
        "models.model_files.parts",
    }
    found = sum(len(names & METRIC) >= 4 for names in listed_names(module))
    assert found <= 2 if module in few else not found


#: What says how graphs are compared, by the names of parameters, of fields, and of earlier versions.
METRIC = {"depth", "kind", "standardize", "label_weight", "edge_labels", "degrees", "mass", "size_weight"} | {
    *("isolated", "isolated_nodes", "unmatched", "unmatched_cost", "depths", "masses", "standardized"),
}


def listed_names(module: str) -> Iterator[set[str]]:
    """Yield the names of each signature, call, class of data, dictionary and list of texts of a module."""
    for node in ast.walk(ast.parse(MODULES[module].read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef):
            yield {each.arg for each in (*node.args.args, *node.args.kwonlyargs)}
        elif isinstance(node, ast.Call):
            yield {each.arg for each in node.keywords if each.arg}
        elif isinstance(node, ast.ClassDef):
            yield {each.target.id for each in node.body if isinstance(each, ast.AnnAssign)}
        elif isinstance(node, ast.Dict | ast.Tuple | ast.List | ast.Set):
            elements = node.keys if isinstance(node, ast.Dict) else node.elts
            yield {each.value for each in elements if isinstance(each, ast.Constant) and isinstance(each.value, str)}


def defined_names(module: str) -> set[str]:
    """Return the names that a module defines at its top, without those that begin with an underscore."""
    names = set()
    for node in ast.parse(MODULES[module].read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        names |= {each.id for each in targets if isinstance(each, ast.Name)}
    return {name for name in names if not name.startswith("_")}


def test_no_name_stands_for_two_things():
    """A command has a function ``add_parser`` and a function ``run``, in a module of its own."""
    modules: dict[str, list[str]] = {}
    for module in INNER:
        for name in defined_names(module) - ({"add_parser", "run"} if module.startswith("cli.") else set()):
            modules.setdefault(name, []).append(module)
    assert {name: found for name, found in modules.items() if len(found) > 1} == {}


@for_each(["utils", "common", "base", "helpers"])
def test_every_module_is_named_after_an_idea(name):
    assert not any(name in module.split(".") for module in MODULES)


def test_the_checker_sees_imports_inside_functions_and_for_type_checking(tmp_path):
    file = tmp_path / "module.py"
    file.write_text(
        "import numpy\nfrom typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import scipy\n"
        "def f():\n    import networkx.readwrite\n    from sklearn import svm\n"
    )
    assert set(imports(file)) == {"numpy", "typing", "scipy", "networkx.readwrite", "sklearn"}
    assert set(imports(file, top_level_only=True)) == {"numpy", "typing"}
    file.write_text("from wassergraph.formats import arrays")
    assert set(imports(file)) == {"wassergraph.formats.arrays"}
