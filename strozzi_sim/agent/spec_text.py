"""Parsing of spec strings: comma-separated lists and nested parentheses."""

from strozzi_sim.errors import InputError, short_repr

MAX_SPEC = 1_000  # characters of a spec string
MAX_NESTED = 8  # nesting levels of agents, and of parentheses


def split_specs(text: str) -> list[str]:
    """Split a comma-separated list of spec strings.

    Commas in parentheses do not separate; a piece with `=` but no `:` before it belongs to the previous agent.
    """
    specs: list[str] = []
    for piece in split_top_level(text, ","):
        head = piece.split("=", 1)[0]
        if specs and "=" in piece and ":" not in head.split("(", 1)[0] and "::" not in head:
            specs[-1] += "," + piece
        else:
            specs.append(piece)
    if any(not spec.strip() for spec in specs):
        raise InputError(f"agents {short_repr(text)}: an empty name between commas")
    return [spec.strip() for spec in specs]


def split_top_level(text: str, separator: str) -> list[str]:
    """Split `text` at every `separator` outside parentheses."""
    pieces, depth, first = [], 0, 0
    for k, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if depth < 0:
            break
        if depth > MAX_NESTED:
            raise InputError(f"agent {short_repr(text)}: at most {MAX_NESTED} nested parentheses")
        if depth == 0 and k >= first and text.startswith(separator, k):
            pieces.append(text[first:k])
            first = k + len(separator)
    if depth != 0:
        raise InputError(f"agent {short_repr(text)}: parentheses do not match")
    return [*pieces, text[first:]]


def strip_parentheses(value: str) -> str:
    """Return a value of a spec string without enclosing parentheses."""
    return value[1:-1] if value.startswith("(") and value.endswith(")") else value


def split_file(text: str) -> tuple[str, str]:
    """Split a spec string at its last `::` outside parentheses into the file, or "" without one, and the rest."""
    *before, rest = split_top_level(text, "::")
    return "::".join(before), rest
