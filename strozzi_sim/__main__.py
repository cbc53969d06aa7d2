"""`python -m strozzi_sim` is the `strozzi` command."""

from strozzi_sim.cli import main

main()
