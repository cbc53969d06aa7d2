"""Self-play: the compiled loop over whole games, and the pool of workers that runs it."""
