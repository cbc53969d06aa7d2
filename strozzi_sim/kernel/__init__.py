"""Lowest layer: compile options, cache folder, random streams, bit sets, record pointers, the journal."""
