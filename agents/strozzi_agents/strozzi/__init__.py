"""Agents for Strozzi: greedy, a tunable evaluator, and the styles made from it."""
