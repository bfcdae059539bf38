"""The files around the code: version, lowest versions, durations, workflows, and the source distribution."""

from __future__ import annotations

import ast
import json
import os
import re
import tomllib
from pathlib import Path

import pytest
import yaml

import wassergraph
from lowest_versions import lowest_versions

ROOT = Path(__file__).parents[2]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
YAML = [
    *ROOT.glob(".github/**/*.yml"),
    *(ROOT / name for name in (".pre-commit-config.yaml", "CITATION.cff", "conda/recipe.yaml")),
]


def functions(file: Path) -> set[str]:
    """Return the names of the functions at the top of a file, as they are listed in tests/durations.json."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    name = file.relative_to(ROOT / "tests").as_posix()
    return {f"{name}::{node.name}" for node in tree.body if isinstance(node, ast.FunctionDef)}


def test_the_version_is_that_of_the_package():
    assert wassergraph.__version__ == PYPROJECT["project"]["version"]


def test_the_conda_recipe_has_the_version_and_the_dependencies_of_the_package():
    recipe = yaml.safe_load((ROOT / "conda" / "recipe.yaml").read_text(encoding="utf-8"))
    project, wanted = PYPROJECT["project"], [f"python {PYPROJECT['project']['requires-python']}"]
    wanted += [re.sub(r"(?=[<>=])", " ", name, count=1) for name in project["dependencies"]]
    built_with = [re.sub(r"(?=[<>=])", " ", name, count=1) for name in PYPROJECT["build-system"]["requires"]]
    assert recipe["context"]["version"] == project["version"]
    assert sorted(recipe["requirements"]["run"]) == sorted(wanted)
    assert set(built_with) <= set(recipe["requirements"]["host"])
    entries = [f"{name} = {function}" for name, function in project["scripts"].items()]
    assert recipe["build"]["python"]["entry_points"] == entries


def test_links_of_the_readme_are_absolute_in_the_package():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for rule in PYPROJECT["tool"]["hatch"]["metadata"]["hooks"]["fancy-pypi-readme"]["substitutions"]:
        text = re.sub(rule["pattern"], rule["replacement"], text)
    targets = re.findall(r"\]\(([^)]+)\)", text)
    assert targets
    assert [target for target in targets if not target.startswith(("https://", "#"))] == []


def test_the_citation_leaves_the_version_to_the_package():
    assert "version" not in yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", YAML, ids=lambda path: path.name)
def test_yaml_can_be_read(path):
    assert isinstance(yaml.safe_load(path.read_text(encoding="utf-8")), dict)


def test_the_workflow_runs_every_python_of_the_classifiers():
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "test.yml").read_text(encoding="utf-8"))
    matrix = workflow["jobs"]["test"]["strategy"]["matrix"]
    prefix = "Programming Language :: Python :: "
    versions = [line.removeprefix(prefix) for line in PYPROJECT["project"]["classifiers"] if line.startswith(prefix)]
    assert matrix["python-version"] == [version for version in versions if version.startswith("3.")]
    assert len(matrix["os"]) == 3


def test_the_extra_all_holds_every_other_one():
    extras = PYPROJECT["project"]["optional-dependencies"]
    (everything,) = extras["all"]
    names = everything.removeprefix("wassergraph[").removesuffix("]").split(",")
    assert set(names) == extras.keys() - {"all", "molecules"}


def test_every_dependency_has_a_lower_bound():
    versions = lowest_versions()
    assert "numpy==1.26" in versions
    assert all(version.count("==") == 1 for version in versions)


def test_targets_of_make_have_a_help_text():
    lines = (ROOT / "Makefile").read_text(encoding="utf-8").splitlines()
    (targets,) = [line.removeprefix(".PHONY: help ").split() for line in lines if line.startswith(".PHONY")]
    texts = [line.split('"make ')[1].split()[0] for line in lines if line.startswith('\t@echo "make ')]
    assert sorted(texts) == sorted(targets)


def test_slow_tests_are_functions_that_exist():
    recorded = set(json.loads((ROOT / "tests" / "durations.json").read_text(encoding="utf-8")))
    files = ROOT.glob("tests/*/test_*.py")
    assert recorded - set().union(*map(functions, files)) == set()  # after a renaming, rename it there too


def test_the_script_of_the_checks_can_be_run():
    script = ROOT / ".ci" / "run"
    assert script.read_text(encoding="utf-8").startswith("#!/usr/bin/env bash\n")
    assert os.name == "nt" or os.access(script, os.X_OK)


def test_a_source_distribution_holds_all_that_is_built_and_that_tests_read():
    """It has every file that git does not ignore, but for those that are excluded."""
    settings = PYPROJECT["tool"]["scikit-build"].get("sdist", {})
    left_out = [*settings.get("exclude", []), *(ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()]
    needed = {
        "core",
        "src",
        "tests",
        "benchmarks",
        "docs",
        "examples",
        "results",
        "conda",
        ".ci",
        ".github",
        "Makefile",
    }
    assert all((ROOT / name).exists() for name in needed)
    assert not needed & {pattern.strip("/") for pattern in left_out}
