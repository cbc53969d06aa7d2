"""Pictures of tidy tables, drawn by matplotlib: on a page, in files, in notebooks and on anybody's axes."""
