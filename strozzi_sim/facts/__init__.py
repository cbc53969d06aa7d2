"""Facts: what happened, as rows of tables with documented columns, and the one way to count them.

A game declares its tables (`columns`). While games are played its handlers write rows into a buffer (`sink`), and every few
games one kernel (`counting`) adds the rows to the cubes that a plan of crosstabs asks for (`crosstabs`): exact integers, so
chunks can be added in any order. Nothing here knows a game.
"""
