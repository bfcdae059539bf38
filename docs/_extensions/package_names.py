"""Names of the package in docstrings of its modules: ``WWL`` and ``plot.draw_plan`` are found from everywhere."""

from __future__ import annotations

from typing import Any

from docutils.nodes import Element
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

PACKAGE = "wassergraph"


def find_in_package(app: Sphinx, environment: BuildEnvironment, node: pending_xref, content: Element) -> Element | None:
    """Return a reference to what the package has by a name, if the module of the docstring does not have it."""
    if node.get("refdomain") != "py":
        return None
    domain: Any = environment.get_domain("py")
    target = f"{PACKAGE}.{node['reftarget']}"
    reference: Element | None = domain.resolve_xref(
        environment, node["refdoc"], app.builder, node["reftype"], target, node, content
    )
    return reference


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the search."""
    app.connect("missing-reference", find_in_package)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
