"""Pictures: declared as data, drawn for pages, as files and on the axes of a user; they know no game and no kind of study."""
