"""How many steps a second a hundred soft grippers make in one process.

`cargo xtask bench python` runs it on the release wheel; the environment is that of `examples/gripper.py`.
"""

from __future__ import annotations

import contextlib
import importlib.util
import io
import statistics
import time
from pathlib import Path

#: The environment.
FILE = Path(__file__).parent.parent / "examples" / "gripper.py"

#: Environments, steps of each, and rounds.
COUNT, STEPS, ROUNDS = 100, 60, 5


def main() -> None:
    """Prints a table of one line."""
    spec = importlib.util.spec_from_file_location("gripper", FILE)
    assert spec is not None and spec.loader is not None
    gripper = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(gripper)
    rates, per_core = [], []
    for _ in range(ROUNDS):
        begin = time.process_time()
        with contextlib.redirect_stdout(io.StringIO()):
            rates.append(gripper.main(COUNT, STEPS))
        # With making and resetting the environments: what a study pays.
        per_core.append(COUNT * STEPS / (time.process_time() - begin))
    print("| environments | steps of each | steps per second, two threads | steps per second of CPU time, with making them |")
    print("|---|---|---|---|")
    print(f"| {COUNT} | {STEPS} | {statistics.median(rates):.0f} | {statistics.median(per_core):.0f} |")


if __name__ == "__main__":
    main()
