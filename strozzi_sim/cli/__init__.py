"""The `strozzi` command."""

from time import time

BEGAN = time()  # before anything else is imported
