"""Everything of the front door is there, or is left out for a reason."""

import re
from pathlib import Path

import pytest

import pliant

SOURCES = Path(__file__).parents[2] / "pliant/src/world"

#: Methods of the library's World that have no counterpart, and why.
LEFT_OUT = {
    "new": "the constructor of the class",
    "assemble": "happens by itself; in Rust it lets a caller look at the assembled system",
    "set_assembly": "takes code that makes a stepper, which is Rust",
    "simulation": "lends the inside of the engine, whose types are Rust",
    "simulation_mut": "the same, to be changed",
    "contact_mesh": "fine contact meshes come with scenes, not yet with bodies made in Python",
    "cast_ray_with": "the arguments `max_distance` and `only` of `cast_ray`",
}


def front_door():
    """Names of the public methods of `World` in the library's sources."""
    names = set()
    for file in sorted(SOURCES.glob("*.rs")):
        for block in re.findall(r"^impl World \{\n(.*?)^\}", file.read_text(), re.S | re.M):
            names.update(re.findall(r"^    pub fn (\w+)", block, re.M))
    return names


@pytest.mark.skipif(not SOURCES.is_dir(), reason="the library's sources are not here")
def test_every_method_of_the_world_is_wrapped_or_left_out_for_a_reason():
    names = front_door()
    assert len(names) > 50, "the sources were not understood"
    missing = {name for name in names if not hasattr(pliant.World, name)}
    assert missing == LEFT_OUT.keys()


def test_pins_can_be_looked_at_and_let_go_one_by_one():
    world = pliant.World()
    box = world.add(pliant.SoftBody.cuboid((1, 1, 1), (2, 2, 2)))
    world.pin(box, [3, 5])
    assert world.pinned(box).tolist() == [3, 5]
    world.unpin_vertices(box, [3])
    assert world.pinned(box).tolist() == [5]
    before = world.positions(box)
    world.step(5)
    moved = (world.positions(box) != before).any(axis=1)
    assert moved[3] and not moved[5]


def test_the_solver_can_be_set():
    world = pliant.World()
    world.add(pliant.Obstacle.plane((0, 0, 1), 0.0))
    world.add(pliant.SoftBody.ball(0.1, 2).young(5e4).at((0, 0, 0.1)))
    world.set_solver(sweeps=200, velocity_tolerance=1e-9, tolerance=1e-9)
    assert world.step(10).unconverged == 0
    with pytest.raises(pliant.InputError, match="tolerance: expected more than 0, got -1"):
        world.set_solver(tolerance=-1.0)
