"""`python -m strozzi_sim` is the `strozzi` command."""

from strozzi_sim.cli.app import main

main()
