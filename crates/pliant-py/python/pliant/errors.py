"""What Pliant raises: one tree, with the library's messages.

>>> import pliant
>>> try:
...     pliant.box((1, 1, -1))
... except pliant.PliantError as error:
...     print(type(error).__name__, error)
MeshError the size along z is -1.0 m, expected a positive finite length
"""


class PliantError(Exception):
    """Everything that Pliant raises, but for `KeyboardInterrupt`.

    Arguments that are missing or unknown are Python's own `TypeError`.
    """


class InputError(PliantError, ValueError):
    """An argument of a wrong shape, dtype or value; the message says what was expected."""


class InputTypeError(InputError, TypeError):
    """An argument of a wrong type; `except TypeError` catches it too."""


class MissingFileError(PliantError, FileNotFoundError):
    """A file or folder that is not there; each kind below is one, and an `OSError`."""


class MeshError(PliantError, ValueError):
    """A mesh that cannot be read, written or used."""


class OutlineError(PliantError, ValueError):
    """Outlines in the plane that cannot be read or measured."""


class WorldError(PliantError, ValueError):
    """What a world refuses; nothing has changed then."""


class StepError(WorldError):
    """A step that could not be made; nothing has moved."""


class SceneError(PliantError, ValueError):
    """A scene that is none; the message shows each line that is wrong."""


class RunError(PliantError, RuntimeError):
    """A run that failed, or whose folder cannot be used; what was recorded is kept."""


class RecordingError(PliantError, ValueError):
    """A recording or table of a run that cannot be read."""


class SweepError(PliantError, RuntimeError):
    """A sweep that cannot be made, or whose folder holds something else."""


class RayError(SweepError):
    """A Ray cluster that does not answer, or Ray that is not installed."""


class MissingMeshError(MeshError, MissingFileError):
    """A mesh file that is not there."""


class MissingOutlineError(OutlineError, MissingFileError):
    """A file of outlines that is not there."""


class MissingSceneError(SceneError, MissingFileError):
    """A scene that is neither a file nor built in."""


class MissingRecordingError(RecordingError, MissingFileError):
    """The folder of a run, or a file of it, that is not there."""


class MissingSweepError(SweepError, MissingFileError):
    """The folder of a sweep that is not there."""
