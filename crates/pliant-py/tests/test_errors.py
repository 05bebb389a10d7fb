"""One tree of exceptions, whose errors Python's own names catch as well."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import pliant


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: pliant.read_mesh("nowhere.vtu"), pliant.MeshError),
        (lambda: pliant.penetrations(["nowhere.vtu"]), pliant.MeshError),
        (lambda: pliant.proximity("nowhere.svg", "nowhere.svg"), pliant.OutlineError),
        (lambda: pliant.Scene("nowhere.toml"), pliant.SceneError),
        (lambda: pliant.run("nowhere.toml"), pliant.SceneError),
        (lambda: pliant.open_run("nowhere"), pliant.RecordingError),
        (lambda: pliant.Run("nowhere").summary, pliant.RecordingError),
        (lambda: pliant.Run("nowhere").series, pliant.RecordingError),
        (lambda: pliant.Run("nowhere").bodies, pliant.RecordingError),
        (lambda: pliant.Run("nowhere").frames, pliant.RecordingError),
        (lambda: pliant.open_sweep("nowhere"), pliant.SweepError),
    ],
)
def test_a_missing_file_is_of_its_kind_and_a_file_not_found(call, error):
    with pytest.raises(FileNotFoundError, match="nowhere") as raised:
        call()
    assert isinstance(raised.value, (error, OSError)) and isinstance(raised.value, error)
    assert isinstance(raised.value, pliant.MissingFileError)


def test_a_file_that_is_there_and_no_mesh_is_no_missing_file():
    Path("text.vtu").write_text("no mesh")
    with pytest.raises(pliant.MeshError) as raised:
        pliant.read_mesh("text.vtu")
    assert not isinstance(raised.value, OSError)


BOX = pliant.box((1, 1, 1), (2, 2, 2))


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: pliant.separate([BOX], fixed=[-1]), ValueError, r"fixed\[0\]: expected a whole number from 0 on, got -1"),
        (lambda: pliant.separate([BOX], fixed=[0.5]), TypeError, r"fixed\[0\]: expected a whole number from 0 on, got float"),
        (lambda: pliant.separate([BOX], fixed=1), TypeError, "fixed: expected a list, got int"),
        (lambda: pliant.World().step(-1), ValueError, "count: expected a whole number from 0 on, got -1"),
        (lambda: pliant.World().step(2**40), ValueError, "count: .* got 1099511627776"),
        (lambda: pliant.World().step("2"), TypeError, "count: .* got str"),
        (lambda: pliant.separate(BOX), TypeError, "meshes: expected a list of meshes, got Mesh; put it into a list"),
        (lambda: pliant.penetrations(BOX), TypeError, "meshes: expected a list of meshes, got Mesh"),
        (lambda: pliant.Bodies("a.vtu"), TypeError, "meshes: expected a list of meshes, got str"),
        (lambda: pliant.SoftBody(BOX).pin([-1]), ValueError, r"vertices\[0\]: expected a whole number from 0 on, got -1"),
    ],
)
def test_a_wrong_argument_is_named_in_the_tree(call, error, message):
    with pytest.raises(pliant.InputError, match=message) as raised:
        call()
    assert isinstance(raised.value, error)


def test_an_output_array_of_another_dtype_is_named():
    world = pliant.World()
    body = world.add(pliant.SoftBody(BOX))
    expected = r"out: expected an array of float64 of shape \(27, 3\), got an array of dtype float32"
    with pytest.raises(pliant.InputError, match=expected):
        world.positions(body, out=np.empty((27, 3), np.float32))
    fixed = world.positions(body)
    fixed.flags.writeable = False
    with pytest.raises(pliant.InputError, match="out: "):
        world.positions(body, out=fixed)


def test_arrays_that_are_read_only_strided_or_empty_are_taken_or_named():
    positions, tets = np.array(BOX.positions), np.array(BOX.tets)
    positions.flags.writeable = False
    wide = np.zeros((2 * len(positions), 6))
    wide[::2, ::2] = positions
    for given in [positions, np.asfortranarray(positions), wide[::2, ::2], positions[::-1][::-1]]:
        assert np.array_equal(pliant.Mesh(given, tets=tets).positions, positions)
    assert len(pliant.penetrations([])) == 0
    with pytest.raises(pliant.InputError, match="expected 0 to -1|expected tets or triangles"):
        pliant.Mesh(np.empty((0, 3)), tets=tets)


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_ctrl_c_reaches_a_process_that_inherited_it_ignored():
    code = (
        "import signal, pliant\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "signal.setitimer(signal.ITIMER_REAL, 0.3)\n"
        "signal.signal(signal.SIGALRM, lambda *_: signal.raise_signal(signal.SIGINT))\n"
        "world = pliant.World()\n"
        "world.add(pliant.SoftBody.ball(0.1, 2))\n"
        "try:\n    world.step(10_000_000)\n"
        "except KeyboardInterrupt:\n    print('interrupted')\n"
    )

    def ignored():
        signal.signal(signal.SIGINT, signal.SIG_IGN)

    made = subprocess.run(
        [sys.executable, "-c", code], preexec_fn=ignored, capture_output=True, text=True, timeout=60
    )
    assert made.stdout.strip() == "interrupted", made.stderr
