"""Every built-in agent, registered through the same entry point as anybody's."""
