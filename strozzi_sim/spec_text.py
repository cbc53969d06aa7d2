"""Lists of spec strings, cut into their pieces."""

from strozzi_sim.errors import InputError


def split_specs(text: str) -> list[str]:
    """The spec strings of a comma-separated list.

    Commas in parentheses do not separate; a piece with `=` but no `:` before it belongs to the agent before it.
    """
    specs: list[str] = []
    for piece in cut(text, ","):
        head = piece.split("=", 1)[0]
        if specs and "=" in piece and ":" not in head.split("(", 1)[0]:
            specs[-1] += "," + piece
        else:
            specs.append(piece)
    if any(not spec.strip() for spec in specs):
        raise InputError(f"agents {text!r}: an empty name between commas")
    return [spec.strip() for spec in specs]


def cut(text: str, separator: str) -> list[str]:
    """`text` cut at every `separator` that is not in parentheses."""
    pieces, depth = [""], 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if depth < 0:
            break
        if letter == separator and depth == 0:
            pieces.append("")
        else:
            pieces[-1] += letter
    if depth != 0:
        raise InputError(f"agent {text!r}: parentheses do not match")
    return pieces
