"""Arguments of the functions that are written in Python, read by name."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ._pliant import Recording
from .errors import InputError, InputTypeError

__all__ = ["combinations", "count", "flag", "path", "recording", "table", "text", "whole"]


def path(given: Any, name: str) -> Path:
    """A path of text."""
    try:
        return Path(given)
    except TypeError as error:
        raise _wrong(given, name, "a path") from error


def text(given: Any, name: str) -> str:
    """A text."""
    if not isinstance(given, str):
        raise _wrong(given, name, "a text")
    return given


def flag(given: Any, name: str) -> bool:
    """True or False."""
    if not isinstance(given, bool):
        raise _wrong(given, name, "True or False")
    return given


def whole(given: Any, name: str, count: int) -> int:
    """A whole number below `count`, which may be counted from the end."""
    try:
        number = given.__index__()
    except (AttributeError, TypeError) as error:
        raise _wrong(given, name, "a whole number") from error
    if not -count <= number < count:
        raise InputError(f"{name}: expected less than {count}, got {number}")
    return int(number) % count


def count(given: Any, name: str) -> int:
    """A whole number from 1 on."""
    try:
        number = int(given.__index__())
    except (AttributeError, TypeError) as error:
        raise _wrong(given, name, "a whole number from 1 on") from error
    if number < 1:
        raise InputError(f"{name}: expected a whole number from 1 on, got {number}")
    return number


def recording(given: Any) -> Recording:
    """The argument `recording`."""
    if not isinstance(given, Recording):
        raise _wrong(given, "recording", "a Recording")
    return given


def table(given: Any, name: str) -> dict[str, Any]:
    """A dictionary whose keys are texts."""
    if not isinstance(given, Mapping):
        raise _wrong(given, name, "a dictionary")
    for key in given:
        if not isinstance(key, str):
            raise InputTypeError(f"{name}: expected keys that are texts, got {type(key).__name__}")
    return dict(given)


def combinations(given: Any, name: str) -> dict[str, list[Any]]:
    """Keys, and a list of values of each."""
    found = {}
    for key, values in table(given, name).items():
        listed = values.tolist() if hasattr(values, "tolist") else values
        if isinstance(listed, (str, bytes)) or not isinstance(listed, (Sequence, range)):
            raise _wrong(values, f"{name}[{key!r}]", "a list of values")
        found[key] = list(listed)
    return found


def _wrong(given: Any, name: str, expected: str) -> InputTypeError:
    return InputTypeError(f"{name}: expected {expected}, got {type(given).__name__}")
