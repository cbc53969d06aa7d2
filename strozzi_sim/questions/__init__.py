"""One public function for each question: the Python interface, from whose signatures the commands are made.

Modules here import nothing slow at the top, because `strozzi --help` reads their signatures and docstrings.
"""
