"""Prints whether a surface in an OBJ file intersects itself, by the package ipctk."""

import sys

import ipctk
import numpy as np

vertices, faces = [], []
with open(sys.argv[1], encoding="utf-8") as file:
    for line in file:
        words = line.split()
        if words and words[0] == "v":
            vertices.append([float(word) for word in words[1:4]])
        elif words and words[0] == "f":
            faces.append([int(word.split("/")[0]) - 1 for word in words[1:4]])
positions = np.array(vertices)
triangles = np.array(faces)
mesh = ipctk.CollisionMesh(positions, ipctk.edges(triangles), triangles)
print("intersects" if ipctk.has_intersections(mesh, positions) else "free")
