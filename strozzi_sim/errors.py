"""What can go wrong, each with the exit code that the `strozzi` command ends with."""


class StrozziError(Exception):
    """Base of every error that is not a bug of ours; its text is one line."""

    exit_code = 70


class BrokenRule(StrozziError):
    """A record does something the rules do not allow.

    Attributes:
        line: number of the offending line in its file, from 1.
    """

    exit_code = 1

    def __init__(self, line: int, message: str) -> None:
        super().__init__(f"line {line}: {message}")
        self.line = line
        self.message = message


class InputError(StrozziError):
    """The user gave something that cannot be used; names the value, the place and what is allowed."""

    exit_code = 2


class AgentFault(StrozziError):
    """An agent did something it must not do; names the agent, the game and the command that replays it."""

    exit_code = 3


class StorageError(StrozziError):
    """A file or folder cannot be read, written or locked."""

    exit_code = 4


class Interrupted(StrozziError):
    """The run was asked to stop (SIGINT, SIGTERM); says how to go on."""

    def __init__(self, signal_number: int, message: str) -> None:
        super().__init__(message)
        self.signal_number = signal_number
        self.exit_code = 128 + signal_number
