"""Many games: the compiled loop over whole games, matches, and the pool of workers."""
