// What is drawn of a run: corners with smooth or sharp normals, edges, filled outlines.

import { ShapeUtils, Vector2 } from "three";
import type { Run } from "./run";

/** Neighbouring triangles that turn by less than this are shaded as one surface. */
const SMOOTH = Math.cos((40 * Math.PI) / 180);

/** All bodies as one mesh; a drawn corner belongs to a vertex of the frames. */
export interface Drawn {
  /** Vertex of the frames, of each drawn corner. */
  source: Uint32Array;
  /** Body of each drawn corner. */
  body: Uint16Array;
  /** Drawn corners of triangles. */
  triangles: Uint32Array;
  /** Ends of lines of the wireframe, drawn corners. */
  wires: Uint32Array;
  /** Ends of lines that are always shown: outlines and edges of bodies without triangles. */
  lines: Uint32Array;
  /** Drawn corners that are shown as points: bodies with nothing else. */
  points: Uint32Array;
}

/** The meshes of a run, cut apart where they have sharp edges in the first frame. */
export function drawn(run: Run): Drawn {
  const first = run.frames[0] ?? new Float32Array(3 * run.vertices);
  const source: number[] = Array.from({ length: run.vertices }, (_, k) => k);
  const body: number[] = new Array(run.vertices).fill(0);
  const [triangles, wires, lines, points]: number[][] = [[], [], [], []];
  run.bodies.forEach((b, index) => {
    for (let k = 0; k < b.count; k++) body[b.first + k] = index;
    // Those of a fine surface that it carries are not among its own.
    for (const vertex of b.triangles) body[vertex] = index;
    const filled = b.triangles.length > 0 ? b.triangles : fill(first, b.rings);
    wiresOf(filled, wires);
    for (const corner of cut(first, filled, source, body)) triangles.push(corner);
    for (const ring of b.rings) {
      ring.forEach((vertex, k) => lines.push(vertex, ring[(k + 1) % ring.length]));
    }
    if (filled.length === 0) for (const end of b.edges) lines.push(end);
    if (filled.length === 0 && b.rings.length === 0) {
      for (let k = 0; k < b.count; k++) points.push(b.first + k);
    }
  });
  const from = (values: number[]) => Uint32Array.from(values);
  return {
    source: from(source),
    body: Uint16Array.from(body),
    triangles: from(triangles),
    wires: from(wires),
    lines: from(lines),
    points: from(points),
  };
}

/** Each edge of triangles once. */
function wiresOf(triangles: Uint32Array, wires: number[]): void {
  const seen = new Set<number>();
  for (let k = 0; k < triangles.length; k++) {
    const [a, b] = [triangles[k], triangles[k % 3 === 2 ? k - 2 : k + 1]];
    const key = Math.min(a, b) * 2 ** 26 + Math.max(a, b);
    if (!seen.has(key)) {
      seen.add(key);
      wires.push(a, b);
    }
  }
}

/** Unit normals of triangles. */
function faceNormals(positions: Float32Array, triangles: Uint32Array): Float32Array {
  const normals = new Float32Array(triangles.length);
  for (let t = 0; t < triangles.length; t += 3) {
    const [a, b, c] = [3 * triangles[t], 3 * triangles[t + 1], 3 * triangles[t + 2]];
    const [ux, uy, uz] = [0, 1, 2].map((k) => positions[b + k] - positions[a + k]);
    const [vx, vy, vz] = [0, 1, 2].map((k) => positions[c + k] - positions[a + k]);
    const [x, y, z] = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
    const length = Math.hypot(x, y, z) || 1;
    normals.set([x / length, y / length, z / length], t);
  }
  return normals;
}

/**
 * Corners of triangles with a drawn corner of their own on each side of a sharp edge.
 *
 * Around a vertex, triangles that share an edge and turn little are one group; the first group
 * keeps the vertex, the others add drawn corners to `source` and `body`.
 */
