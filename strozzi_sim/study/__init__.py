"""Studies: which games are played, their counts, tables and verdicts.

The room is large because eleven kinds of study each bring their own statistics and sentences (about half of it), and
because a run may be killed, extended, played in parts, on a cluster, or until a precision, with the same bytes.
"""
