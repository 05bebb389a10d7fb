"""Penetrations as arrays."""

import threading

import numpy as np
import pytest

import pliant


@pytest.fixture
def pair():
    low = pliant.box((1, 1, 1), (4, 4, 4))
    high = pliant.box((0.2, 0.2, 0.2), (2, 2, 2)).moved((0.11, 0.13, 0.55))
    return [low, high]


def test_a_box_that_stands_in_another_leaves_upwards(pair):
    found = pliant.penetrations(pair)
    assert len(found) == 9
    assert set(found.body.tolist()) == {1} and set(found.into.tolist()) == {0}
    assert np.allclose(found.depth, 0.05) and np.allclose(found.direction, [0, 0, 1])
    assert found.into_offsets.tolist() == list(range(10))


def test_an_exit_is_the_weighted_sum_of_its_triangle(pair):
    found = pliant.penetrations(pair)
    corners = pair[0].positions[found.exit_triangle]
    assert np.allclose(np.einsum("nk,nkd->nd", found.exit_weights, corners), found.exit_point)
    assert np.allclose(found.exit_weights.sum(axis=1), 1)
    assert np.allclose(found.exit_point[:, 2], 0.5)


def test_bodies_of_known_topology_find_the_same(pair):
    bodies, once = pliant.Bodies(pair), pliant.penetrations(pair)
    for positions in [None, bodies.positions]:
        found = bodies.penetrations(positions)
        for column in ["body", "vertex", "ring", "depth", "direction", "exit_triangle"]:
            assert np.array_equal(getattr(found, column), getattr(once, column)), column


def test_threads_do_not_change_a_bit():
    balls = [pliant.ball(0.5, 4).moved((0.6 * k, 0.1 * k, 0)) for k in range(4)]
    bodies = pliant.Bodies(balls)
    one, two = (bodies.penetrations(threads=threads) for threads in (1, 2))
    assert len(one) > 50
    assert np.array_equal(one.depth, two.depth) and np.array_equal(one.direction, two.direction)


def test_the_closest_feature_is_never_farther(pair):
    consistent = pliant.penetrations(pair)
    closest = pliant.penetrations(pair, method="closest")
    assert np.array_equal(consistent.vertex, closest.vertex)
    assert (closest.depth <= consistent.depth + 1e-12).all()


def test_vertices_without_a_way_out_are_said():
    outer, inner = pliant.box((1, 1, 1), (2, 2, 2)), pliant.box((0.1, 0.1, 0.1))
    found = pliant.penetrations([outer, inner.moved((0.22, 0.21, 0.2))])
    assert len(found) == 0 and len(found.unresolved_vertex) == 8
    assert set(found.unresolved_reason) == {"enclosed"}


def test_objects_that_describe_meshes_are_taken(pair):
    low, high = pair
    found = pliant.penetrations([(low.positions, low.tets), (high.positions, high.triangles)])
    assert len(found) > 0
    with pytest.raises(pliant.InputError, match="expected a pliant.Mesh, a file, a pair"):
        pliant.penetrations([low, 3])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "deepest"}, "method: \"deepest\" is unknown, expected consistent, closest"),
        ({"exponent": 0.0}, "the exponent is 0"),
        ({"scope": "all"}, "scope: "),
        ({"normals": "round"}, "normals: "),
    ],
)
def test_settings_without_a_meaning_are_refused(pair, options, message):
    with pytest.raises(pliant.InputError, match=message):
        pliant.penetrations(pair, **options)


def test_positions_of_another_scene_are_refused(pair):
    bodies = pliant.Bodies(pair)
    with pytest.raises(pliant.InputError, match=r"positions: expected shape \(152, 3\), got \(151, 3\)"):
        bodies.penetrations(bodies.positions[1:])
    broken = bodies.positions
    broken[3, 1] = np.inf
    with pytest.raises(pliant.InputError, match="row 3"):
        bodies.penetrations(broken)
    with pytest.raises(pliant.MeshError, match="mesh 1 has no inside"):
        pliant.Bodies([pair[0], pliant.cloth((1, 1))])


def test_several_threads_share_bodies():
    bodies = pliant.Bodies([pliant.ball(0.5, 4), pliant.ball(0.5, 4).moved((0.6, 0, 0))])
    expected = bodies.penetrations().depth
    found = []
    work = [threading.Thread(target=lambda: found.append(bodies.penetrations().depth)) for _ in range(8)]
    for thread in work:
        thread.start()
    for thread in work:
        thread.join()
    assert len(found) == 8 and all(np.array_equal(depth, expected) for depth in found)


def test_outlines_are_measured():
    square = np.array([[0.0, 0], [1, 0], [1, 1], [0, 1]])
    apart = pliant.proximity(square, square + [1.5, 0])
    assert apart["separation"]["distance"] == pytest.approx(0.5)
    inside = pliant.proximity([square], [square + [0.75, 0.1]], error=1e-6)
    assert inside["intersects"] and inside["overlap_area"] == pytest.approx(0.25 * 0.9, abs=1e-5)
    with open("a.geojson", "w") as file:
        file.write('{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1],[0,0]]]}')
    assert pliant.proximity("a.geojson", "a.geojson")["intersects"]
    for wrong, message in [
        ((square[:, :1], square), r"a: expected an array of float64 of shape \(n, 2\)"),
        ((square, square * np.nan), "b: row 0"),
        (("a.geojson", square), "expected two files, or two outlines"),
    ]:
        with pytest.raises(pliant.InputError, match=message):
            pliant.proximity(*wrong)
    with pytest.raises(pliant.OutlineError, match="missing.geojson"):
        pliant.proximity("missing.geojson", "a.geojson")
