"""Leave out of the reference what classes inherit from other libraries, and what only files of models use."""

from __future__ import annotations

from typing import Any

#: Methods that exchange a model with its file; ``save`` and ``load_model`` are the public ones.
INTERNAL = {"to_state", "from_state"}


def skip_member(_app: Any, _what: str, name: str, member: object, skip: bool, _options: object) -> bool | None:
    """Return True for members to leave out, None for those that the settings decide."""
    function = member.fget if isinstance(member, property) else getattr(member, "__func__", member)
    module = getattr(function, "__module__", None) or ""
    elsewhere = callable(function) and not module.startswith("wassergraph")
    field = type(member).__name__ == "_tuplegetter"  # described in the section Attributes of its class
    return True if name in INTERNAL or elsewhere or field else None


def setup(app: Any) -> dict[str, bool]:
    """Ask autodoc to leave these members out."""
    app.connect("autodoc-skip-member", skip_member)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
