"""The desk: a page on this machine, on which a designer changes the box of a game and asks what that does."""
