"""Pictures of tidy tables, drawn by matplotlib: on a page, in files, in notebooks and on the caller's axes.

Every picture can be drawn wide on a page, with a sentence at every mark, narrow on a phone, and on the caller's axes.
"""
