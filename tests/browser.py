"""A headless Chromium for the tests of pages."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

#: Names of the program, in the order in which they are looked for.
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "chrome")
ABSENT = (
    "there is no Chromium: install one, such as Debian's package chromium-headless-shell, or name the program in the "
    "environment variable WASSERGRAPH_CHROMIUM"
)


def find_chromium() -> str | None:
    """Return the path of a Chromium, or None if there is none."""
    named = os.environ.get("WASSERGRAPH_CHROMIUM")
    if named:
        return named
    return next((path for name in NAMES if (path := shutil.which(name))), None)


@contextmanager
def running_browser() -> Iterator[Any]:
    """Yield a browser of Playwright; skip the test if there is none, or let it fail if that is required."""
    program = find_chromium()
    if program is None:
        if os.environ.get("WASSERGRAPH_REQUIRE_BROWSER"):
            pytest.fail(ABSENT)
        pytest.skip(ABSENT)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        try:
            yield browser
        finally:
            browser.close()


class Visitor:
    """A tab of a browser without a network, which notes every request and every error of the pages that it opens."""

    def __init__(self, context: Any) -> None:
        self.tab = context.new_page()
        self.requests: list[str] = []
        self.errors: list[str] = []
        self.tab.on("request", lambda request: self.requests.append(request.url))
        self.tab.on("pageerror", lambda error: self.errors.append(str(error)))
        self.tab.on("console", lambda message: self.errors.append(message.text) if message.type == "error" else None)

    def open(self, file: Path, fragment: str = "") -> Any:
        """Open a page and wait until it shows a plan; return the tab."""
        self.tab.goto(f"{file.resolve().as_uri()}{fragment}")
        self.wait()
        return self.tab

    def wait(self) -> None:
        """Wait until the page shows the plan of the selected graphs."""
        self.tab.wait_for_selector("body[data-ready] #pair-panel[aria-busy=false]")

    def select(self, a: int, b: int) -> None:
        """Change the address so that two graphs are selected, and wait until their plan is shown."""
        self.tab.evaluate(f"location.hash = '#a={a}&b={b}'")
        self.tab.wait_for_selector(f'#pair-panel[data-pair="{a} {b}"]')

    def text(self, selector: str) -> str:
        """Return the text of an element."""
        return str(self.tab.inner_text(selector))
