"""The `strozzi` command, and commands that play no study."""

from time import time

BEGAN = time()  # before the command's other imports
