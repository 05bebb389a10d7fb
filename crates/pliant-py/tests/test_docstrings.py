"""Examples in docstrings of the package and of the compiled module."""

import doctest
import importlib
import inspect

import pytest

import pliant

MODULES = ["pliant", "pliant.errors", "pliant.interop", "pliant.runs", "pliant.sweeps"]


def documented():
    """Every docstring with an example, by name."""
    found = {name: importlib.import_module(name).__doc__ for name in MODULES}
    for name in pliant.__all__:
        thing = getattr(pliant, name)
        found[f"pliant.{name}"] = inspect.getdoc(thing) if callable(thing) else None
        if inspect.isclass(thing):
            for part, member in vars(thing).items():
                found[f"pliant.{name}.{part}"] = getattr(member, "__doc__", None)
    return {name: text for name, text in found.items() if text and ">>>" in text}


@pytest.mark.parametrize("name", sorted(documented()))
def test_an_example_does_what_it_says(name):
    test = doctest.DocTestParser().get_doctest(documented()[name], {}, name, None, None)
    results = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test)
    assert results.attempted > 0 and results.failed == 0


def test_everything_public_is_documented():
    for name in pliant.__all__:
        thing = getattr(pliant, name)
        if callable(thing):
            assert (thing.__doc__ or "").strip(), name
            for part, member in vars(thing).items() if inspect.isclass(thing) else []:
                if not part.startswith("_") and callable(member):
                    assert (member.__doc__ or "").strip(), f"{name}.{part}"
