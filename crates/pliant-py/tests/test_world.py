"""The front door."""

import signal
import threading
import time

import numpy as np
import pytest

import pliant


def falling():
    world = pliant.World()
    floor = world.add(pliant.Obstacle.plane((0, 0, 1), 0.0))
    ball = world.add(pliant.SoftBody.ball(0.1, 2).young(5e4).density(500.0).at((0, 0, 0.3)))
    return world, floor, ball


def test_a_ball_comes_to_rest_on_the_floor():
    world, floor, ball = falling()
    report = world.step(180)
    assert report.unconverged == 0 and world.time == pytest.approx(3.0)
    assert 0.05 < world.centre(ball)[2] < 0.11
    assert np.linalg.norm(world.velocity(ball)) < 0.01  # it has edges, and rolls over them
    force, _, contacts = world.contact_load(floor)
    assert force[2] == pytest.approx(-world.mass(ball) * 9.81, rel=0.02) and contacts > 0
    assert world.touching() == [(ball, floor)]
    points = world.contacts()
    assert len(points) > 0 and points.body[0] == ball and points.point.shape[1] == 3


def test_positions_are_copies_and_can_be_written_into_an_array():
    world, _, ball = falling()
    first = world.positions(ball)
    out = np.empty_like(first)
    world.step()
    assert world.positions(ball, out=out) is out
    assert not np.array_equal(first, out)
    assert np.array_equal(out, world.positions(ball))
    assert world.velocities(ball).shape == first.shape and world.triangles(ball).max() < len(first)
    for wrong, message in [
        (np.empty((3, 3)), r"out: expected shape \(55, 3\), got \(3, 3\)"),
        (np.asfortranarray(out), "out: expected C order"),
    ]:
        with pytest.raises(pliant.InputError, match=message):
            world.positions(ball, out=wrong)


def test_events_say_when_things_begin_to_touch():
    world, floor, ball = falling()
    events = []
    for _ in range(60):
        world.step()
        events += world.events()
    assert (events[0].kind, events[0].body, events[0].other) == ("began", ball, floor)
    assert events[0].impulse[2] > 0


def test_a_saved_world_continues_with_the_same_bits():
    world, _, ball = falling()
    world.step(20)
    saved = world.save()
    assert isinstance(saved, bytes)
    world.step(20)
    expected = world.digest()
    world.restore(saved)
    world.step(20)
    assert world.digest() == expected
    with pytest.raises(pliant.WorldError):
        world.restore(saved[:-8])


def test_rays_find_what_can_be_grabbed_and_dragged():
    world, floor, ball = falling()
    world.set_gravity((0, 0, 0))
    hit = world.cast_ray((0, 0, 2), (0, 0, -1))
    assert hit.collider == ball and hit.normal[2] > 0.5 and sum(hit.weights) == pytest.approx(1)
    assert world.cast_ray((0, 0, 2), (0, 0, -1), only=[floor]).collider == floor
    assert world.cast_ray((0, 0, 2), (0, 0, -1), 0.5) is None
    grab = world.grab(hit, 500.0)
    world.drag(grab, (0.0, 0.0, 1.0))
    world.step(60)
    assert world.centre(ball)[2] > 0.5
    world.release(grab)
    assert world.bodies_at(world.centre(ball)) == [ball]
    assert world.bodies_in((-1, -1, -1), (1, 1, 2)) == [ball]
    assert world.nearest_point((0, 0, 5)).collider == ball


def test_joints_have_limits_motors_and_loads():
    world = pliant.World(gravity=(0, 0, 0))
    door = world.add(pliant.RigidBody.cuboid((0.8, 0.04, 2.0)).density(600.0))
    hinge = pliant.Joint.hinge(door, None, (-0.4, 0, 0), (0, 0, 1)).limits(0.0, 1.5)
    hinge = world.add(hinge.motor(1.0, 500.0))
    world.step(120)
    assert world.travel(hinge) == pytest.approx(1.5, abs=0.01)
    force, torque = world.joint_load(hinge)
    assert force.shape == torque.shape == (3,)
    world.set_motor(hinge, None)
    world.remove(hinge)
    with pytest.raises(pliant.WorldError, match="joint .* is not in this world"):
        world.travel(hinge)


def test_kinematic_bodies_push():
    world = pliant.World(gravity=(0, 0, 0))
    piston = world.add(pliant.KinematicBody.cuboid((0.1, 0.5, 0.5)))
    die = world.add(pliant.RigidBody.cuboid((0.1, 0.1, 0.1)).at((0.2, 0, 0)))
    for step in range(1, 31):
        world.move_to(piston, (0.02 * step, 0, 0))
        world.step()
    position, rotation = world.pose(piston)
    assert position[0] == pytest.approx(0.6) and rotation.tolist() == [0, 0, 0, 1]
    assert world.centre(die)[0] > 0.6


