"""Pages of results, of an analysed game and of recorded games, and tables for a spreadsheet."""
