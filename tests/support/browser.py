"""Tests in a browser: Debian's chromium, which .ci/run requires, and the rules of axe that pages keep."""

import os
import shutil
from contextlib import contextmanager

import pytest
from playwright.sync_api import expect, sync_playwright

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
NEEDS_CHROMIUM = pytest.mark.skipif(
    CHROMIUM is None and os.environ.get("STROZZI_BROWSER") != "required", reason="no chromium is installed"
)
RULES = {
    "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    "resultTypes": ["violations"],
}
expect.set_options(
    timeout=60_000
)  # milliseconds: an agent that is compiled first takes longer than the usual 5 seconds


@contextmanager
def chromium():
    """Start a browser, and close it in the end."""
    assert CHROMIUM, "no chromium: apt-get install chromium"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()
