"""Facts: a game's events as rows of tables (`columns`), written into a buffer (`sink`) and counted (`crosstabs`)."""
