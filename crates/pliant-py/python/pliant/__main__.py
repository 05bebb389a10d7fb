"""One run as a process, for sweeps: `python -m pliant --quiet run SCENE --out DIR …`.

The arguments and exit codes are those of the program `pliant`: 0 finished, 1 failed, 2 bad input,
130 interrupted.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ._pliant import Scene
from .errors import InputError, PliantError, SceneError


def main() -> int:
    """Makes the run that the arguments name."""
    parser = argparse.ArgumentParser(prog="python -m pliant")
    parser.add_argument("--quiet", action="store_true")
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser("run", help="run a scene into a folder")
    run.add_argument("scene")
    run.add_argument("--out", type=Path, required=True)
    run.add_argument("--set", dest="sets", action="append", default=[])
    run.add_argument("--threads", type=int, default=1)
    run.add_argument("--resume", action="store_true")
    run.add_argument("--force", action="store_true")
    arguments = parser.parse_args()
    existing = "refuse"
    if arguments.resume:
        existing = "resume"
    if arguments.force:
        existing = "replace"
    try:
        scene = Scene(arguments.scene, set=arguments.sets)
        summary = scene.run_into(arguments.out, threads=arguments.threads, existing=existing)
    except (SceneError, InputError) as error:
        print(error, file=sys.stderr)
        return 2
    except PliantError as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    if not arguments.quiet:
        print(summary["digest"])
    return 0 if summary["ended"] == "finished" else 1


if __name__ == "__main__":
    sys.exit(main())
