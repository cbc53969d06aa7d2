"""Pictures of tidy tables, drawn by matplotlib: on a page, in files, in notebooks and on the caller's axes.

The room is large because a picture is drawn in three ways: with room for a sentence at every mark on a page, narrow on a phone, and on the
caller's axes.
"""
