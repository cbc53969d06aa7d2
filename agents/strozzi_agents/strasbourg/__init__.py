"""Agents for Strasbourg: a tunable evaluator, styles made from it, and a search with it as rollout policy."""
