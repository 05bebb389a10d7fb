"""Meshes from and to meshio, trimesh and pyvista, none of which is required.

>>> import pliant
>>> from pliant.interop import as_mesh
>>> box = pliant.box((1, 1, 1))
>>> as_mesh((box.positions, box.tets)).kind
'tets'
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from ._pliant import Mesh, read_mesh
from .errors import InputError, InputTypeError

__all__ = ["as_mesh", "to_meshio", "to_pyvista", "to_trimesh"]

_EXPECTED = (
    "expected a pliant.Mesh, a file, a pair (positions, tets or triangles), "
    "or a mesh of meshio, trimesh or pyvista"
)

#: VTK's number of a tet, as pyvista's cells are named by.
_VTK_TET = 10

#: VTK's number of a triangle.
_VTK_TRIANGLE = 5


def as_mesh(given: Any, name: str = "given") -> Mesh:
    """A mesh of ours from anything that describes one; tets count before triangles.

    `name` is what errors call it.
    """
    if isinstance(given, Mesh):
        return given
    if isinstance(given, (str, os.PathLike)):
        return read_mesh(given)
    if isinstance(given, (tuple, list)) and len(given) == 2:
        positions, cells = given
        return _from_pair(positions, cells, name)
    if hasattr(given, "points") and hasattr(given, "cells_dict"):
        return _from_cells(given, name)
    if hasattr(given, "points") and hasattr(given, "regular_faces"):
        return Mesh(np.asarray(given.points), triangles=_triangles_of(given))
    if hasattr(given, "vertices") and hasattr(given, "faces"):
        return Mesh(np.asarray(given.vertices), triangles=np.asarray(given.faces))
    raise InputTypeError(f"{name}: {_EXPECTED}, got {type(given).__name__}")


def to_meshio(mesh: Mesh) -> Any:
    """A `meshio.Mesh`: tets with their regions, or triangles."""
    mesh = as_mesh(mesh, "mesh")
    import meshio

    if len(mesh.tets):
        regions = {"region": [np.array(mesh.regions)]}
        return meshio.Mesh(
            np.array(mesh.positions), [("tetra", np.array(mesh.tets))], cell_data=regions
        )
    return meshio.Mesh(np.array(mesh.positions), [("triangle", np.array(mesh.triangles))])


def to_trimesh(mesh: Mesh) -> Any:
    """A `trimesh.Trimesh` of the surface."""
    mesh = as_mesh(mesh, "mesh")
    import trimesh

    return trimesh.Trimesh(np.array(mesh.positions), np.array(mesh.triangles), process=False)


def to_pyvista(mesh: Mesh) -> Any:
    """A pyvista `UnstructuredGrid` of the tets, or a `PolyData` of the surface."""
    mesh = as_mesh(mesh, "mesh")
    import pyvista

    points = np.array(mesh.positions)
    if len(mesh.tets):
        return pyvista.UnstructuredGrid({_VTK_TET: np.array(mesh.tets, dtype=np.int64)}, points)
    return pyvista.PolyData.from_regular_faces(points, np.array(mesh.triangles, dtype=np.int64))


def _from_pair(positions: Any, cells: Any, name: str) -> Mesh:
    expected = f"{name}: expected cells that are whole numbers of shape (n, 4) or (n, 3)"
    try:
        shape = np.shape(cells)
    except ValueError as error:
        raise InputError(f"{expected}, got rows of several lengths") from error
    if shape[-1:] == (4,):
        return Mesh(positions, tets=cells)
    if shape[-1:] == (3,):
        return Mesh(positions, triangles=cells)
    raise InputError(f"{expected}, got shape {shape}")


def _from_cells(given: Any, name: str) -> Mesh:
    """A mesh of meshio or an unstructured grid of pyvista, whose cells go by other names."""
    cells = dict(given.cells_dict)
    points = np.asarray(given.points)
    for kind in ("tetra", _VTK_TET):
        if kind in cells:
            return Mesh(points, tets=np.asarray(cells[kind]))
    for kind in ("triangle", _VTK_TRIANGLE):
        if kind in cells:
            return Mesh(points, triangles=np.asarray(cells[kind]))
    kinds = ", ".join(str(kind) for kind in cells) or "none"
    raise InputError(f"{name}: expected cells that are tets or triangles, got {kinds}")


def _triangles_of(given: Any) -> Any:
    """Faces of a pyvista surface, cut into triangles where they are larger."""
    if not given.is_all_triangles:
        given = given.triangulate()
    return np.asarray(given.regular_faces)
