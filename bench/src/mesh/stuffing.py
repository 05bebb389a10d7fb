"""Fills a surface with tets by fTetWild; prints the CPU time of the call, s."""

import sys
import time

import pytetwild
import pyvista

surface = pyvista.read(sys.argv[1])
faces = surface.faces.reshape(-1, 4)[:, 1:].copy()
start = time.process_time()
points, tets = pytetwild.tetrahedralize(
    surface.points.astype(float).copy(), faces.astype("int32"), edge_length_fac=float(sys.argv[3]),
    num_threads=1,
)
took = time.process_time() - start
cells = {pyvista.CellType.TETRA: tets}
pyvista.UnstructuredGrid(cells, points).save(sys.argv[2])
print(took)
