"""One game at a time: positions, records, replays, explanations, leak checks, and what each decision cost."""
