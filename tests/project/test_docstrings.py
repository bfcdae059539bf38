"""The docstrings of public names: that they have all sections, and that these agree with the code.

That the examples run is checked by ``--doctest-modules``.
"""

from __future__ import annotations

import ast
import builtins
import doctest
import inspect
import re
import textwrap
from collections.abc import Iterator
from functools import cache
from typing import Any

from numpydoc.docscrape import NumpyDocString, Parameter

import wassergraph
from rules import for_each

TOP = {name: getattr(wassergraph, name) for name in wassergraph.__all__ if name != "__version__"}
MODULES = {name for name, thing in TOP.items() if inspect.ismodule(thing)}
THINGS = {name: thing for name, thing in TOP.items() if name not in MODULES} | {
    f"{module}.{name}": getattr(TOP[module], name) for module in MODULES for name in TOP[module].__all__
}
CLASSES = {name: thing for name, thing in THINGS.items() if inspect.isclass(thing)}
FUNCTIONS = {name: thing for name, thing in THINGS.items() if not inspect.isclass(thing)}

# How the summary of a function or method may begin. That of a class is a noun phrase.
VERBS = {
    *("Add", "Append", "Check", "Compare", "Compile", "Compute", "Convert", "Count", "Describe", "Draw", "Embed"),
    *("Estimate", "Explain", "Find", "Fit", "Generate", "Iterate", "Learn", "Load", "Make", "Open", "Predict", "Read"),
    *("Replace", "Return", "Write"),
}
# Attributes that scikit-learn sets, so that no line of ours does.
OF_SKLEARN = {"n_features_in_"}
# A switch between the kernels that count labels, which is not for users.
INNER = {"intersect"}


def public_members(kind: type) -> Iterator[tuple[str, Any]]:
    """Yield the public methods and properties that are written in this package, inherited ones included."""
    for name in dir(kind):
        member = inspect.getattr_static(kind, name)
        function = member.fget if isinstance(member, property) else getattr(kind, name)
        # Methods such as set_fit_request are made by scikit-learn.
        if not name.startswith("_") and str(getattr(function, "__module__", "")).startswith("wassergraph."):
            yield name, member if isinstance(member, property) else function


METHODS = {
    f"{name}.{member}": function
    for name, kind in CLASSES.items()
    for member, function in public_members(kind)
    if not isinstance(function, property)
}
ALL = THINGS | METHODS


@cache
def documentation(name: str) -> NumpyDocString:
    """Return the parsed docstring of a public name or of a method, as in "GraphIndex.query"."""
    return NumpyDocString(inspect.getdoc(ALL[name]) or "")


def entries(name: str, *sections: str) -> dict[str, Parameter]:
    """Return the entries of sections by name; one entry may be about several names."""
    listed = [entry for section in sections for entry in documentation(name)[section]]
    return {each.lstrip("*"): entry for entry in listed for each in re.split(r",\s*", entry.name)}


def parameters(name: str) -> list[str]:
    return [each for each in inspect.signature(ALL[name]).parameters if each != "self"]


def attributes(kind: type) -> set[str]:
    """Return the public attributes of instances: fields of data classes, properties, and what methods assign."""
    names = {name for name, member in public_members(kind) if isinstance(member, property)}
    for each in kind.__mro__:
        if each.__module__.startswith("wassergraph."):
            names |= inspect.get_annotations(each).keys()
            tree = ast.parse(textwrap.dedent(inspect.getsource(each)))
            stored = [node for node in ast.walk(tree) if isinstance(node, ast.Attribute)]
            names |= {node.attr for node in stored if isinstance(node.ctx, ast.Store) and is_self(node.value)}
    return {name for name in names if not name.startswith("_")}


def is_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "self"


def is_estimator(kind: type) -> bool:
    return hasattr(kind, "fit")


def has_type(name: str, parameter: str, section: str) -> bool:
    """Return whether the type of a parameter is told, there or where its description refers to."""
    entry = entries(name, section).get(parameter)
    if entry is None or entry.type:
        return entry is not None
    owner = name.rpartition(".")[0]
    references = re.findall(r":(func|class|meth):`([\w.]+)`", " ".join(entry.desc))
    targets = [target.removeprefix("wassergraph.") for _, target in references]
    full = [target if target in ALL else f"{owner}.{target}" for target in targets]
    return any(target in ALL and has_type(target, parameter, section) for target in full)


