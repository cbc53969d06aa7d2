"""Agents for Strasbourg: a tunable evaluator, the styles made from it, and a search that plays it on."""
