"""What calls cost from Python: penetrations beside the engine's part of the call, and the least calls.

`cargo xtask bench python` runs it on the release wheel. Both sides are in one process and take turns, so that a
loaded machine slows both; CPU time. Where `PLIANT_BENCH` names the folder of the piles of `cargo xtask bench depth`, the
pile is the one of 120 balls of 2924 tets there, otherwise one of generated balls.
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import pliant

#: Balls along the edges of a lattice, their distance, m, and layers: 120 of 2500 tets.
COUNTS, SPACING, LAYERS = (5, 6, 4), 1.9, 5

#: Turns that each side takes, and calls in each.
TURNS, CALLS = 15, 4

#: Calls of the least call.
SMALL_CALLS = 20_000


def pile(folder: Path) -> list[pliant.Mesh]:
    """The pile of `cargo xtask bench depth`: counts, then points and corners, separated by blanks."""
    numbers = np.array((folder / "ball2400.txt").read_text().split(), dtype=float)
    vertices, tets = (int(count) for count in numbers[:2])
    corners = 3 + 3 * vertices
    positions = numbers[3:corners].reshape(-1, 3)
    ball = pliant.Mesh(positions, tets=numbers[corners : corners + 4 * tets].astype(np.uint32).reshape(-1, 4))
    places = np.array((folder / "pile_overlap_120.txt").read_text().split(), dtype=float)
    return [ball.moved(place) for place in places[1 : 1 + 3 * int(places[0])].reshape(-1, 3)]


def balls() -> list[pliant.Mesh]:
    """Unit balls on a lattice that is a little too narrow for them."""
    if folder := os.environ.get("PLIANT_BENCH"):
        return pile(Path(folder))
    nx, ny, nz = COUNTS
    ball = pliant.ball(1.0, LAYERS)
    places = [(k % nx, k // nx % ny, k // nx // ny) for k in range(nx * ny * nz)]
    return [ball.moved(tuple(SPACING * c for c in place)) for place in places]


def spent(work: Callable[[], object]) -> float:
    """CPU time, s."""
    begin = time.process_time()
    work()
    return time.process_time() - begin


def beside(bodies: pliant.Bodies) -> None:
    """Prints what a call costs, and the engine's part of it."""
    assert bodies._engine_only(1) == len(bodies.penetrations())

    def ours() -> None:
        for _ in range(CALLS):
            bodies.penetrations()

    turns = [(spent(ours), spent(lambda: bodies._engine_only(CALLS))) for _ in range(TURNS)]
    ratios = sorted(own / engine for own, engine in turns)
    own, engine = (1e3 * statistics.median(side) / CALLS for side in zip(*turns, strict=True))
    print(
        f"| `Bodies.penetrations` of them | {own:.2f} ms | {engine:.2f} ms in Rust: "
        f"{statistics.median(ratios):.3f} times, {ratios[0]:.3f} to {ratios[-1]:.3f} in {TURNS} turns | 1.05 times |"
    )


def small(name: str, call: Callable[[], object]) -> None:
    """Prints what a call that does next to nothing costs."""
    call()
    begin = time.process_time()
    for _ in range(SMALL_CALLS):
        call()
    print(f"| {name} | {1e6 * (time.process_time() - begin) / SMALL_CALLS:.2f} µs | – | 20 µs |")


def main() -> None:
    """Prints all costs."""
    meshes = balls()
    bodies = pliant.Bodies(meshes)
    inside = len(bodies.penetrations())
    print(f"{len(meshes)} balls of {len(meshes[0].tets)} tets, {inside} vertices inside; CPU time, release wheel\n")
    print("| call | cost | the engine's part in the same process, in turn | at most |\n|---|---|---|---|")
    beside(bodies)
    world = pliant.World()
    body = world.add(pliant.SoftBody.ball(0.1, 2))
    world.step()
    small("`World.centre`", lambda: world.centre(body))
    small("`World.positions`, 55 vertices", lambda: world.positions(body))
    pair = pliant.Bodies([pliant.icosahedron(1.0), pliant.icosahedron(1.0).moved((5, 0, 0))])
    small("`Bodies.penetrations` that finds nothing", pair.penetrations)


if __name__ == "__main__":
    main()
