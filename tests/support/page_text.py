"""What a page says, and that it needs nothing but itself."""

import re


def text_of(page):
    text = re.sub(r"<(svg|style).*?</\1>", " ", page, flags=re.DOTALL)
    return " ".join(re.sub(r"<[^>]+>", " ", text).split())


def assert_stands_alone(page):
    assert not re.search(r'(src|href)="(?!#)', page)
    assert not re.search(r"<script[^>]* src|@import|url\((?!#)", page)
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    assert set(re.findall(r'href="#([^"]+)"', page)) <= set(ids)
