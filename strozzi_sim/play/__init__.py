"""One game at a time: positions, records, replays, explanations, leak checks.

The room is large because a game is also judged here: what each decision cost, who was lucky, and what a seat could not know.
"""