@for_each(sorted(THINGS))
def test_sections(name):
    missing = [section for section in ("See Also", "Examples") if not documentation(name)[section]]
    if name in CLASSES:
        missing += [] if documentation(name)["Attributes"] else ["Attributes"]
    assert not missing


@for_each(sorted({**FUNCTIONS, **METHODS}))
def test_functions_and_methods_begin_with_a_verb(name):
    assert documentation(name)["Summary"][0].split()[0].rstrip(",") in VERBS


@for_each(sorted(CLASSES))
def test_classes_begin_with_a_noun(name):
    assert documentation(name)["Summary"][0].split()[0] not in VERBS | {"How", "What", "Whether"}


@for_each(sorted(ALL))
def test_the_summary_is_one_line(name):
    assert len(documentation(name)["Summary"]) == 1


@for_each(sorted({**FUNCTIONS, **METHODS}))
def test_parameters_of_functions_and_methods(name):
    assert set(entries(name, "Parameters")) == set(parameters(name))


@for_each(sorted(CLASSES))
def test_parameters_of_classes(name):
    # Users do not make results, and read their fields: there, these are attributes.
    sections = ("Parameters",) if documentation(name)["Parameters"] else ("Attributes",)
    assert not is_estimator(CLASSES[name]) or sections == ("Parameters",)
    assert set(parameters(name)) - set(entries(name, *sections)) == set()
    assert set(entries(name, "Parameters")) - set(parameters(name)) == set()


@for_each(sorted(CLASSES))
def test_attributes_of_classes(name):
    documented, existing = set(entries(name, "Attributes")), attributes(CLASSES[name])
    assert documented - existing - OF_SKLEARN == set()
    assert existing - documented - set(parameters(name)) - INNER == set()


@for_each(sorted(ALL))
def test_parameters_and_attributes_have_a_type_and_a_description(name):
    for section in ("Parameters", "Attributes"):
        assert [each for each in entries(name, section) if not has_type(name, each, section)] == []
        assert [each for each, entry in entries(name, section).items() if not entry.desc] == []


@for_each(sorted({**FUNCTIONS, **METHODS}))
def test_results(name):
    result = documentation(name)["Returns"] + documentation(name)["Yields"]
    assert bool(result) == (str(inspect.signature(ALL[name]).return_annotation) != "None")
    assert [entry for entry in result if not entry.desc and (entry.name or entry.type) != "self"] == []


@for_each(sorted(THINGS))
def test_see_also_names_other_public_names_and_says_what_they_are(name):
    listed = [(each, text) for names, text in documentation(name)["See Also"] for each, _ in names]
    assert {each for each, _ in listed} <= THINGS.keys() - {name}
    assert len({each for each, _ in listed}) == len(listed)
    assert all(text for _, text in listed)


@for_each(sorted(CLASSES))
def test_properties_are_described(name):
    properties = [member for _, member in public_members(CLASSES[name]) if isinstance(member, property)]
    assert all(inspect.getdoc(each) for each in properties)


@for_each(sorted(ALL))
def test_references_exist(name):
    text = inspect.getdoc(ALL[name]) or ""
    for role, target in re.findall(r":(func|class|meth):`~?([\w.]+)`", text):
        if role == "meth" and "." not in target:
            target = f"{name if name in CLASSES else name.rpartition('.')[0]}.{target}"
        assert target.removeprefix("wassergraph.") in ALL or target.split(".")[0] in ("numpy", "sklearn")


@for_each(sorted(ALL))
def test_examples_can_be_copied(name):
    """Examples import what they use, although they run in the module that contains them."""
    examples = doctest.DocTestParser().get_examples(inspect.getdoc(ALL[name]) or "")
    assert all(doctest.SKIP not in example.options for example in examples)
    nodes = list(ast.walk(ast.parse("".join(example.source for example in examples))))
    names = [node for node in nodes if isinstance(node, ast.Name)]
    imported = {alias.asname or alias.name for node in nodes for alias in getattr(node, "names", ())}
    defined = imported | {node.id for node in names if isinstance(node.ctx, ast.Store)}
    assert {node.id for node in names} - defined - vars(builtins).keys() == set()
