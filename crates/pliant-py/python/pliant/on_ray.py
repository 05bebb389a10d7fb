"""Sweeps on a Ray cluster: runs are made anywhere and brought back whole.

A worker runs into a folder of its own machine and returns the files; the driver puts them where
the sweep is. No disk is shared, and a run whose worker dies is made again elsewhere.
"""

from __future__ import annotations

import io
import os
import shutil
import socket
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import Any

from . import _pliant
from .errors import PliantError, RayError, SceneError
from .progress import Progress

__all__ = ["make_run", "sweep_on_ray"]

#: Time for the port of a cluster to answer, s.
_PORT_TIMEOUT = 5.0

#: Time for the cluster itself to answer, s.
_CLUSTER_TIMEOUT = 20.0

#: Times that a run is made again when its worker or machine dies.
_RETRIES = 5

#: Time between two looks at the cluster, s.
_PAUSE = 0.2

#: What a first look at a cluster runs, in a process that can be ended.
_PROBE = "import ray, sys; ray.init(address=sys.argv[1], logging_level='ERROR'); ray.nodes()"


def sweep_on_ray(
    plan: _pliant.Plan,
    out: Path,
    address: str | None,
    *,
    threads: int,
    existing: str,
    progress: Progress | None,
) -> dict[str, Any]:
    """Makes all runs of a plan that are not finished; returns how the sweep ended."""
    try:
        import ray
    except ImportError as error:
        raise RayError("engine=\"ray\" needs Ray: pip install pliant[ray]") from error
    was_connected = ray.is_initialized()
    if was_connected:
        _check_connected(ray, address)
    else:
        _connect(ray, address)
    try:
        # A cluster that does not answer leaves no folder, which the next call would refuse.
        sweep = _pliant.Sweep(plan, out, existing=existing)
        _make_runs(ray, sweep, plan, threads, progress)
    finally:
        if not was_connected:
            ray.shutdown()
    return sweep.swept()


def make_run(scene: str, sets: list[str], threads: int) -> tuple[str, str, bytes]:
    """Makes one run on a worker: how it ended, the message, and its folder as a tar file."""
    with tempfile.TemporaryDirectory(prefix="pliant-") as folder:
        own = Path(folder) / "run"
        try:
            made = _pliant.Scene(scene, set=sets)
            made.run_into(own, threads=threads)
        except SceneError as error:
            return "refused", _first_line(error), b""
        except PliantError as error:
            if not (own / "summary.json").is_file():
                return "crashed", _first_line(error), b""
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w:gz", compresslevel=1) as archive:
            archive.add(own, arcname="run")
        return "ended", "", packed.getvalue()


def _make_runs(
    ray: Any,
    sweep: _pliant.Sweep,
    plan: _pliant.Plan,
    threads: int,
    progress: Progress | None,
) -> None:
    task = ray.remote(make_run).options(num_cpus=threads, max_retries=_RETRIES)
    open_runs = sweep.open_runs()
    done = len(plan) - len(open_runs)
    waiting = {}
    for run in open_runs:
        job = sweep.job(run)
        waiting[task.remote(job["scene"], job["sets"], threads)] = job
    try:
        while waiting:
            ready, _ = ray.wait(list(waiting), num_returns=1, timeout=_PAUSE)
            for made in ready:
                job = waiting.pop(made)
                try:
                    end, message, packed = ray.get(made)
                    if packed:
                        _unpack(packed, Path(job["folder"]))
                except ray.exceptions.RayError as error:
                    end, message = "crashed", _first_line(error)
                sweep.end_run(job["run"], end, message)
                done += 1
            if progress is not None:
                progress(done, len(plan), "")
    except BaseException:
        for left in waiting:
            ray.cancel(left, force=True)
        raise


def _unpack(packed: bytes, folder: Path) -> None:
    """Puts a run where it belongs, whole or not at all."""
    with tempfile.TemporaryDirectory(prefix=".run-", dir=folder.parent) as beside:
        with tarfile.open(fileobj=io.BytesIO(packed), mode="r:gz") as archive:
            archive.extractall(beside, filter="data")
        if folder.exists():
            shutil.rmtree(folder)
        os.replace(Path(beside) / "run", folder)


def _connect(ray: Any, address: str | None) -> None:
    """Connects to a cluster, or starts one here; a clear error where it does not answer."""
    if address is None:
        ray.init(logging_level="ERROR", include_dashboard=False)
        return
    _check_port(address)
    try:
        subprocess.run(
            [sys.executable, "-c", _PROBE, address],
            check=True,
            capture_output=True,
            timeout=_CLUSTER_TIMEOUT,
        )
    except subprocess.TimeoutExpired as error:
        message = f"no Ray cluster answers at {address} within {_CLUSTER_TIMEOUT:.0f} s"
        raise RayError(f"{message}; is its version that of this machine ({ray.__version__})?") from error
    except subprocess.CalledProcessError as error:
        last = error.stderr.decode(errors="replace").strip().splitlines()[-1:]
        raise RayError(f"no Ray cluster answers at {address}: {' '.join(last)}") from error
    ray.init(address=address, logging_level="ERROR")


def _check_connected(ray: Any, address: str | None) -> None:
    """Refuses another cluster than the one that this process is connected to already."""
    own = str(ray.get_runtime_context().gcs_address)
    if address is None or address.startswith("ray://"):
        return  # a client's address is that of a proxy, from which its cluster is not seen
    host, colon, port = address.rpartition(":")
    own_host, _, own_port = own.rpartition(":")
    if not colon or address == own or (port == own_port and _place(host) == _place(own_host)):
        return
    message = f"address: this process is connected to the Ray cluster at {own}, not to {address}"
    raise RayError(f"{message}; call ray.shutdown() before, or leave the address out")


def _place(host: str) -> str:
    """The address of a machine, or its name where that leads to none."""
    try:
        return socket.gethostbyname(host)
    except OSError:
        return host


def _check_port(address: str) -> None:
    """Refuses an address at which nothing listens, before Ray waits for it."""
    plain = address.removeprefix("ray://")
    host, colon, port = plain.rpartition(":")
    if not colon:
        return  # auto, local or a name that Ray knows
    try:
        number = int(port)
        socket.create_connection((host.strip("[]"), number), timeout=_PORT_TIMEOUT).close()
    except (OSError, ValueError, OverflowError) as error:
        raise RayError(f"no Ray cluster answers at {address}: {error}") from error


def _first_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__
