"""Runs of scenes: made, opened and compared, with their numbers as arrays."""

from __future__ import annotations

import base64
import csv
import html
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _pliant, arguments
from .errors import InputError, InputTypeError, MissingRecordingError, RecordingError
from .progress import Progress, watching

__all__ = ["Frame", "Frames", "Run", "compare", "open_run", "run"]

#: Bytes of the runs in a notebook's player at most: notebooks are kept in files.
_NOTEBOOK_BYTES = 1_500_000

#: Height of the player in a notebook, pixels: its playback buttons are in sight.
_PLAYER_HEIGHT = 660

#: Columns of bodies.csv that hold words.
_WORDS = ("body", "kind")

Path_ = str | os.PathLike[str]


class Frame:
    """Where everything was at one moment."""

    def __init__(self, recording: _pliant.Recording, index: int) -> None:
        self._recording = arguments.recording(recording)
        index = arguments.whole(index, "index", len(recording))
        self.index: int = index
        self.time: float = float(recording.times[index])
        self.step: int = int(recording.steps[index])
        #: Of all vertices in body order, m: float32 of shape (n, 3).
        self.positions: NDArray[np.float32] = recording.frame(index)

    @property
    def fields(self) -> dict[str, NDArray[np.float32]]:
        """Recorded fields by name, a row per vertex or tet."""
        return self._recording.fields(self.index)

    def __repr__(self) -> str:
        return f"<pliant.Frame {self.index} at {self.time:.4f} s: {len(self.positions)} vertices>"


class Frames(Sequence[Frame]):
    """The frames of a run; each is read when it is taken."""

    def __init__(self, recording: _pliant.Recording) -> None:
        self._recording = arguments.recording(recording)

    def __len__(self) -> int:
        return len(self._recording)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[k] for k in range(*index.indices(len(self)))]
        if not hasattr(index, "__index__"):
            got = type(index).__name__
            raise InputTypeError(f"index: expected a whole number or a slice, got {got}")
        place = index + len(self) if index < 0 else index
        if not 0 <= place < len(self):
            raise IndexError(f"frame {index} of {len(self)}")
        return Frame(self._recording, place)

    def __iter__(self) -> Iterator[Frame]:
        return (Frame(self._recording, k) for k in range(len(self)))


class Run:
    """A run in its folder: summary, series, bodies and frames.

    >>> import pliant
    >>> run = pliant.run("two-cubes", out="run", set={"duration": 0.2}, existing="replace")
    >>> run.summary["ended"], run.series["time"][-1].round(3)
    ('finished', np.float64(0.2))
    >>> run.positions("left").shape == (len(run.frames), 216, 3)
    True
    """

    def __init__(self, folder: Path_) -> None:
        self.folder = arguments.path(folder, "folder")
        self._recording: _pliant.Recording | None = None

    @property
    def summary(self) -> dict[str, Any]:
        """What `summary.json` holds: how it ended, energies, overlap, digest, warnings."""
        return _read_json(self.folder / "summary.json")

    @property
    def digest(self) -> str:
        """BLAKE3 over all bits of the state at the end."""
        return str(self.summary["digest"])

    @property
    def series(self) -> dict[str, NDArray[np.float64]]:
        """Columns of `series.csv` by name, a row per recorded step."""
        return _pliant.read_series(self.folder / "series.csv")

    @property
    def bodies(self) -> dict[str, dict[str, Any]]:
        """Columns of `bodies.csv` by body, then name; NaN where a number is not known."""
        return _read_bodies(self.folder / "bodies.csv")

    @property
    def recording(self) -> _pliant.Recording:
        """Where every vertex was, frame by frame."""
        if self._recording is None:
            self._recording = _pliant.Recording(self.folder / "recording.pliant")
        return self._recording

    @property
    def frames(self) -> Frames:
        """All frames; each is read when it is taken."""
        return Frames(self.recording)

    @property
    def times(self) -> NDArray[np.float64]:
        """Times of the frames, s."""
        return self.recording.times

    def positions(self, body: str | None = None, frames: slice = slice(None)) -> NDArray[np.float32]:
        """Positions of a body or all of them, m: float32 of shape (frames, n, 3)."""
        if not isinstance(frames, slice):
            raise InputTypeError(f"frames: expected a slice, got {type(frames).__name__}")
        start, stop, every = frames.indices(len(self.recording))
        if every < 1:
            raise InputError(f"frames: expected a step of at least 1, got {every}")
        first, end = self._vertices(body)
        return self.recording.positions((first, end), (start, max(start, stop), every))

    def triangles(self, body: str) -> NDArray[np.uint32]:
        """Triangles of a body that pictures show, in the numbers of the frames."""
        body = arguments.text(body, "body")
        names = [name for name, _, _ in self.recording.bodies]
        if body not in names:
            raise InputError(f"body: {body!r} is not there, there are {', '.join(names)}")
        return self.recording.triangles(names.index(body))

    def view(self, out: Path_) -> Path:
        """Writes one self-contained page that plays the run, whole or not at all."""
        path = arguments.path(out, "out")
        page = _pliant.player_page([self.folder])
        if page is None:
            raise RecordingError(
                "this pliant was built without the player; `cargo xtask web` builds it"
            )
        _pliant.write_text(path, page)
        return path

    def _vertices(self, body: str | None) -> tuple[int, int]:
        known = {name: (first, end) for name, first, end in self.recording.bodies}
        if body is None:
            return 0, max((end for _, end in known.values()), default=0)
        if arguments.text(body, "body") not in known:
            raise InputError(f"body: {body!r} is not there, there are {', '.join(known)}")
        return known[body]

    def _repr_html_(self) -> str:
        """The player in a notebook; a picture where it was not built."""
        title = html.escape(str(self.folder))
        page = _pliant.player_page([self.folder], _NOTEBOOK_BYTES)
        if page is not None:
            return (
                f'<iframe title="{title}" style="width:100%;height:{_PLAYER_HEIGHT}px;border:0" '
                f'sandbox="allow-scripts" srcdoc="{html.escape(page, quote=True)}"></iframe>'
            )
        picture = _pliant.last_frame_picture(self.folder)
        if picture is None:
            return f"<code>{html.escape(repr(self))}</code>"
        data = base64.b64encode(bytes(picture)).decode()
        return f'<img alt="{title}, last frame" src="data:image/png;base64,{data}">'

    def __repr__(self) -> str:
        return f"<pliant.Run {str(self.folder)!r}>"


