"""What a program could not do, as an exception for each kind: docs/reference/exit-codes.md."""


class ToolError(Exception):
    """A failed run. `kind` says what is wrong, in one of the words below; `exit_code` is the program's."""

    kind = "failed"

    def __init__(self, message, exit_code):
        super().__init__(message)
        self.exit_code = exit_code


class UsageError(ToolError):
    """The options are wrong, or ask for something impossible."""

    kind = "usage"


class RuleDataError(ToolError):
    """A rule or mapping file does not load."""

    kind = "rule_data"


class InputError(ToolError):
    """An input is missing, unreadable or corrupt."""

    kind = "bad_input"


class UnsupportedError(ToolError):
    """The input is well-formed, but not supported."""

    kind = "unsupported"


class OutputError(ToolError):
    """The output could not be written."""

    kind = "write_failed"


class InternalError(ToolError):
    """A bug in the program: please report it."""

    kind = "internal"


class OutOfMemoryError(ToolError):
    """There is not enough memory."""

    kind = "no_memory"


class InterruptedRunError(ToolError):
    """The program was stopped by a signal."""

    kind = "interrupted"


BY_EXIT_CODE = {
    2: UsageError,
    3: RuleDataError,
    4: InputError,
    5: UnsupportedError,
    6: OutputError,
    70: InternalError,
    71: OutOfMemoryError,
    129: InterruptedRunError,
    130: InterruptedRunError,
    141: InterruptedRunError,
    143: InterruptedRunError,
}


def error_of(exit_code, message):
    """The exception for an exit code; a program that a signal has ended (a negative code) was stopped as well."""
    kind = InterruptedRunError if exit_code < 0 else BY_EXIT_CODE.get(exit_code, ToolError)
    return kind(message, exit_code)
