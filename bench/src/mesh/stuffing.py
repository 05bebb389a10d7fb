"""Fills a surface with tets by fTetWild; prints the CPU time of the call, s."""

import os
import sys
import time

import pytetwild
import pyvista

source, target = (os.path.abspath(path) for path in sys.argv[1:3])
os.chdir(os.path.dirname(target))  # fTetWild leaves a file where it runs
surface = pyvista.read(source)
faces = surface.faces.reshape(-1, 4)[:, 1:].copy()
start = time.process_time()
points, tets = pytetwild.tetrahedralize(
    surface.points.astype(float).copy(), faces.astype("int32"), edge_length_fac=float(sys.argv[3]),
    num_threads=1,
)
took = time.process_time() - start
cells = {pyvista.CellType.TETRA: tets}
pyvista.UnstructuredGrid(cells, points).save(target)
print(took)
