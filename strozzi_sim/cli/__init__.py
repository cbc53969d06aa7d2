"""The `strozzi` command, and its thirteen commands that are not studies.

They record, replay, explain, judge and play games, list packages, and serve tools for assistants.
"""

from time import time

BEGAN = time()  # before anything else is imported