def test_what_is_changed_between_steps_counts():
    world, floor, ball = falling()
    world.set_velocity(ball, (1, 0, 0))
    world.apply_impulse(ball, (world.mass(ball), 0, 0), world.centre(ball))
    assert world.velocity(ball)[0] == pytest.approx(2)
    world.set_force(ball, (0, 0, world.mass(ball) * 9.81))
    height = world.centre(ball)[2]
    world.step(10)
    assert world.centre(ball)[2] == pytest.approx(height, abs=1e-6)
    world.set_material(ball, pliant.Material.neo_hookean(1e5))
    world.set_surface(ball, friction=0.9, group=3)
    world.ignore(3, 0)
    world.set_force(ball, (0, 0, 0))
    world.step(60)
    assert world.centre(ball)[2] < -0.5  # through the floor
    world.unignore(3, 0)
    world.pin(ball, [0, 1])
    world.unpin(ball)
    world.set_positions(ball, world.positions(ball) + [0, 0, 5])
    world.ignore_pair(ball, floor)
    world.unignore_pair(ball, floor)
    assert world.energy()["gravitational"] > 0
    die = world.add(pliant.RigidBody.cuboid((0.1, 0.1, 0.1)).at((3, 0, 3)))
    world.set_spin(die, (0, 0, 1))
    world.set_pose(die, (3, 0, 4))
    assert world.spin(die)[2] == pytest.approx(1) and world.contains(die)
    world.remove(die)
    assert not world.contains(die)


def test_overlap_of_bodies_is_found():
    world = pliant.World()
    low = world.add(pliant.SoftBody.cuboid((1, 1, 1), (4, 4, 4)))
    high = world.add(pliant.SoftBody.cuboid((0.2, 0.2, 0.2), (2, 2, 2)).at((0.11, 0.13, 0.55)))
    found = world.penetrations()
    assert len(found) == 9
    assert all(point.body == high and point.into == [low] for point in found)
    assert found[0].depth == pytest.approx(0.05, abs=0.01) and found[0].reason is None
    assert found[0].exit["body"] == low


@pytest.mark.parametrize(
    ("thing", "error", "message"),
    [
        (lambda: pliant.SoftBody.ball(-1.0, 2), pliant.WorldError, "radius"),
        (lambda: pliant.SoftBody.ball(0.1, 2).young(-5.0), pliant.WorldError, "(?i)young"),
        (lambda: pliant.SoftBody.ball(0.1, 2).at((0, 0, float("nan"))), pliant.InputError, "position: .* got .*nan"),
        (lambda: pliant.SoftBody.ball(0.1, 2).at((0, 0, float("inf"))), pliant.WorldError, "position"),
        (lambda: pliant.SoftBody(pliant.cloth((1, 1))), pliant.WorldError, "tets"),
        (lambda: pliant.SoftBody.ball(0.1, 2).at((0, 0)), TypeError, "expected three numbers, got"),
        (lambda: pliant.SoftBody.ball(0.1, 2).group(40), pliant.InputError, "expected 0 to 31, got 40"),
        (lambda: pliant.SoftBody.ball(0.1, 2).preset("jelly"), pliant.InputError, "expected rubber"),
        (lambda: "a ball", TypeError, "expected a SoftBody"),
    ],
)
def test_what_a_world_refuses_is_said(thing, error, message):
    with pytest.raises(error, match=message):
        pliant.World().add(thing())


def test_handles_of_another_world_are_refused():
    world, _, ball = falling()
    other = pliant.World()
    with pytest.raises(pliant.WorldError, match="belongs to another world"):
        other.positions(ball)


def test_ctrl_c_ends_steps_between_two_of_them():
    world, _, _ = falling()
    timer = threading.Timer(0.3, signal.raise_signal, [signal.SIGINT])
    timer.start()
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        world.step(500_000)  # some minutes, so that a signal that is lost fails and does not hang
    assert time.monotonic() - begin < 10
    world.step()  # it is as good as before


def test_a_world_can_be_used_from_several_threads():
    world, _, ball = falling()
    failures = []

    def read():
        for _ in range(50):
            if world.positions(ball).shape != (55, 3):
                failures.append("shape")

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    world.step(50)
    for thread in threads:
        thread.join()
    assert not failures
    alone, _, _ = falling()
    alone.step(50)
    assert world.digest() == alone.digest()


def test_steps_release_the_interpreter_lock():
    world = pliant.World()
    world.add(pliant.Obstacle.plane())
    for k in range(8):
        world.add(pliant.SoftBody.ball(0.1, 6).at((0, 0, 0.2 + 0.25 * k)))
    world.step()
    ticks = []
    work = threading.Thread(target=lambda: world.step(3))
    work.start()
    while work.is_alive():
        ticks.append(time.monotonic())
        time.sleep(0.001)
    work.join()
    assert len(ticks) > 5
