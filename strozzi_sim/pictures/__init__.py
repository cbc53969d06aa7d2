"""Pictures of tidy tables, drawn by matplotlib: on a page, in files, in notebooks and on the caller's axes.

A picture can be drawn at any width. A page shows heat maps as HTML tables instead.
"""
