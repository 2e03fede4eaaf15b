# tocuda, Apache-2.0.
"""Runs an action and returns its exception: classes and code before the message."""

from dataclasses import dataclass

NO_ERROR = "no error"
CAUGHT = "caught"
ESCAPED = "escaped"


@dataclass(frozen=True)
class Attempt:
    handled: str = NO_ERROR  # by an `except RuntimeError`
    classes: tuple = ()  # from the exception's own class to BaseException
    code: int = 0
    message: str = ""

    def threw(self):
        return self.handled != NO_ERROR


def class_name(kind):
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


def _of(error, handled):
    code = getattr(error, "error_code", 0)
    classes = tuple(class_name(kind) for kind in type(error).__mro__ if issubclass(kind, BaseException))
    return Attempt(handled, classes, code if type(code) is int else 0, str(error))


def attempt(action):
    """Runs the handler that the documents write, inside one that catches what it lets through."""
    try:
        try:
            action()
        except RuntimeError as error:
            return _of(error, CAUGHT)
    except Exception as error:
        return _of(error, ESCAPED)
    return Attempt()


def say_attempt(see, name, tried):
    see(f"{name}.handled", tried.handled)
    if tried.threw():
        see(f"{name}.classes", tried.classes)
        see(f"{name}.code", tried.code)
        see(f"{name}.message", tried.message)


def class_of(evidence, name):
    """Returns the exception's own class."""
    classes = evidence.list(f"{name}.classes")
    return classes[0] if classes and type(classes[0]) is str else ""


def opening(message):
    """Returns the first clause of a message, of at most 48 characters."""
    line = message.partition("\n")[0]
    for end in (". ", ", ", " - ", " ("):
        line = line.partition(end)[0]
    return line if len(line) <= 45 else (line[:46].rpartition(" ")[0] or line[:45]) + "..."
