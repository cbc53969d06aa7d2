"""A game's report as data: pages, pictures, heat maps, findings, labels, and the tables of figures behind them."""
