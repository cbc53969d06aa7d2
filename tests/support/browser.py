"""Tests in a browser: Debian's chromium, which .ci/run requires, and the rules of axe that pages keep."""

import os
import re
import shutil
from contextlib import contextmanager

import pytest

from needed import need

Axe = need("axe_playwright_python.sync_playwright").Axe
_playwright = need("playwright.sync_api")
expect, sync_playwright = _playwright.expect, _playwright.sync_playwright

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
NEEDS_CHROMIUM = pytest.mark.skipif(
    CHROMIUM is None and os.environ.get("STROZZI_BROWSER") != "required", reason="no chromium is installed"
)
RULES = {
    "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    "resultTypes": ["violations"],
}
PATIENCE = 180_000  # milliseconds: an agent may be compiled first, by a machine that is slow and busy
expect.set_options(timeout=PATIENCE)


@contextmanager
def chromium():
    """Start a browser, and close it in the end."""
    assert CHROMIUM, "no chromium: apt-get install chromium"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@contextmanager
def watched(browser, local, excused="(?!)"):
    """Yield a function that opens an address in a context of its own; in the end no page may have complained.

    Args:
        browser: a browser.
        local: beginnings of the addresses that pages may ask for.
        excused: regular expression of complaints that are expected.
    """
    said, asked, contexts = [], [], []

    def open_page(address, width=1280, height=900, **options):
        contexts.append(browser.new_context(viewport={"width": width, "height": height}, **options))
        contexts[-1].set_default_timeout(PATIENCE)
        page = contexts[-1].new_page()
        page.on("console", lambda message: said.append(message.text) if message.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("request", lambda request: asked.append(request.url))
        page.goto(address)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert [text for text in said if not re.search(excused, text)] == []
    assert [address for address in asked if not address.startswith(local)] == []


def violations(page):
    """Return the rules of axe that a page breaks, each with the element and the reason."""
    found = Axe().run(page, options=RULES).response
    assert len(found["passes"]) > 10
    broken = [(each["id"], node) for each in found["violations"] for node in each["nodes"]]
    return [(rule, node["html"][:160], node["failureSummary"]) for rule, node in broken]
