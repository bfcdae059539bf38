"""Public names that are loaded when they are first used, so that importing a package costs next to nothing.

They are listed in the ``__init__.pyi`` of a package, once, for type checkers and for the package itself.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from importlib import import_module
from pkgutil import get_data


def public_names(package: str) -> dict[str, str]:
    """Return the module of every public name of a package, as its stub file lists them; modules are in themselves."""
    tree = ast.parse(get_data(package, "__init__.pyi") or b"")
    imports = [node for node in tree.body if isinstance(node, ast.ImportFrom)]
    return {alias.name: str(node.module) for node in imports for alias in node.names}


def attach(package: str) -> tuple[Callable[[str], object], Callable[[], list[str]], list[str]]:
    """Return ``__getattr__``, ``__dir__`` and ``__all__`` of a package."""
    modules = public_names(package)

    def load(name: str) -> object:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module = modules[name]
        return import_module(f"{package}.{name}") if module == package else getattr(import_module(module), name)

    return load, lambda: sorted(modules), sorted(modules)
