"""Objects of other libraries, where they are installed."""

import numpy as np
import pytest

import pliant


def test_meshio_comes_and_goes():
    pytest.importorskip("meshio")
    ball = pliant.ball(0.1, 2)
    there = pliant.to_meshio(ball)
    back = pliant.as_mesh(there)
    assert np.array_equal(back.tets, ball.tets) and np.array_equal(back.positions, ball.positions)
    surface = pliant.Mesh(ball.positions, triangles=ball.triangles)
    assert pliant.as_mesh(pliant.to_meshio(surface)).kind == "surface"


def test_trimesh_comes_and_goes():
    pytest.importorskip("trimesh")
    ball = pliant.ball(0.1, 3)
    there = pliant.to_trimesh(ball)
    assert there.is_watertight and there.volume == pytest.approx(ball.volume)
    assert len(pliant.penetrations([there, ball.moved((0.1, 0, 0))])) > 0


def test_pyvista_comes_and_goes():
    pytest.importorskip("pyvista")
    ball = pliant.ball(0.1, 2)
    back = pliant.as_mesh(pliant.to_pyvista(ball))
    assert np.array_equal(back.tets, ball.tets)
    surface = pliant.Mesh(ball.positions, triangles=ball.triangles)
    assert np.array_equal(pliant.as_mesh(pliant.to_pyvista(surface)).triangles, surface.triangles)
    import pyvista

    assert pliant.as_mesh(pyvista.Cube()).kind == "surface"


def test_what_describes_no_mesh_is_refused():
    for wrong in [object(), 3, ([[0, 0, 0]], [[0, 1]])]:
        with pytest.raises(pliant.InputError):
            pliant.as_mesh(wrong)
