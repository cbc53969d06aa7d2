"""What can be asked, one function a question: the Python interface, and what the commands are made of.

A module here imports nothing that takes long: the command reads its signature and docstring, and calls it once it is meant.
"""
