"""Many games: the compiled and the mixed loop, matches, the pool of workers, `VectorEnv`, and playouts."""
