"""What calls cost from Python: penetrations beside the same call in Rust, and the least calls.

`cargo xtask bench python` builds both sides and runs this with the program of the Rust side
(`crates/pliant/examples/depth_cost.rs`). CPU time; both take turns, so that a loaded machine slows
both.
"""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable

import pliant

#: Balls along the edges of the lattice, and their distance, m: as on the Rust side.
COUNTS, SPACING, LAYERS = (5, 6, 4), 1.9, 5

#: Turns that each side takes, and calls in each.
TURNS, CALLS = 7, 8

#: Calls of the least call.
SMALL_CALLS = 20_000


def balls() -> list[pliant.Mesh]:
    """The balls of the Rust side."""
    nx, ny, nz = COUNTS
    ball = pliant.ball(1.0, LAYERS)
    places = [(k % nx, k // nx % ny, k // nx // ny) for k in range(nx * ny * nz)]
    return [ball.moved(tuple(SPACING * c for c in place)) for place in places]


def in_rust(program: str, mode: str, calls: int) -> tuple[float, int]:
    """CPU time of a process that makes so many calls, s, and the vertices that it found."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([program, mode, str(calls)], check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return spent, int(done.stdout)


def beside(name: str, program: str, mode: str, call: Callable[[], pliant.Penetrations]) -> None:
    """Prints what a call costs on both sides."""
    ours, theirs, inside = [], [], len(call())
    for _ in range(TURNS):
        begin = time.process_time()
        for _ in range(CALLS):
            call()
        ours.append((time.process_time() - begin) / CALLS)
        # What one call costs, without the start of the process.
        (most, found), (least, _) = in_rust(program, mode, CALLS + 1), in_rust(program, mode, 1)
        theirs.append((most - least) / CALLS)
        assert found == inside, (found, inside)
    ratios = sorted(own / other for own, other in zip(ours, theirs, strict=True))
    own, other = (1e3 * statistics.median(side) for side in (ours, theirs))
    print(
        f"{name}: Python {own:.2f} ms, Rust {other:.2f} ms; ratio {statistics.median(ratios):.3f} "
        f"({ratios[0]:.3f} to {ratios[-1]:.3f})"
    )


def small(name: str, call: Callable[[], object]) -> None:
    """Prints what a call that does next to nothing costs."""
    call()
    begin = time.process_time()
    for _ in range(SMALL_CALLS):
        call()
    print(f"{name}: {1e6 * (time.process_time() - begin) / SMALL_CALLS:.2f} µs")


def main() -> None:
    """Prints all costs."""
    meshes = balls()
    bodies = pliant.Bodies(meshes)
    inside = len(bodies.penetrations())
    print(f"{len(meshes)} balls of {len(meshes[0].tets)} tets, {inside} vertices inside, CPU time")
    beside("Bodies.penetrations", sys.argv[1], "kept", bodies.penetrations)
    beside("penetrations", sys.argv[1], "once", lambda: pliant.penetrations(meshes))
    world = pliant.World()
    body = world.add(pliant.SoftBody.ball(0.1, 2))
    world.step()
    small("World.centre", lambda: world.centre(body))
    small("World.positions, 55 vertices", lambda: world.positions(body))
    pair = pliant.Bodies([pliant.icosahedron(1.0), pliant.icosahedron(1.0).moved((5, 0, 0))])
    small("Bodies.penetrations that finds nothing", pair.penetrations)


if __name__ == "__main__":
    main()
