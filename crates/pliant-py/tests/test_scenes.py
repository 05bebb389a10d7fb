"""Scenes, runs and comparisons."""

import os
import shutil
import signal
import subprocess
import threading
from pathlib import Path

import numpy as np
import pytest

import pliant

SHORT = {"duration": 0.3}


def test_a_run_has_summary_series_bodies_and_frames():
    run = pliant.run("two-cubes", out="run", set=SHORT)
    assert run.summary["ended"] == "finished" and run.summary["scene"] == "two-cubes"
    series = run.series
    assert series["time"][0] == 0 and series["time"][-1] == pytest.approx(0.3)
    assert len(run.frames) == len(series["time"]) == len(run.times)
    last = run.frames[-1]
    assert last.time == pytest.approx(0.3) and last.positions.dtype == np.float32
    assert set(run.bodies) == {"left", "right"}
    left = run.bodies["left"]
    assert left["kind"] == "soft" and left["position_x"].shape == series["time"].shape
    moved = run.positions("left")
    assert moved.shape == (len(run.frames), 216, 3)
    assert np.array_equal(moved[-1], last.positions[:216])
    assert np.array_equal(run.positions("right")[-1], last.positions[216:])
    assert np.array_equal(run.positions("left", slice(None, None, 5)), moved[::5])
    assert run.triangles("left").max() < 216
    assert pliant.open_run("run").digest == run.digest
    with pytest.raises(pliant.InputError, match="body: 'middle' is not there, there are left, right"):
        run.positions("middle")
    with pytest.raises(IndexError):
        run.frames[10_000]


def test_a_world_of_a_scene_makes_the_steps_of_its_run():
    run = pliant.run("two-cubes", out="run", set=SHORT)
    world, bodies = pliant.Scene("two-cubes", set=SHORT).world()
    world.step(run.summary["steps"])
    assert world.digest() == run.digest
    assert sorted(bodies) == ["left", "right"]


GOLDEN = Path(__file__).parents[3] / "golden" / "digests.txt"

#: Scenes whose pinned steps take little time.
QUICK = {"block", "dice", "two-points", "two-cubes", "head-on"}


def pinned():
    """Scene, steps and digest of every line that the engine's own tests pin."""
    lines = [line.split() for line in GOLDEN.read_text().splitlines() if not line.startswith("#")]
    return [
        pytest.param(scene, int(steps), digest, id=scene, marks=[] if scene in QUICK else pytest.mark.long)
        for scene, steps, digest in lines
    ]


@pytest.mark.parametrize(("scene", "steps", "digest"), pinned())
def test_a_scene_has_the_pinned_digest(scene, steps, digest):
    world, _ = pliant.Scene(scene).world()
    world.step(steps)
    assert world.digest() == digest


@pytest.mark.skipif(not os.environ.get("PLIANT"), reason="PLIANT names the program")
@pytest.mark.parametrize("scene", ["two-cubes", "dice", "jelly-drop"])
def test_the_program_and_python_agree_in_every_bit(scene):
    program = os.environ["PLIANT"]
    subprocess.run([program, "--quiet", "run", scene, "--out", "theirs", "--set", "duration=0.3"], check=True)
    ours = pliant.run(scene, out="ours", set=SHORT)
    assert ours.digest == pliant.open_run("theirs").digest


def test_scenes_come_from_text_too():
    text = pliant.Scene("block").resolved
    scene = pliant.Scene.from_text(text, set={"duration": 0.1})
    assert scene.steps == pliant.Scene("block", set={"duration": 0.1}).steps
    assert pliant.run(scene, out="run").summary["ended"] == "finished"
    assert pliant.run(scene, out="again").digest == pliant.open_run("run").digest


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the scene is empty"),
        ("dt = 0.1\nduration = 'long'", "expected a number, found a string"),
        ("not toml", "scene:1:"),
        ("duration = 1\ndt = 0.1\ngravty = 3", "gravty"),
    ],
)
def test_a_scene_that_is_none_shows_the_line(text, message):
    with pytest.raises(pliant.SceneError, match=message):
        pliant.Scene.from_text(text)


def test_unknown_names_and_settings_are_refused():
    with pytest.raises(pliant.SceneError, match="did you mean"):
        pliant.Scene("two-cube")
    with pytest.raises(pliant.SceneError, match="overlp"):
        pliant.Scene("two-cubes", set={"overlp": 0.5})
    with pytest.raises(pliant.InputError, match="existing: \"again\" is unknown"):
        pliant.run("block", out="run", existing="again")
    with pytest.raises(pliant.RecordingError, match="not a pliant run directory"):
        pliant.open_run("nowhere")


def test_an_existing_folder_is_left_alone():
    pliant.run("block", out="run", set={"duration": 0.1})
    with pytest.raises(pliant.RunError, match='existing="resume" continues .* existing="replace" replaces it, out names'):
        pliant.run("block", out="run", set={"duration": 0.1})
    with pytest.raises(pliant.RunError, match='another scene.* existing="replace" replaces it, another out uses'):
        pliant.run("two-cubes", out="run", set={"duration": 0.1}, existing="resume")
    pliant.run("block", out="run", set={"duration": 0.1}, existing="replace")


def test_ctrl_c_ends_a_run_that_can_be_resumed():
    scene = {"duration": 40.0}  # long enough on any machine
    expected = pliant.run("two-cubes", out="whole", set=scene).digest
    threading.Timer(0.4, signal.raise_signal, [signal.SIGINT]).start()
    with pytest.raises(KeyboardInterrupt):
        pliant.run("two-cubes", out="cut", set=scene)
    run = pliant.open_run("cut")
    assert run.summary["ended"] == "interrupted"
    resumed = pliant.run("two-cubes", out="cut", set=scene, existing="resume")
    assert resumed.summary["ended"] == "finished" and resumed.digest == expected


def test_progress_is_called_and_may_end_a_run():
    seen = []
    pliant.run("block", out="run", set=SHORT, progress=lambda done, total, name: seen.append((done, total)))
    assert seen[0][0] == 0 and seen[-1][0] == seen[-1][1]

    def stop(done, total, name):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        pliant.run("block", out="other", set=SHORT, progress=stop)
    pliant.run("block", out="third", set=SHORT, progress=True)


def test_a_failed_run_is_an_error_with_its_partial_results():
    with pytest.raises(pliant.RunError, match="step .*partial results in failed"):
        pliant.run("integrators", out="failed", set={"integrator": "explicit-euler", "dt": 0.5, "duration": 400})
    assert pliant.open_run("failed").summary["ended"] == "failed"


def test_runs_are_compared():
    runs = pliant.compare("integrators", {"integrator": ["verlet", "rk4"]}, "compared", set={"duration": 0.5})
    assert runs["verlet"].summary["integrator"] == "verlet"
    assert (runs["rk4"].folder / "report.html").is_file()
    with pytest.raises(pliant.RunError, match="at least two values"):
        pliant.compare("integrators", {"integrator": ["rk4"]}, "other")
    with pytest.raises(pliant.InputError, match="expected one key"):
        pliant.compare("integrators", {}, "other")


def test_a_run_shows_itself_in_a_notebook():
    run = pliant.run("two-cubes", out="run", set={"duration": 0.1})
    shown = run._repr_html_()
    assert shown.startswith(("<iframe", "<img"))
    if shown.startswith("<iframe"):
        assert run.view("page.html").is_file()
    shutil.rmtree("run")
    with pytest.raises(pliant.RecordingError):
        run.summary
