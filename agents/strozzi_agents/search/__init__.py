"""Agents that search: flat Monte Carlo and information-set MCTS, written once against the games' verbs."""
