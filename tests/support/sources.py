"""The code of the repository, read and parsed once."""

import ast
from functools import cache


@cache
def text_of(file):
    return file.read_text("utf-8")


@cache
def tree_of(file):
    return ast.parse(text_of(file))
