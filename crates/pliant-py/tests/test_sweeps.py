"""Sweeps over processes."""

import os
import signal
from pathlib import Path

import pytest

import pliant

QUICK = {"duration": 0.1}


def test_every_combination_is_a_run_with_a_row():
    swept = pliant.sweep("block", {"dt": [0.01, 0.02]}, seeds=None, out="swept", set=QUICK, jobs=2)
    assert len(swept) == 2
    table = swept.table
    assert table["dt"].tolist() == [0.01, 0.02] and set(table["ended"]) == {"finished"}
    alone = pliant.run("block", out="alone", set={**QUICK, "dt": 0.02})
    assert table["digest"][1] == alone.digest == swept.run(1).digest


def test_a_run_that_fails_is_a_row_with_its_error():
    swept = pliant.sweep("block", {"dt": [0.01, "soon"]}, out="swept", set=QUICK)
    row = swept.rows[1]
    assert row["ended"] == "refused" and "expected a number" in row["error"]


def test_a_run_that_blows_up_is_a_row_with_its_error_and_its_numbers():
    blows_up = {"integrator": "explicit-euler", "dt": 0.5}
    swept = pliant.sweep("integrators", {"duration": [1.0, 400.0]}, out="swept", set=blows_up)
    assert [row["ended"] for row in swept.rows] == ["finished", "failed"]
    assert "step" in swept.rows[1]["error"] and swept.table["steps"][1] > 1


@pytest.mark.skipif(not Path("/proc/self/stat").is_file(), reason="processes are found in /proc")
def test_a_run_whose_process_is_killed_is_a_row_that_is_made_again():
    killed = []

    def kill_first(done, total, name):
        if not killed and (runs := runs_of(os.getpid())):
            os.kill(runs[0], signal.SIGKILL)
            killed.append(runs[0])

    vary, options = {"dt": [0.001, 0.01]}, {"set": {"duration": 1.0}}
    swept = pliant.sweep("two-cubes", vary, out="swept", progress=kill_first, **options)
    assert [row["ended"] for row in swept.rows] == ["crashed", "finished"]
    assert "signal" in swept.rows[0]["error"]
    other = os.stat("swept/run-0001/summary.json").st_mtime_ns
    swept = pliant.sweep("two-cubes", vary, out="swept", resume=True, **options)
    assert {row["ended"] for row in swept.rows} == {"finished"}
    assert os.stat("swept/run-0001/summary.json").st_mtime_ns == other
    assert swept.run(0).digest == pliant.run("two-cubes", out="alone", set={"duration": 1.0, "dt": 0.001}).digest


def runs_of(parent):
    """Processes of a process that make runs."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            number, rest = stat.read_text().split(" ", 1)
            words = (stat.parent / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if int(rest.rpartition(")")[2].split()[1]) == parent and b"run" in words:
            found.append(int(number))
    return found


def test_a_stopped_sweep_continues_and_repeats_nothing():
    def stop(done, total, name):
        if done >= 1:
            raise RuntimeError("enough")

    vary = {"dt": [0.01, 0.005, 0.02, 0.0025]}
    with pytest.raises(RuntimeError, match="enough"):
        pliant.sweep("block", vary, out="swept", set={"duration": 0.5}, progress=stop)
    before = pliant.open_sweep("swept")
    finished = [k for k, row in enumerate(before.rows) if row["ended"] == "finished"]
    assert 1 <= len(finished) < 4
    times = {k: os.stat(Path("swept") / f"run-{k:04}" / "summary.json").st_mtime_ns for k in finished}
    swept = pliant.sweep("block", vary, out="swept", set={"duration": 0.5}, resume=True)
    assert all(row["ended"] == "finished" for row in swept.rows)
    for run, time in times.items():
        assert os.stat(Path("swept") / f"run-{run:04}" / "summary.json").st_mtime_ns == time


def test_the_folder_of_another_sweep_is_refused():
    pliant.sweep("block", {"dt": [0.01]}, out="swept", set=QUICK)
    with pytest.raises(pliant.SweepError, match="exists already; resume=True"):
        pliant.sweep("block", {"dt": [0.01]}, out="swept", set=QUICK)
    with pytest.raises(pliant.SweepError, match="another scene or other values"):
        pliant.sweep("block", {"dt": [0.02]}, out="swept", set=QUICK, resume=True)
    Path("other").mkdir()
    Path("other/mine.txt").write_text("mine")
    with pytest.raises(pliant.SweepError, match="not a sweep"):
        pliant.sweep("block", {"dt": [0.01]}, out="other")


@pytest.mark.parametrize(
    ("vary", "options", "error", "message"),
    [
        ({}, {}, pliant.SweepError, "name what to vary"),
        ({"dt": [1, 1]}, {}, pliant.SweepError, "named twice"),
        ({"dt": ["soon"]}, {}, pliant.SceneError, "expected a number"),
        ({"dt": [0.01]}, {"engine": "cloud"}, pliant.InputError, "expected processes, ray"),
        ({"dt": [0.01]}, {"address": "auto"}, pliant.InputError, "address"),
        ({}, {"seeds": 2**32 - 1}, pliant.SweepError, "4294967295 runs are too many"),
        ({"dt": [0.01, 0.02]}, {"seeds": 2**32 - 1}, pliant.SweepError, "8589934590 runs are too many"),
    ],
)
def test_what_is_no_sweep_is_refused(vary, options, error, message):
    with pytest.raises(error, match=message):
        pliant.sweep("block", vary, out="swept", **options)
    assert not Path("swept/run-0000").exists()