def run(
    scene: Path_ | _pliant.Scene,
    out: Path_ | None = None,
    *,
    set: Mapping[str, Any] | None = None,
    threads: int = 1,
    existing: str = "refuse",
    progress: bool | Progress | None = None,
) -> Run:
    """Runs a scene into a folder, `runs/NAME` by default, as `pliant run` does, bit by bit.

    `existing` says what happens to a folder that is there: `refuse`, `resume` or `replace`. Ctrl-C
    ends the run so that `existing="resume"` continues it.

    >>> import pliant
    >>> run = pliant.run("block", out="block", set={"duration": 0.1}, existing="replace")
    >>> run.summary["penetrating_vertices"]
    0
    """
    if not isinstance(scene, _pliant.Scene):
        scene = arguments.path(scene, "scene")
    made = scene if isinstance(scene, _pliant.Scene) else _pliant.Scene(scene, set=set)
    if isinstance(scene, _pliant.Scene) and set:
        raise InputError("set: give it to the Scene, which is loaded already")
    folder = arguments.path(out, "out") if out is not None else Path("runs") / made.name
    update, end = watching(progress, made.name)
    try:
        made.run_into(folder, threads=threads, existing=existing, progress=update)
    finally:
        end()
    return Run(folder)


def open_run(folder: Path_) -> Run:
    """Opens the folder of a run, finished or not."""
    path = arguments.path(folder, "folder")
    if not (path / "recording.pliant").is_file():
        raise MissingRecordingError(
            f"{path}: not a pliant run directory: it has no recording.pliant"
        )
    return Run(path)


def compare(
    scene: Path_,
    vary: Mapping[str, Sequence[Any]],
    out: Path_ | None = None,
    *,
    set: Mapping[str, Any] | None = None,
    threads: int = 1,
    existing: str = "refuse",
    progress: bool | Progress | None = None,
) -> dict[str, Run]:
    """Runs a scene once per value of one key and writes one report of all: runs by value.

    >>> import pliant
    >>> runs = pliant.compare("integrators", {"integrator": ["verlet", "rk4"]}, "compared",
    ...                       set={"duration": 0.2}, existing="replace")
    >>> sorted(runs)
    ['rk4', 'verlet']
    """
    source = arguments.path(scene, "scene")
    varied = arguments.combinations(vary, "vary")
    if len(varied) != 1:
        raise InputError(f"vary: expected one key and its values, got {len(varied)} keys")
    ((key, values),) = varied.items()
    own = Path("runs") / f"compare-{source.stem}"
    folder = arguments.path(out, "out") if out is not None else own
    update, end = watching(progress, key)
    try:
        done = _pliant.compare_into(
            source,
            key,
            values,
            folder,
            set=set,
            threads=threads,
            existing=existing,
            progress=update,
        )
    finally:
        end()
    runs = {}
    for number, (value, _) in enumerate(done):
        own = folder / value
        runs[value] = Run(own if own.is_dir() else folder / f"run-{number}")
    return runs


def _read_json(path: Path) -> dict[str, Any]:
    try:
        read: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise MissingRecordingError(f"{path}: the file is not there") from error
    except (OSError, ValueError) as error:
        raise RecordingError(f"{path}: {error}") from error
    return read


def _read_bodies(path: Path) -> dict[str, dict[str, Any]]:
    rows: dict[str, list[dict[str, str]]] = {}
    try:
        with path.open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                rows.setdefault(row["body"], []).append(row)
    except FileNotFoundError as error:
        raise MissingRecordingError(f"{path}: the file is not there") from error
    except (OSError, KeyError) as error:
        raise RecordingError(f"{path}: {error}") from error
    tables: dict[str, dict[str, Any]] = {}
    for body, own in rows.items():
        columns = [name for name in own[0] if name not in _WORDS]
        table: dict[str, Any] = {
            name: np.array([float(row[name]) if row[name] else np.nan for row in own])
            for name in columns
        }
        tables[body] = {"kind": own[0]["kind"], **table}
    return tables
