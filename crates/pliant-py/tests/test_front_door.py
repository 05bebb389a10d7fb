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


def test_a_body_touches_with_its_contact_mesh():
    world = pliant.World()
    world.add(pliant.Obstacle.plane((0, 0, 1), 0.0))
    cube = pliant.SoftBody.cuboid((0.2, 0.2, 0.2), (2, 2, 2)).young(1e6).damping(0.02)
    carried = world.add(cube.contact_mesh(pliant.ball(0.08, 6)).at((0, 0, 0.1)))
    plain = world.add(cube.at((1, 0, 0.1)))
    assert world.contact_mesh(plain) is None
    world.step(120)
    positions, triangles = world.contact_mesh(carried)
    assert triangles.max() < len(positions)
    # The sphere of 0.08 m rests on the floor, so that the cube around it reaches below.
    assert abs(positions[:, 2].min()) < 5e-3
    assert world.positions(carried)[:, 2].min() < -0.01 < world.positions(plain)[:, 2].min()
    with pytest.raises(pliant.WorldError):
        world.add(pliant.SoftBody(pliant.cloth((1, 1))).mass(1.0).contact_mesh(pliant.ball(0.1)))
