"""Reads or converts a mesh with meshio; prints the fastest CPU time of a read, s."""

import contextlib
import io
import sys
import time

import meshio

REPEATS = 5


def read(path):
    # meshio remarks on stdout; the time must be alone there.
    with contextlib.redirect_stdout(io.StringIO()):
        start = time.process_time()
        meshio.read(path)
        return time.process_time() - start


if sys.argv[1] == "read":
    print(min(read(sys.argv[2]) for _ in range(REPEATS)))
else:
    with contextlib.redirect_stdout(io.StringIO()):
        mesh = meshio.read(sys.argv[2])
        wanted = ("tetra",) if sys.argv[3].endswith((".mesh", ".node")) else ("triangle",)
        cells = [block for block in mesh.cells if block.type in wanted]
        meshio.write(sys.argv[3], meshio.Mesh(mesh.points, cells))