function cut(
  positions: Float32Array,
  triangles: Uint32Array,
  source: number[],
  body: number[],
): Uint32Array {
  const corners = triangles.slice();
  const normals = faceNormals(positions, triangles);
  const around = new Map<number, number[]>();
  triangles.forEach((vertex, corner) => {
    const list = around.get(vertex);
    if (list) list.push(corner);
    else around.set(vertex, [corner]);
  });
  const others = (corner: number) => {
    const t = corner - (corner % 3);
    return [triangles[t + ((corner + 1) % 3)], triangles[t + ((corner + 2) % 3)]];
  };
  for (const [vertex, list] of around) {
    const group = list.map((_, k) => k);
    const root = (k: number): number => (group[k] === k ? k : root(group[k]));
    for (let a = 0; a < list.length; a++) {
      const neighbours = others(list[a]);
      const [ta, na] = [list[a] - (list[a] % 3), normals];
      for (let b = a + 1; b < list.length; b++) {
        if (!others(list[b]).some((v) => neighbours.includes(v))) continue;
        const tb = list[b] - (list[b] % 3);
        const dot = na[ta] * na[tb] + na[ta + 1] * na[tb + 1] + na[ta + 2] * na[tb + 2];
        if (dot > SMOOTH) group[root(b)] = root(a);
      }
    }
    const first = root(0);
    const own = new Map<number, number>([[first, vertex]]);
    list.forEach((corner, k) => {
      const r = root(k);
      let place = own.get(r);
      if (place === undefined) {
        place = source.length;
        source.push(vertex);
        body.push(body[vertex]);
        own.set(r, place);
      }
      corners[corner] = place;
    });
  }
  return corners;
}

/** Triangles that fill rings by the even–odd rule, in the numbers of the frames. */
function fill(positions: Float32Array, rings: Uint32Array[]): Uint32Array {
  const outlines = rings.map((ring) =>
    Array.from(ring, (v) => new Vector2(positions[3 * v], positions[3 * v + 1])),
  );
  const depth = outlines.map(
    (outline, k) => outlines.filter((other, j) => j !== k && contains(other, outline[0])).length,
  );
  const triangles: number[] = [];
  outlines.forEach((outline, k) => {
    if (depth[k] % 2 !== 0 || outline.length < 3) return;
    const holes = outlines.flatMap((hole, j) =>
      depth[j] === depth[k] + 1 && contains(outline, hole[0]) ? [j] : [],
    );
    const all = [k, ...holes].flatMap((j) => Array.from(rings[j]));
    const faces = ShapeUtils.triangulateShape(outline, holes.map((j) => outlines[j]));
    for (const face of faces) for (const corner of face) triangles.push(all[corner]);
  });
  return Uint32Array.from(triangles);
}

function contains(ring: Vector2[], point: Vector2): boolean {
  let inside = false;
  ring.forEach((a, k) => {
    const b = ring[(k + 1) % ring.length];
    const crosses = a.y > point.y !== b.y > point.y;
    if (crosses && point.x < a.x + ((b.x - a.x) * (point.y - a.y)) / (b.y - a.y)) inside = !inside;
  });
  return inside;
}

/** Adds up the area vectors of triangles at their corners and makes them unit normals. */
export function cornerNormals(
  positions: Float32Array,
  triangles: Uint32Array,
  normals: Float32Array,
): void {
  normals.fill(0);
  for (let t = 0; t < triangles.length; t += 3) {
    const a = 3 * triangles[t];
    const b = 3 * triangles[t + 1];
    const c = 3 * triangles[t + 2];
    const ax = positions[a];
    const ay = positions[a + 1];
    const az = positions[a + 2];
    const ux = positions[b] - ax;
    const uy = positions[b + 1] - ay;
    const uz = positions[b + 2] - az;
    const vx = positions[c] - ax;
    const vy = positions[c + 1] - ay;
    const vz = positions[c + 2] - az;
    const x = uy * vz - uz * vy;
    const y = uz * vx - ux * vz;
    const z = ux * vy - uy * vx;
    normals[a] += x;
    normals[a + 1] += y;
    normals[a + 2] += z;
    normals[b] += x;
    normals[b + 1] += y;
    normals[b + 2] += z;
    normals[c] += x;
    normals[c + 1] += y;
    normals[c + 2] += z;
  }
  for (let k = 0; k < normals.length; k += 3) {
    const x = normals[k];
    const y = normals[k + 1];
    const z = normals[k + 2];
    const inverse = 1 / (Math.sqrt(x * x + y * y + z * z) || 1);
    normals[k] = x * inverse;
    normals[k + 1] = y * inverse;
    normals[k + 2] = z * inverse;
  }
}
