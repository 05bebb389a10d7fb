"""Sweeps on a Ray cluster of two nodes, started here."""

import os
import re
import signal
import socket
import threading
import time
from pathlib import Path

import pytest

import pliant

pytestmark = pytest.mark.long
ray = pytest.importorskip("ray")

#: Short runs: a fifth of a second of each pile.
PILES = {"duration": 0.2}


@pytest.fixture
def cluster(monkeypatch):
    from ray.cluster_utils import Cluster

    # Workers run at niceness 15 by default: beside anything else they hardly run at all.
    monkeypatch.setenv("RAY_worker_niceness", "0")
    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    second = made.add_node(num_cpus=1)
    made.wait_for_nodes()
    try:
        yield made, second
    finally:
        if ray.is_initialized():
            ray.shutdown()
        made.shutdown()


def test_a_node_that_dies_half_way_loses_no_run(cluster):
    made, second = cluster
    killed = threading.Event()

    def kill_half_way(done, total, name):
        if done >= total // 2 and not killed.is_set():
            killed.set()
            made.remove_node(second, allow_graceful=False)

    swept = pliant.sweep(
        "sphere-pile",
        seeds=24,
        out="piles",
        set=PILES,
        engine="ray",
        address=made.address,
        progress=kill_half_way,
    )
    assert killed.is_set()
    assert len(swept) == 24 and {row["ended"] for row in swept.rows} == {"finished"}
    for seed in (0, 11, 23):
        alone = pliant.run("sphere-pile", out=f"alone-{seed}", set={**PILES, "seed": seed})
        assert swept.table["digest"][seed] == alone.digest
    assert not list(Path("piles").glob(".run-*"))


def test_a_worker_that_dies_loses_no_run(cluster):
    made, _ = cluster
    killed = []

    def kill_first(done, total, name):
        if not killed and (workers := workers_at_work()):
            os.kill(workers[0], signal.SIGKILL)
            killed.append(workers[0])

    options = {"out": "swept", "set": {"duration": 1.0}, "engine": "ray", "address": made.address}
    swept = pliant.sweep("sphere-pile", seeds=3, progress=kill_first, **options)
    assert killed and {row["ended"] for row in swept.rows} == {"finished"}
    alone = pliant.run("sphere-pile", out="alone", set={"duration": 1.0, "seed": 0})
    assert swept.rows[0]["digest"] == alone.digest


def workers_at_work():
    """Processes of Ray on this machine that make runs, which carry the name of what they do."""
    found = []
    for cmdline in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            is_ours = cmdline.read_bytes().startswith(b"ray::make_run")
        except OSError:
            continue
        if is_ours:
            found.append(int(cmdline.parent.name))
    return found


def test_a_stopped_sweep_continues_on_the_cluster(cluster):
    made, _ = cluster

    def stop(done, total, name):
        if done >= 2:
            raise RuntimeError("enough")

    options = {"out": "swept", "set": {"duration": 0.2}, "engine": "ray", "address": made.address}
    with pytest.raises(RuntimeError, match="enough"):
        pliant.sweep("sphere-pile", seeds=6, progress=stop, **options)
    before = {
        k: (Path("swept") / row["folder"] / "summary.json").stat().st_mtime_ns
        for k, row in enumerate(pliant.open_sweep("swept").rows)
        if row["ended"] == "finished"
    }
    assert 2 <= len(before) < 6
    swept = pliant.sweep("sphere-pile", seeds=6, resume=True, **options)
    assert {row["ended"] for row in swept.rows} == {"finished"}
    for run, finished in before.items():
        assert (Path("swept") / f"run-{run:04}" / "summary.json").stat().st_mtime_ns == finished


def test_a_run_that_is_refused_is_a_row_with_its_error(cluster):
    made, _ = cluster
    vary = {"dt": [0.01, "soon"]}
    swept = pliant.sweep("block", vary, out="swept", set={"duration": 0.1}, engine="ray", address=made.address)
    assert [row["ended"] for row in swept.rows] == ["finished", "refused"]
    assert "expected a number" in swept.rows[1]["error"]
    with pytest.raises(pliant.SweepError, match="another scene or other values"):
        pliant.sweep("block", {"dt": [0.02]}, out="swept", resume=True, engine="ray", address=made.address)
    blows_up = {"integrator": "explicit-euler", "dt": 0.5}
    vary = {"duration": [1.0, 400.0]}
    swept = pliant.sweep("integrators", vary, out="other", set=blows_up, engine="ray", address=made.address)
    assert [row["ended"] for row in swept.rows] == ["finished", "failed"]
    assert "step" in swept.rows[1]["error"] and swept.run(1).summary["ended"] == "failed"


def test_another_cluster_than_the_one_that_is_connected_is_refused(cluster):
    made, _ = cluster
    ray.init(address=made.address, logging_level="ERROR")
    options = {"set": {"duration": 0.1}, "engine": "ray"}
    with pytest.raises(pliant.RayError, match=f"connected to the Ray cluster at {re.escape(made.address)}"):
        pliant.sweep("block", {"dt": [0.01]}, out="swept", address="127.0.0.1:1", **options)
    assert not Path("swept").exists()
    swept = pliant.sweep("block", {"dt": [0.01]}, out="swept", address=made.address, **options)
    assert swept.rows[0]["ended"] == "finished" and ray.is_initialized()


def test_an_address_that_does_not_answer_is_said_within_half_a_minute():
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        closed = listening.getsockname()[1]
        refuse(f"127.0.0.1:{closed}", "a")
        listening.listen()
        refuse(f"127.0.0.1:{closed}", "b")
    for number, wrong in enumerate(["127.0.0.1:99999", "127.0.0.1:port", "nowhere.invalid:6379", "[::1]:1"]):
        refuse(wrong, f"wrong-{number}")


def refuse(address, out):
    begin = time.monotonic()
    with pytest.raises(pliant.RayError, match=f"no Ray cluster answers at {re.escape(address)}"):
        pliant.sweep("block", {"dt": [0.01]}, out=out, engine="ray", address=address)
    assert time.monotonic() - begin < 30
    assert not Path(out).exists(), "the folder is not made, so that the next call is not refused"
