"""strozzi-sim: plays Renaissance Eurogames millions of times and says what that teaches."""
