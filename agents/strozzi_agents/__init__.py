"""All built-in agents, registered through the same entry point as third-party agents."""
