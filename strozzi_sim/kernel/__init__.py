"""Compiled code: numba's options, random streams, bit sets, record types and pointers, networks, the journal."""
