"""mcp: the tools that an assistant calls over the Model Context Protocol, and the server that offers them.

A tool is a function of plain values that returns plain values. Its signature and docstring make its schema; the libraries
of the protocol are imported by `server` only.
"""
