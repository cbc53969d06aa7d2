"""Count words that betray riddling prose in code and documents, beside the counts of the day they were listed.

    python benchmarks/prose.py                  # the whole repository
    python benchmarks/prose.py strozzi_sim/play # some files
    python benchmarks/prose.py --lines tell     # the lines of one pattern, by a word of it

Identifiers and a few words of the games count too, so no count need be zero; the aim is a tenth of the sum.
"""

import argparse
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
PLACES = ("strozzi_sim", "agents", "docs", "README.md", "CONTRIBUTING.md", "CHANGELOG.md", "examples")
PATTERNS = {  # pattern: hits when it was listed
    r"\b[Tt](ell|ells|old|elling)\b": 313,
    r'"""(What|How|Who|Where|Which|Whose|That|As)\b': 310,
    r"^ {8,}\w+: (of|as|who|how|what|for|in|to)\b": 256,
    r"\b[Ss]ays\b": 166,
    r"\bwhat is\b": 160,
    r"\b(lies|lie|lay)\b": 117,
    r"\bgives?\b": 114,
    r"\b(stands?|stood)\b": 102,
    r"\b[Nn]one (is|of)\b": 95,
    r"\bsure(ly)?\b": 94,
    r"\b[Nn]obody\b": 93,
    r"\b(is|are|was|were|be|been) asked\b": 88,
    r"\b([Ss]ome|[Aa]ny|[Ee]very)body\b": 86,
    r"\bin words\b": 74,
    r"\bof (one.s|a user.s|their|its|your) own\b": 73,
    r"\b(is|are) none\b": 54,
    r"\bapart\b": 53,
    r"\beven(ly)?\b": 51,
    r"\b[Tt]he same (of|for|as|with|in|by|at)\b": 48,
    r"\b[Ww]hoever\b": 47,
    r"\b[Cc]hance (of|that|to)\b": 46,
    r"\bhand(s|ed)\b": 44,
    r"\b(rows?|games?|decisions?|one|line|seconds) a (game|seat|core|decision|player|round)\b": 44,
    r"\bthat cannot be( |[.,;:]|$)": 41,
    r"\bgo(es|ing|ne)? on\b": 40,
    r"\bthere (is|are) none\b": 37,
    r"\bas (it is|they are)\b": 32,
    r"\b(comes?|came) to\b": 26,
    r"\bso (many|long|much)\b": 26,
    r"\balike\b": 24,
    r"\b(not )?asked for\b": 21,
    r"\b(a|the) person\b": 20,
    r"\bin (the )?place of\b": 17,
    r"\b[Rr]oll-out": 15,
    r"\bours\b": 14,
    r"\b(once more|anew)\b": 13,
    r"\bbesides\b": 12,
    r"\blikewise\b": 9,
    r'"""(All|Everything) that\b': 7,
    r"\bdear(er|est)\b": 5,
    r"\bmakes? no sense\b": 5,
    r"\bspoil(ed|t|s)\b": 5,
    r"\bpassed over\b": 4,
    r"\b(hang|hangs|hung) on\b": 3,
}


def files(places: list[str]) -> list[Path]:
    """Return the tracked text files below these places."""
    command = ["git", "ls-files", "-z", "--", *(places or PLACES)]
    names = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
    return [ROOT / name for name in names if Path(name).suffix in (".py", ".md", ".toml", ".html")]


def main() -> int:
    """Print the counts; return 1 if the sum exceeds a tenth of the listed one."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("places", nargs="*", help="files or folders; default: code and documents")
    parser.add_argument("--lines", metavar="WORD", help="print the lines of the patterns that contain this word")
    given = parser.parse_args()
    texts = {path: path.read_text("utf-8") for path in files(given.places)}
    if given.lines:
        chosen = [re.compile(pattern) for pattern in PATTERNS if given.lines in pattern]
        for path, text in texts.items():
            for number, line in enumerate(text.splitlines(), 1):
                if any(pattern.search(line) for pattern in chosen):
                    print(f"{path.relative_to(ROOT)}:{number}: {line.strip()}")
        return 0
    found = {
        pattern: sum(len(re.findall(pattern, text, re.MULTILINE)) for text in texts.values()) for pattern in PATTERNS
    }
    for pattern, before in PATTERNS.items():
        print(f"{found[pattern]:5} of {before:4}  {pattern}")
    total, listed = sum(found.values()), sum(PATTERNS.values())
    print(f"{total:5} of {listed:4}  in all: {total / listed:.2f}")
    return int(total > listed / 10)


if __name__ == "__main__":
    sys.exit(main())
