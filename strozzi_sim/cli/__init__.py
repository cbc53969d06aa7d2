"""The `strozzi` command.

The room is large because thirteen commands are no study: games told in words, recorded, replayed, judged and played in the terminal, lists of
what is installed, and the tools for assistants.
"""

from time import time

BEGAN = time()  # before anything else is imported
