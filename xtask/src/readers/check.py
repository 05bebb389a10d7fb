"""Opens exported files with vtk, meshio and NumPy, and compares what they hold."""

import csv
import pathlib
import sys
import xml.etree.ElementTree

import meshio
import numpy
import vtk
from vtk.util.numpy_support import vtk_to_numpy

TETRA = 10


def with_vtk(path):
    """Points, cell types and point arrays of a VTU file, as ParaView reads it."""
    reader = vtk.vtkXMLUnstructuredGridReader()
    problems = []
    reader.AddObserver("ErrorEvent", lambda *_: problems.append(path))
    reader.SetFileName(str(path))
    reader.Update()
    grid = reader.GetOutput()
    assert not problems and grid.GetNumberOfPoints() > 0, path
    kinds = numpy.array([grid.GetCellType(k) for k in range(grid.GetNumberOfCells())])
    data = grid.GetPointData()
    names = [data.GetArrayName(k) for k in range(data.GetNumberOfArrays())]
    arrays = {name: vtk_to_numpy(data.GetArray(name)) for name in names}
    return vtk_to_numpy(grid.GetPoints().GetData()), kinds, arrays


def check_run(folder):
    arrays = numpy.load(folder / "run.npz")
    positions, obstacles = arrays["positions"], arrays["obstacle_positions"]
    frames, vertices, _ = positions.shape
    assert positions.dtype == numpy.float32 and len(arrays["times"]) == frames
    assert numpy.isfinite(positions).all()
    assert arrays["triangles"].max() < vertices and arrays["tets"].max() < vertices
    assert (arrays["vertex_body"] >= 0).all()
    assert arrays["velocity"].shape == positions.shape
    assert arrays["stress"].shape == (frames, len(arrays["tets"]), 6)

    # Every frame of the series, at its time, with the points of the arrays.
    series = xml.etree.ElementTree.parse(folder / "vtu/series.pvd").getroot()
    entries = list(series.iter("DataSet"))
    assert len(entries) == frames
    for frame, entry in enumerate(entries):
        path = folder / "vtu" / entry.get("file")
        assert abs(float(entry.get("timestep")) - arrays["times"][frame]) < 1e-9
        points, kinds, fields = with_vtk(path)
        expected = numpy.concatenate([positions[frame], obstacles[frame]])
        assert numpy.array_equal(points, expected.astype(points.dtype)), path
        assert (kinds == TETRA).sum() == len(arrays["tets"]), path
        assert numpy.array_equal(fields["velocity"][:vertices], arrays["velocity"][frame])
        read = meshio.read(path)
        assert len(read.points) == len(points)
        assert sum(len(block.data) for block in read.cells if block.type == "tetra") == len(
            arrays["tets"]
        )

    # Sequences of surfaces.
    drawn = len(arrays["triangles"]) + len(arrays["obstacle_triangles"])
    for ending in ["obj", "ply"]:
        paths = sorted((folder / ending).glob(f"frame_*.{ending}"))
        assert len(paths) == frames
        for path in [paths[0], paths[-1]]:
            read = meshio.read(path)
            count = sum(len(block.data) for block in read.cells if block.type == "triangle")
            assert count == drawn, (path, count, drawn)

    # The table of bodies agrees with the arrays on who is there and when.
    with open(folder / "run/bodies.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["body"] for row in rows} >= set(arrays["body_names"])
    assert len({row["time"] for row in rows}) == frames
    print(f"{folder.name}: {frames} frames of {vertices} vertices opened by vtk, meshio, NumPy")


def check_meshes(paths):
    tets, triangles = set(), set()
    for path in paths:
        read = meshio.read(path)
        blocks = {block.type: len(block.data) for block in read.cells}
        if path.name.startswith("tets"):
            tets.add((len(read.points), blocks["tetra"]))
        else:
            triangles.add(blocks["triangle"])
    assert len(tets) == 1 and len(triangles) == 1, (tets, triangles)
    print(f"{len(paths)} meshes opened by meshio: {tets.pop()}, {triangles.pop()} triangles")


paths = [pathlib.Path(name) for name in sys.argv[2:]]
if sys.argv[1] == "run":
    check_run(paths[0])
else:
    check_meshes(paths)
