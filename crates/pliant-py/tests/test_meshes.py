"""Meshes in and out, and what is refused."""

import numpy as np
import pytest

import pliant

CORNERS = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
TET = np.array([[0, 1, 2, 3]])


def test_a_mesh_gives_back_what_it_was_made_of():
    mesh = pliant.Mesh(CORNERS, tets=TET, regions=[7], name="corner")
    assert np.array_equal(mesh.positions, CORNERS)
    assert np.array_equal(mesh.tets, TET)
    assert mesh.regions.tolist() == [7]
    assert (mesh.name, mesh.kind, mesh.triangles.shape) == ("corner", "tets", (4, 3))
    assert mesh.volume == pytest.approx(1 / 6)


def test_arrays_of_a_mesh_are_made_once_and_read_only():
    mesh = pliant.ball(0.1, 2)
    assert mesh.positions is mesh.positions
    with pytest.raises(ValueError):
        mesh.positions[0] = 0


@pytest.mark.parametrize("dtype", [np.float32, np.int64, np.float64])
@pytest.mark.parametrize("order", ["C", "F"])
def test_numbers_of_any_order_and_exact_dtype_are_taken(dtype, order):
    mesh = pliant.Mesh(np.asarray(CORNERS, dtype=dtype, order=order), tets=np.asfortranarray(TET))
    assert np.array_equal(mesh.positions, CORNERS)


@pytest.mark.parametrize(
    ("positions", "tets", "message"),
    [
        (CORNERS.T[:, :3], TET, r"row 0 names vertex 3, expected 0 to 2"),
        (CORNERS[:, :2], TET, r"positions: expected an array of float64 of shape \(n, 3\), got shape \(4, 2\)"),
        (np.zeros((3, 5)), TET, r"got shape \(3, 5\): transpose it"),
        (CORNERS.astype(complex), TET, "got dtype complex128"),
        (CORNERS.astype(np.longdouble), TET, "got dtype float128"),
        (CORNERS.astype(str), TET, "got dtype <U"),
        ([[1, 2], [3]], TET, "positions: expected an array of float64"),
        (CORNERS, TET.astype(float), r"tets: expected an array of int64 of shape \(n, 4\), got dtype float64"),
        (CORNERS, TET[:, :3], r"tets: .* got shape \(1, 3\)"),
        (CORNERS, [[0, 1, 2, 9]], "tets: row 0 names vertex 9, expected 0 to 3"),
        (CORNERS, [[0, 1, 2, -1]], "tets: row 0 names vertex -1"),
        (CORNERS + [0, np.nan, 0], TET, r"positions: row 0 is \[0, NaN, 0\], expected finite numbers"),
        (CORNERS, None, "expected tets or triangles, got neither"),
    ],
)
def test_a_wrong_array_is_named_with_what_was_expected(positions, tets, message):
    with pytest.raises(pliant.InputError, match=message):
        pliant.Mesh(positions, tets=tets)


def test_meshes_that_are_no_bodies_are_refused_with_the_librarys_message():
    with pytest.raises(pliant.MeshError, match="tet 0 has no volume"):
        pliant.Mesh(CORNERS * [1, 1, 0], tets=TET)
    with pytest.raises(pliant.MeshError, match="edge 0–1"):
        pliant.Mesh(CORNERS, triangles=[[0, 1, 2]])
    with pytest.raises(pliant.MeshError, match="missing.obj: "):
        pliant.read_mesh("missing.obj")


def test_inverted_tets_are_turned_around_with_a_notice():
    mesh = pliant.Mesh(CORNERS, tets=TET[:, [0, 2, 1, 3]])
    assert "turned around" in mesh.notices[0]


@pytest.mark.parametrize("name", ["a.vtu", "a.vtk", "a.msh"])
def test_tets_come_back_from_files(name):
    mesh = pliant.torus(1.0, 0.25)
    mesh.write(name)
    read = pliant.read_mesh(name)
    assert np.array_equal(read.positions, mesh.positions)
    assert np.array_equal(read.tets, mesh.tets)


def test_a_file_that_cannot_be_written_is_an_error():
    with pytest.raises(pliant.MeshError, match="cannot write this format"):
        pliant.ball(0.1, 1).write("ball.xyz")
    with pytest.raises(pliant.MeshError, match="the mesh has no tets; name it .obj"):
        pliant.cloth((1, 1)).write("cloth.vtu")


def test_generators_make_bodies_of_the_stated_volume():
    assert pliant.box((1, 2, 3)).volume == pytest.approx(6)
    assert pliant.ball(1.0, 8).volume == pytest.approx(4 / 3 * np.pi, rel=0.02)
    assert pliant.membrane((1, 2), 0.1).volume == pytest.approx(0.2)
    for mesh in [pliant.tube(0.5, 1, 2), pliant.star(1, 0.38, 0.2), pliant.l_block((1, 1), 0.3)]:
        assert mesh.kind == "tets" and mesh.volume > 0
    assert len(pliant.icosahedron(1.0).tets) == 20


def test_a_surface_is_filled_within_its_bounds():
    ball = pliant.ball(0.1, 6)
    surface = pliant.Mesh(ball.positions, triangles=ball.triangles)
    mesh, quality = pliant.mesh_surface(surface, size=0.03)
    assert surface.kind == "surface" and mesh.kind == "tets"
    assert mesh.volume == pytest.approx(surface.volume, rel=0.05)
    assert quality["min_dihedral"] > np.radians(9.3)
    with pytest.raises(pliant.MeshError, match="positive finite length"):
        pliant.mesh_surface(surface, size=-1.0)


def test_check_lists_all_problems():
    report = pliant.check(CORNERS, triangles=[[0, 1, 2]])
    assert {problem["kind"] for problem in report["problems"]} >= {"open_edges"}
    assert pliant.check(pliant.ball(0.1, 2))["problems"] == []
    bad = CORNERS.copy()
    bad[3] = np.nan
    assert pliant.check(bad, tets=TET)["problems"][0]["kind"] == "non_finite"
    with open("scene.toml", "w") as file:
        file.write("duration = 'long'\n")
    assert pliant.check("scene.toml")["kind"] == "scene"
    assert "error" in pliant.check("missing.obj")


def test_a_moved_mesh_keeps_its_tets():
    box = pliant.box((1, 1, 1))
    turned = box.moved((0, 0, 1), rotation=(0, 0, 1, 0), scale=2.0)
    assert np.allclose(turned.positions, box.positions * [-2, -2, 2] + [0, 0, 1])
    longer = box.moved((0, 0, 1), rotation=(0, 0, 3, 0), scale=2.0)
    assert np.array_equal(longer.positions, turned.positions), "a quaternion of any length turns, and does not scale"
    with pytest.raises(pliant.InputError, match=r"expected shape \(8, 3\), got \(4, 3\)"):
        box.with_positions(CORNERS)
