"""How a sweep scales: 1 and 2 worker processes, and two nodes of a Ray cluster.

    python scaling.py [runs]

Wall times take turns, so that a loaded machine slows all; what a run costs beyond its steps is CPU time of the
worker processes less that of the steps they report. Workers of Ray are no children of this process: their CPU
time is not counted.
"""

from __future__ import annotations

import os
import resource
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pliant

#: The scene, and how long it is simulated, s.
SCENE, DURATION = "sphere-pile", 0.5

#: Turns that all ways take.
TURNS = 3


def swept(out: Path, runs: int, **way: Any) -> tuple[float, float, list[str]]:
    """Wall time and CPU time of child processes beyond the steps, s; digests."""
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = pliant.sweep(SCENE, seeds=runs, out=out, set={"duration": DURATION}, **way)
    wall, after = time.perf_counter() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
    assert set(done.table["ended"]) == {"finished"}
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return wall, spent - float(done.table["cpu_s"].sum()), list(done.table["digest"])


def cluster() -> Any:
    """Two nodes of one processor each on this machine, or nothing without Ray."""
    try:
        from ray.cluster_utils import Cluster
    except ImportError:
        return None
    # Workers run at niceness 15 by default, and would be compared with processes that do not.
    os.environ.setdefault("RAY_worker_niceness", "0")
    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    made.add_node(num_cpus=1)
    made.wait_for_nodes()
    return made


def main() -> None:
    """Prints a table."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 24
    made = cluster()
    ways: dict[str, dict[str, Any]] = {"1 process": {"jobs": 1}, "2 processes": {"jobs": 2}}
    if made is not None:
        ways["2 nodes of a Ray cluster"] = {"engine": "ray", "address": made.address}
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in ways}
    digests: set[tuple[str, ...]] = set()
    with tempfile.TemporaryDirectory() as folder:
        for turn in range(TURNS):
            for name, way in ways.items():
                wall, beyond, found = swept(Path(folder) / f"{name}-{turn}", runs, **way)
                taken[name].append((wall, beyond))
                digests.add(tuple(found))
    if made is not None:
        made.shutdown()
    assert len(digests) == 1, "digests depend on where a run ran"
    alone = [wall for wall, _ in taken["1 process"]]
    print(f"{runs} runs of {SCENE}, {DURATION} s of 15; medians of {TURNS} turns; all digests equal\n")
    print("| made by | wall time | times as fast | CPU time beyond the steps, per run |\n|---|---|---|---|")
    for name, turns in taken.items():
        ratio = statistics.median(one / wall for one, (wall, _) in zip(alone, turns, strict=True))
        cpu = "–" if "Ray" in name else f"{1e3 * statistics.median(beyond for _, beyond in turns) / runs:.0f} ms"
        print(f"| {name} | {statistics.median(wall for wall, _ in turns):.1f} s | {ratio:.2f} | {cpu} |")


if __name__ == "__main__":
    main()
