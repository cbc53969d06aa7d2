"""The `strozzi` command."""

import sys
from time import time

BEGAN = time()


def main(arguments: list[str] | None = None) -> None:
    """Run the command and exit with its code."""
    from strozzi_sim.cli.app import run

    sys.exit(run(sys.argv[1:] if arguments is None else arguments))
