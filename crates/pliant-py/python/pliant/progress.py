"""Progress of long calls: tqdm where it is installed and someone watches."""

from __future__ import annotations

import importlib.util
import sys
import warnings
from collections.abc import Callable
from typing import Any

from .errors import InputTypeError

__all__ = ["Progress", "watching"]

#: What long calls call now and then: done, in all, and which of several.
Progress = Callable[[int, int, str], None]


def watching(progress: bool | Progress | None, what: str) -> tuple[Progress | None, Callable[[], None]]:
    """What is called with the progress, and what ends it.

    `True` shows a bar, `False` none, `None` one where a terminal or a notebook with widgets shows it.
    """
    if callable(progress):
        return progress, _nothing
    if progress is not None and not isinstance(progress, bool):
        got = type(progress).__name__
        raise InputTypeError(f"progress: expected a function, True, False or None, got {got}")
    if progress is False or (progress is None and not _is_watched()):
        return None, _nothing
    try:
        with warnings.catch_warnings():
            # Without widgets the bar is text, which is good enough.
            warnings.simplefilter("ignore")
            from tqdm.auto import tqdm
    except ImportError:
        return None, _nothing
    bar: Any = tqdm(desc=what, leave=False)

    def update(done: int, total: int, name: str) -> None:
        if name:
            bar.set_description_str(f"{what}: {name}", refresh=False)
        if bar.total != total:
            bar.reset(total)
        bar.n = done
        bar.refresh()

    return update, bar.close


def _is_watched() -> bool:
    # Without widgets a notebook keeps each state of the bar as a line of an error message.
    has_widgets = importlib.util.find_spec("ipywidgets") is not None
    return sys.stderr.isatty() or ("ipykernel" in sys.modules and has_widgets)


def _nothing() -> None:
    pass
