"""How a sweep scales: 1 and 2 workers, and what a run costs beyond its steps.

    python scaling.py [runs]

Wall times of 1 and 2 processes take turns, so that a loaded machine slows both; what a run costs
beyond its steps is CPU time of the worker processes less that of the steps they report.
"""

from __future__ import annotations

import resource
import statistics
import sys
import tempfile
import time
from pathlib import Path

import pliant

#: The scene, and how long it is simulated, s.
SCENE, DURATION = "sphere-pile", 0.5

#: Turns that 1 and 2 workers take.
TURNS = 2


def swept(out: Path, runs: int, jobs: int) -> tuple[float, float, float]:
    """Wall time, CPU time of the workers, and CPU time of the steps, s."""
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = pliant.sweep(SCENE, seeds=runs, out=out, set={"duration": DURATION}, jobs=jobs)
    wall, after = time.perf_counter() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
    assert set(done.table["ended"]) == {"finished"}
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return wall, spent, float(done.table["cpu_s"].sum())


def main() -> None:
    """Prints both."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 12
    with tempfile.TemporaryDirectory() as folder:
        turns = [
            [swept(Path(folder) / f"{jobs}-{turn}", runs, jobs) for jobs in (1, 2)]
            for turn in range(TURNS)
        ]
    ratios = [one[0] / two[0] for one, two in turns]
    print(f"{runs} runs of {SCENE}, {DURATION} s: 1 worker {statistics.median(one[0] for one, _ in turns):.1f} s,")
    print(f"2 workers {statistics.median(two[0] for _, two in turns):.1f} s; {statistics.median(ratios):.2f} times as fast")
    beyond = [(spent - steps) / runs for turn in turns for _, spent, steps in turn]
    print(f"CPU time beyond the steps: {1e3 * statistics.median(beyond):.0f} ms per run")


if __name__ == "__main__":
    main()
