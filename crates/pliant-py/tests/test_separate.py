"""Meshes that overlap, taken apart."""

import signal
import threading
import time

import numpy as np
import pytest

import pliant


def two(distance=0.7):
    box = pliant.box((1, 1, 1), (2, 2, 2))
    return [box, box.moved((distance, 0.1, 0.2))]


def test_meshes_come_back_with_the_same_cells_and_apart():
    given = two()
    found = pliant.separate(given, by="rigid", gap=0.01)
    assert found.free and found.left == [] and found.gap == 0.01
    assert [pair["bodies"] for pair in found.before] == [[0, 1]]
    for before, after, change in zip(given, found.meshes, found.changes, strict=True):
        assert np.array_equal(before.tets, after.tets)
        moved = np.linalg.norm(after.positions - before.positions, axis=1)
        assert change["by"] == "rigid" and moved.max() == pytest.approx(change["largest_movement"])
    assert len(pliant.penetrations(found.meshes)) == 0


def test_what_is_fixed_stays_and_what_is_soft_is_strained():
    ball = pliant.ball(0.5, 3)
    found = pliant.separate([ball, ball.moved((0.8, 0.05, 0))], by="soft", fixed=[0])
    assert found.free
    assert np.array_equal(found.meshes[0].positions, ball.positions)
    assert [change["by"] for change in found.changes] == ["none", "soft"]
    assert found.changes[1]["strain"] > 0.01 and found.changes[1]["inverted_tets"] == 0
    assert found.changes[1]["undeformed"] is None  # the reason, of bodies moved as they are


def test_surfaces_of_arrays_are_separated_too():
    box = pliant.box((1, 1, 1), (2, 2, 2))
    surface = pliant.Mesh(box.positions, triangles=box.triangles)
    found = pliant.separate([surface, surface.moved((0.9, 0, 0))])
    assert found.free and [mesh.kind for mesh in found.meshes] == ["surface", "surface"]


def test_what_cannot_be_separated_is_left_and_named():
    found = pliant.separate(two(), fixed=[0, 1])
    assert not found.free and found.left[0]["bodies"] == [0, 1] and found.left[0]["depth"] > 0


def test_nested_meshes_may_stay():
    large, small = pliant.box((1, 1, 1), (2, 2, 2)), pliant.box((0.2, 0.2, 0.2), (2, 2, 2))
    assert pliant.separate([large, small], nested="keep").changes[1]["by"] == "none"
    assert pliant.separate([large, small]).changes[1]["largest_movement"] > 0.3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"by": "force"}, "by: "),
        ({"nested": "both"}, "nested: expected separate or keep, got both"),
        ({"fixed": [2]}, "fixed: there is no mesh 2, 2 are given"),
    ],
)
def test_wrong_arguments_are_named(arguments, message):
    with pytest.raises(pliant.InputError, match=message):
        pliant.separate(two(), **arguments)


def test_a_gap_that_is_none_and_a_mesh_without_inside_are_refused():
    with pytest.raises(pliant.MeshError, match="the gap is -1"):
        pliant.separate(two(), gap=-1.0)
    with pytest.raises(pliant.MeshError, match="mesh 1 has no inside"):
        pliant.separate([two()[0], pliant.cloth((1, 1), (4, 4))])


def interrupted(call):
    """Seconds until a call that takes long ends after Ctrl-C."""
    pressed = []

    def press():
        time.sleep(0.5)
        pressed.append(time.monotonic())
        signal.raise_signal(signal.SIGINT)

    thread = threading.Thread(target=press)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        call()
    thread.join()
    return time.monotonic() - pressed[0]


def test_long_calls_end_at_ctrl_c():
    ball = pliant.ball(0.5, 12)
    rng = np.random.default_rng(1)
    many = [ball.moved(rng.uniform(-0.5, 0.5, 3)) for _ in range(12)]
    # An iteration is not cut short; on a busy machine one takes seconds.
    assert interrupted(lambda: [pliant.separate(many, by="soft") for _ in range(20)]) < 30
    assert interrupted(lambda: [pliant.mesh_surface(ball, size=0.02) for _ in range(20)]) < 5
    crowd = pliant.Bodies(many * 4)
    assert interrupted(lambda: [crowd.penetrations() for _ in range(1000)]) < 5


def test_bodies_of_a_world_are_separated():
    world = pliant.World()
    soft = world.add(pliant.SoftBody.cuboid((1, 1, 1), (2, 2, 2)))
    rigid = world.add(pliant.RigidBody.cuboid((1, 1, 1)).at((0.7, 0.1, 0.2)))
    assert world.separate(by="rigid") == []
    assert len(world.penetrations()) == 0
    assert world.centre(rigid)[0] - world.centre(soft)[0] > 0.9
