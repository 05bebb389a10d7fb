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
from .errors import InputError

__all__ = ["as_mesh", "to_meshio", "to_pyvista", "to_trimesh"]

_EXPECTED = (
    "expected a pliant.Mesh, a file, a pair (positions, tets or triangles), "
    "or a mesh of meshio, trimesh or pyvista"
)

#: VTK's number of a tet, as pyvista's cells are named by.
_VTK_TET = 10

#: VTK's number of a triangle.
_VTK_TRIANGLE = 5


def as_mesh(given: Any) -> Mesh:
    """A mesh of ours from anything that describes one; tets count before triangles."""
    if isinstance(given, Mesh):
        return given
    if isinstance(given, (str, os.PathLike)):
        return read_mesh(given)
    if isinstance(given, (tuple, list)) and len(given) == 2:
        return _from_pair(*given)
    if hasattr(given, "points") and hasattr(given, "cells_dict"):
        return _from_cells(given)
    if hasattr(given, "points") and hasattr(given, "regular_faces"):
        return Mesh(np.asarray(given.points), triangles=_triangles_of(given))
    if hasattr(given, "vertices") and hasattr(given, "faces"):
        return Mesh(np.asarray(given.vertices), triangles=np.asarray(given.faces))
    raise InputError(f"{_EXPECTED}, got {type(given).__name__}")


def to_meshio(mesh: Mesh) -> Any:
    """A `meshio.Mesh`: tets with their regions, or triangles."""
    import meshio

    if len(mesh.tets):
        regions = {"region": [np.array(mesh.regions)]}
        return meshio.Mesh(
            np.array(mesh.positions), [("tetra", np.array(mesh.tets))], cell_data=regions
        )
    return meshio.Mesh(np.array(mesh.positions), [("triangle", np.array(mesh.triangles))])


def to_trimesh(mesh: Mesh) -> Any:
    """A `trimesh.Trimesh` of the surface."""
    import trimesh

    return trimesh.Trimesh(np.array(mesh.positions), np.array(mesh.triangles), process=False)


def to_pyvista(mesh: Mesh) -> Any:
    """A pyvista `UnstructuredGrid` of the tets, or a `PolyData` of the surface."""
    import pyvista

    points = np.array(mesh.positions)
    if len(mesh.tets):
        return pyvista.UnstructuredGrid({_VTK_TET: np.array(mesh.tets, dtype=np.int64)}, points)
    return pyvista.PolyData.from_regular_faces(points, np.array(mesh.triangles, dtype=np.int64))


def _from_pair(positions: Any, cells: Any) -> Mesh:
    width = np.asarray(cells).shape[-1:] or (0,)
    if width == (4,):
        return Mesh(positions, tets=cells)
    if width == (3,):
        return Mesh(positions, triangles=cells)
    shape = np.asarray(cells).shape
    raise InputError(f"cells: expected whole numbers of shape (n, 4) or (n, 3), got shape {shape}")


def _from_cells(given: Any) -> Mesh:
    """A mesh of meshio or an unstructured grid of pyvista, whose cells go by other names."""
    cells = dict(given.cells_dict)
    points = np.asarray(given.points)
    for name in ("tetra", _VTK_TET):
        if name in cells:
            return Mesh(points, tets=np.asarray(cells[name]))
    for name in ("triangle", _VTK_TRIANGLE):
        if name in cells:
            return Mesh(points, triangles=np.asarray(cells[name]))
    kinds = ", ".join(str(kind) for kind in cells) or "none"
    raise InputError(f"expected cells that are tets or triangles, got {kinds}")


def _triangles_of(given: Any) -> Any:
    """Faces of a pyvista surface, cut into triangles where they are larger."""
    if not given.is_all_triangles:
        given = given.triangulate()
    return np.asarray(given.regular_faces)
