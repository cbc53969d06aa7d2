"""The documentation site is built without a warning, and its links lead somewhere."""

import os
import re
import subprocess
import sys

from needed import need
from paths import ROOT


def test_the_site_is_built_without_a_warning_and_has_what_pages_link_to(tmp_path):
    need("mkdocs")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path)],
        cwd=ROOT, capture_output=True, text=True, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr
    assert 'not included in the "nav"' not in done.stderr
    pages = [file.relative_to(tmp_path).as_posix() for file in tmp_path.rglob("*.html")]
    assert {"index.html", "readme/index.html", "api/index.html", "rules/strasbourg/index.html"} <= set(pages)
    for page in pages:
        place = tmp_path / page
        for link in re.findall(r'<(?:a|img)[^>]* (?:href|src)="([^"#:?]+)["#]', place.read_text("utf-8")):
            if page != "404.html":  # its links begin at the site's root
                assert (place.parent / link).exists(), f"{page}: {link}"
