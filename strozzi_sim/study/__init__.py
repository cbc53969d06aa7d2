"""Studies: which games are played, their counts, tables and verdicts."""
