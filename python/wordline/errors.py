"""What can be wrong with result directories; what is wrong with configurations and runs the core says."""


class OutputError(OSError):
    """A result directory cannot be written; the message is one clear paragraph."""


class ResultError(ValueError):
    """A directory holds no result, or a damaged one; the message is one clear paragraph."""
