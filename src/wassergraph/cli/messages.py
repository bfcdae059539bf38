"""Messages on standard error."""

from __future__ import annotations

import sys

from wassergraph.errors import Option, StructuredError
from wassergraph.parallel.estimate import WORTH_TELLING, Estimate


def print_message(text: str) -> None:
    """Print a line on standard error, if there is one."""
    if sys.stderr is not None:
        print(text, file=sys.stderr)


def print_warning(message: Warning | str, *_: object, **__: object) -> None:
    """Print a warning in one line; replaces :func:`warnings.showwarning`."""
    text = describe_error(message) if isinstance(message, BaseException) else message
    print_message(f"wassergraph: warning: {text}")


def print_estimate(estimate: Estimate) -> None:
    """Print what a computation will take, if that is more than some seconds."""
    if estimate.total >= WORTH_TELLING:
        print_message(estimate.describe(as_flag))


def describe_error(error: BaseException) -> str:
    """Return the sentence of an error, with options written as flags."""
    if isinstance(error, StructuredError):
        return error.describe(as_flag)
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    return str(error)


def as_flag(option: Option) -> str:
    """Return an option as it is written on the command line.

    Examples
    --------
    >>> as_flag(Option("inner_folds")), as_flag(Option("standardize", True))
    ('--inner-folds', '--standardize yes')
    """
    if option.name == "standardize" and isinstance(option.value, bool):
        return f"--standardize {'yes' if option.value else 'no'}"
    return option.as_flag()
