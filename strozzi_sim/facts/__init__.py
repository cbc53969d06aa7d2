"""Facts: the events of a game as rows of tables with documented columns, and the code that counts them.

A game declares its tables (`columns`). During play its handlers write rows into a buffer (`sink`). Every few games one
kernel (`counting`) adds the rows to the cubes of a plan of crosstabs (`crosstabs`): exact integers, so chunks can be
added in any order. This package is independent of any game.
"""
