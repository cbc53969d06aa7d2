"""Reports: tables -> pictures and one self-contained HTML page. They know how to draw, never what a game is about."""
