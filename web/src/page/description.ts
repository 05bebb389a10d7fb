// A scene as the engine describes it.
//
// The other side is crates/pliant-web/src/topology.rs.

import type { Body, Obstacle, Run } from "../run";

export interface Description {
  scene: string;
  description: string;
  response: string;
  integrator: string;
  dt: number;
  steps: number;
  gravity: [number, number, number];
  plane: boolean;
  vertices: number;
  tets: number;
  bodies: { name: string; kind: string; first: number; count: number; triangles: number; rings: number[]; edges: number }[];
  obstacles: { name: string; vertices: number; triangles: number; moves: boolean }[];
  notices: string[];
  resolved: string;
  time: number;
}

/** A run of one frame, which follows the simulation. */
export function liveRun(name: string, description: Description, indices: Uint32Array, floats: Float32Array, first: Float32Array): Run {
  let [at, place] = [0, 0];
  const take = (count: number) => indices.slice(at, (at += count));
  const bodies = description.bodies.map((body, colour): Body => {
    const triangles = take(3 * body.triangles);
    const rings = body.rings.map((length) => take(length));
    return { ...body, colour, triangles, rings, edges: take(2 * body.edges) };
  });
  const obstacles = description.obstacles.map((obstacle): Obstacle => {
    const triangles = take(3 * obstacle.triangles);
    const positions = floats.slice(place, (place += 3 * obstacle.vertices));
    const poses = obstacle.moves ? Float32Array.of(0, 0, 0, 0, 0, 0, 1) : null;
    return { name: obstacle.name, positions, triangles, poses };
  });
  return {
    name,
    scene: description.scene,
    description: description.description,
    pliant: "",
    response: description.response,
    integrator: description.integrator,
    ended: "",
    gravity: description.gravity,
    plane: description.plane,
    verdicts: [],
    notices: description.notices,
    vertices: description.vertices,
    times: Float64Array.of(0),
    frames: [first],
    bodies,
    obstacles,
    fields: [],
    overlays: [],
    series: { columns: [], rows: 0, values: new Float32Array() },
    live: { name: "", values: new Float32Array() },
  };
}

/** Where bodies may fall to, so that the camera sees them there: their start, moved to the ground. */
export function fallen(first: Float32Array, description: Description, obstacles: Obstacle[]): Float32Array {
  const gravity = description.gravity;
  const weight = Math.hypot(...gravity);
  const moved = first.slice();
  if (description.plane || weight === 0 || obstacles.length === 0) return moved;
  const down = gravity.map((part) => part / weight);
  const height = (array: Float32Array, k: number) => array[k] * down[0] + array[k + 1] * down[1] + array[k + 2] * down[2];
  let lowest = -Infinity;
  let highest = Infinity;
  for (let k = 0; k < first.length; k += 3) {
    lowest = Math.max(lowest, height(first, k));
    highest = Math.min(highest, height(first, k));
  }
  let floor = -Infinity;
  for (const { positions } of obstacles) {
    let [own, top] = [-Infinity, Infinity];
    for (let k = 0; k < positions.length; k += 3) {
      own = Math.max(own, height(positions, k));
      top = Math.min(top, height(positions, k));
    }
    // Level ones only: others reach down as far as they are drawn.
    if (own - top < 1e-6 * (Math.abs(own) + 1)) floor = Math.max(floor, own);
  }
  const way = floor - lowest;
  if (!(way > 0) || way > 3 * (lowest - highest + 0.1)) return moved;
  for (let k = 0; k < moved.length; k += 3) for (let axis = 0; axis < 3; axis++) moved[k + axis] += way * down[axis];
  return moved;
}
