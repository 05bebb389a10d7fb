"""Sweeps: one scene over a grid of settings, on this machine or on a Ray cluster."""

from __future__ import annotations

import csv
import os
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _pliant, arguments
from .errors import InputError, MissingSweepError, SweepError
from .progress import Progress, watching
from .runs import Run

__all__ = ["Sweep", "open_sweep", "sweep"]

Path_ = str | os.PathLike[str]

#: Columns of the table that hold words, besides what is varied.
_WORDS = ("folder", "ended", "error", "digest")


class Sweep:
    """A sweep in its folder: a row per run, and the runs."""

    def __init__(self, folder: Path_) -> None:
        self.folder = arguments.path(folder, "folder")

    @property
    def rows(self) -> list[dict[str, str]]:
        """Rows of `sweep.csv` as they stand there: values, how each run ended, its numbers."""
        path = self.folder / "sweep.csv"
        try:
            with path.open(encoding="utf-8", newline="") as file:
                return list(csv.DictReader(file))
        except FileNotFoundError as error:
            raise MissingSweepError(f"{path}: the file is not there") from error
        except OSError as error:
            raise SweepError(f"{path}: {error}") from error

    @property
    def table(self) -> dict[str, NDArray[Any]]:
        """The same as columns: numbers as float64 (NaN where a run has none), words as they are."""
        rows = self.rows
        names = list(rows[0]) if rows else []
        return {name: _column(name, [row[name] for row in rows]) for name in names}

    def run(self, number: int) -> Run:
        """One of its runs."""
        number = arguments.whole(number, "number", len(self))
        return Run(self.folder / f"run-{number:04}")

    def plot(self, value: str, against: str, ax: Any = None) -> Any:
        """Plots a value of the summaries against a parameter; needs matplotlib."""
        table = self.table
        for name, column in (("value", value), ("against", against)):
            if arguments.text(column, name) not in table:
                raise InputError(f"{name}: {column!r} is no column, there are {', '.join(table)}")
        if ax is None:
            from matplotlib import pyplot

            ax = pyplot.figure().subplots()
        ax.plot(table[against], table[value], "o", fillstyle="none")
        ax.set_xlabel(against)
        ax.set_ylabel(value)
        return ax

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        rows = self.rows
        finished = sum(row["ended"] == "finished" for row in rows)
        return f"<pliant.Sweep {str(self.folder)!r}: {finished} of {len(rows)} finished>"


def sweep(
    scene: Path_,
    vary: Mapping[str, Sequence[Any]] | None = None,
    *,
    out: Path_,
    seeds: int | None = None,
    set: Mapping[str, Any] | None = None,
    jobs: int = 1,
    threads: int = 1,
    resume: bool = False,
    engine: str = "processes",
    address: str | None = None,
    progress: bool | Progress | None = None,
) -> Sweep:
    """Runs a scene with every combination of values, a folder per run, a row per run in one table.

    `engine` is `processes`, on this machine, `jobs` at a time, or `ray`: an existing cluster at
    `address`, or one that is started here without. A run that fails is a row with its error. With
    `resume` the runs of a sweep that was stopped are made that are not finished.

    >>> import pliant
    >>> swept = pliant.sweep("block", {"dt": [0.01, 0.02]}, out="swept", set={"duration": 0.1})
    >>> swept
    <pliant.Sweep 'swept': 2 of 2 finished>
    >>> [row["dt"] for row in swept.rows]
    ['0.01', '0.02']
    """
    source, folder = arguments.path(scene, "scene"), arguments.path(out, "out")
    varied = arguments.combinations(vary, "vary") if vary is not None else {}
    if arguments.text(engine, "engine") not in ("processes", "ray"):
        raise InputError(f"engine: {engine!r} is unknown, expected processes, ray")
    if address is not None and engine != "ray":
        raise InputError("address: is for engine=\"ray\"")
    if address is not None and not arguments.text(address, "address").strip():
        raise InputError("address: expected host:port, ray://host:port or auto, got an empty text")
    arguments.count(threads, "threads")
    arguments.count(jobs, "jobs")
    existing = "resume" if arguments.flag(resume, "resume") else "refuse"
    plan = _pliant.Plan(source, varied, seeds=seeds, set=set)
    update, end = watching(progress, "runs")
    try:
        if engine == "ray":
            from .on_ray import sweep_on_ray

            sweep_on_ray(
                plan, folder, address, threads=threads, existing=existing, progress=update
            )
        else:
            program = [sys.executable, "-m", "pliant"]
            _pliant.sweep_processes(
                plan, folder, program, jobs=jobs, threads=threads, existing=existing, progress=update
            )
    finally:
        end()
    return Sweep(folder)


def open_sweep(folder: Path_) -> Sweep:
    """Opens the folder of a sweep, finished or not."""
    path = arguments.path(folder, "folder")
    if not (path / "sweep.csv").is_file():
        raise MissingSweepError(f"{path}: not a sweep (it has no sweep.csv)")
    return Sweep(path)


def _column(name: str, values: list[str]) -> NDArray[Any]:
    if name in _WORDS:
        return np.array(values)
    try:
        return np.array([float(value) if value else np.nan for value in values])
    except ValueError:
        return np.array(values)
