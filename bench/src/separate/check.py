"""Prints what the package ipctk finds in surfaces, an OBJ file each: in all together, between them, in each alone."""

import sys

import ipctk
import numpy as np


def read(path):
    """Vertices and triangles of an OBJ file."""
    vertices, faces = [], []
    with open(path, encoding="utf-8") as file:
        for line in file:
            words = line.split()
            if words and words[0] == "v":
                vertices.append([float(word) for word in words[1:4]])
            elif words and words[0] == "f":
                faces.append([int(word.split("/")[0]) - 1 for word in words[1:4]])
    return np.array(vertices), np.array(faces)


def intersects(positions, triangles, body=None):
    """Whether an edge passes through a triangle; with numbers of bodies, only one of another body."""
    mesh = ipctk.CollisionMesh(positions, ipctk.edges(triangles), triangles)
    if body is not None:
        mesh.can_collide = lambda a, b: body[a] != body[b]
    return ipctk.has_intersections(mesh, positions)


surfaces = [read(path) for path in sys.argv[1:]]
starts = np.cumsum([0] + [len(positions) for positions, _ in surfaces])
positions = np.concatenate([positions for positions, _ in surfaces])
triangles = np.concatenate([triangles + start for (_, triangles), start in zip(surfaces, starts)])
body = [k for k, (own, _) in enumerate(surfaces) for _ in range(len(own))]
whole = intersects(positions, triangles)
between = whole and intersects(positions, triangles, body)
alone = [k for k, surface in enumerate(surfaces) if whole and intersects(*surface)]
print("whole" if whole else "free", "between" if between else "apart", *alone)
