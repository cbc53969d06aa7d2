"""The `strozzi` command.

The room is large because thirteen commands are not studies: games are recorded, replayed, explained, judged and played in the terminal,
packages listed, and tools for assistants served.
"""

from time import time

BEGAN = time()  # before anything else is imported
