"""The `strozzi` command, and commands that play no study."""
