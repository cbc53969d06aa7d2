"""Reports: turn tables into pictures and one self-contained HTML page; independent of any game."""
