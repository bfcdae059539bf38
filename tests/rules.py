"""Rules that hold for many things, such as all modules or all public names, checked by one test each."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any


def for_each(things: Iterable[Any]) -> Callable[[Callable[[Any], None]], Callable[[], None]]:
    """Make a test of a function that asserts something of one thing; it names all things that break the rule."""

    things = list(things)
    assert things, "there is nothing to check the rule for"

    def decorate(rule: Callable[[Any], None]) -> Callable[[], None]:
        def test() -> None:
            broken = {}
            for thing in things:
                try:
                    rule(thing)
                except AssertionError as error:
                    broken[thing] = str(error)
            assert not broken, "\n".join(f"{thing}: {problem}" for thing, problem in broken.items())

        test.__name__, test.__doc__, test.__module__ = rule.__name__, rule.__doc__, rule.__module__
        return test

    return decorate
