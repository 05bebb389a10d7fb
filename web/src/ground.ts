// Obstacles without visible end: a disc with a grid that fades with distance.

import {
  Box3, BufferAttribute, BufferGeometry, CircleGeometry, Color, Group, LineBasicMaterial, LineSegments,
  Mesh, MeshStandardMaterial, Plane, Quaternion, Vector3,
} from "three";
import type { Obstacle } from "./run";

/** A flat obstacle with a diagonal of more than this many times that of the bodies has no end. */
const LARGE = 1.2;

/** Radius of the disc, and where it begins to fade, relative to the diagonal of the bodies. */
const RADIUS = 2.2;
const FADE = 0.7;

/** About so many lines of the grid lie along the bodies. */
const FIELDS = 5;

/** Normals and distances of a flat obstacle agree to this, relative to 1 and to its size. */
const FLAT = 1e-4;

export interface Ground {
  object: Group;
  plane: Plane;
  dress: (ground: string, line: string) => void;
}

/** The disc in place of a large flat obstacle near the bodies; null for others. */
export function ground(obstacle: Obstacle, box: Box3): Ground | null {
  if (obstacle.poses) return null;
  const around = new Box3().setFromArray(obstacle.positions as unknown as number[]);
  const size = box.getSize(new Vector3()).length() || 1;
  const large = around.getSize(new Vector3()).length();
  const plane = flat(obstacle, large);
  if (large < LARGE * size || !plane) return null;
  const middle = plane.projectPoint(box.getCenter(new Vector3()), new Vector3());
  const object = new Group();
  object.position.copy(middle).addScaledVector(plane.normal, -1e-3 * size);
  object.quaternion.copy(new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), plane.normal));
  const disc = new CircleGeometry(RADIUS * size, 96, 0, 2 * Math.PI);
  const [discMesh, gridLines] = [fadingDisc(disc, size), grid(size)];
  object.add(discMesh, gridLines);
  const dress = (ground: string, line: string) => {
    discMesh.material.color = new Color(ground);
    gridLines.material.color = new Color(line);
  };
  return { object, plane, dress };
}

/** Cuts grounds off where they reach behind each other: four walls and a floor are a box. */
export function walled(grounds: Ground[], inside: Vector3): void {
  const facing = grounds.map(({ plane }) =>
    plane.distanceToPoint(inside) < 0 ? plane.clone().negate() : plane.clone(),
  );
  for (const plane of facing) plane.constant += 5e-3 * Math.abs(plane.distanceToPoint(inside));
  grounds.forEach(({ object }, index) => {
    const others = facing.filter((plane, k) => k !== index && Math.abs(plane.normal.dot(facing[index].normal)) < 0.999);
    for (const child of object.children) (child as Mesh<BufferGeometry, MeshStandardMaterial>).material.clippingPlanes = others;
  });
}

function flat(obstacle: Obstacle, size: number): Plane | null {
  const corner = (k: number) => new Vector3().fromArray(obstacle.positions, 3 * obstacle.triangles[k]);
  if (obstacle.triangles.length < 3) return null;
  const plane = new Plane().setFromCoplanarPoints(corner(0), corner(1), corner(2));
  for (let k = 0; k < obstacle.positions.length; k += 3) {
    const point = new Vector3().fromArray(obstacle.positions, k);
    if (Math.abs(plane.distanceToPoint(point)) > FLAT * size) return null;
  }
  return plane;
}

/** A disc whose rings are the more transparent the farther out they are. */
function fadingDisc(circle: CircleGeometry, size: number): Mesh<BufferGeometry, MeshStandardMaterial> {
  const rings = 12;
  const around = 96;
  const [positions, colours, index]: number[][] = [[], [], []];
  const reach = circle.parameters.radius;
  for (let ring = 0; ring <= rings; ring++) {
    const radius = (reach * ring) / rings;
    for (let k = 0; k < around; k++) {
      const angle = (2 * Math.PI * k) / around;
      positions.push(radius * Math.cos(angle), radius * Math.sin(angle), 0);
      colours.push(1, 1, 1, faded(radius / size));
      const [a, b] = [ring * around + k, ring * around + ((k + 1) % around)];
      if (ring < rings) index.push(a, a + around, b, b, a + around, b + around);
    }
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(Float32Array.from(positions), 3));
  geometry.setAttribute("color", new BufferAttribute(Float32Array.from(colours), 4));
  geometry.setIndex(index);
  geometry.computeVertexNormals();
  const material = new MeshStandardMaterial({ vertexColors: true, transparent: true, roughness: 1, side: 2 });
  // What is transparent would hide what is drawn after it.
  material.depthWrite = false;
  const mesh = new Mesh(geometry, material);
  mesh.receiveShadow = true;
  mesh.renderOrder = -2;
  return mesh;
}

function faded(distance: number): number {
  const part = Math.min(Math.max((distance - FADE) / (RADIUS - FADE), 0), 1);
  return 1 - part * part * (3 - 2 * part);
}

/** Lines at round distances, cut into pieces so that they can fade. */
function grid(size: number): LineSegments<BufferGeometry, LineBasicMaterial> {
  const least = size / FIELDS;
  const power = 10 ** Math.floor(Math.log10(least));
  const step = [1, 2, 5, 10].map((k) => k * power).find((s) => s >= least) ?? least;
  const count = Math.ceil((RADIUS * size) / step);
  const [positions, colours]: number[][] = [[], []];
  const piece = (a: [number, number], b: [number, number]) => {
    for (const [x, y] of [a, b]) {
      positions.push(x, y, 0);
      colours.push(1, 1, 1, 0.9 * faded(Math.hypot(x, y) / size));
    }
  };
  for (let i = -count; i <= count; i++) {
    for (let j = -count; j < count; j++) {
      if (Math.hypot(i, j) * step > RADIUS * size) continue;
      piece([i * step, j * step], [i * step, (j + 1) * step]);
      piece([j * step, i * step], [(j + 1) * step, i * step]);
    }
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(Float32Array.from(positions), 3));
  geometry.setAttribute("color", new BufferAttribute(Float32Array.from(colours), 4));
  const material = new LineBasicMaterial({ vertexColors: true, transparent: true, depthWrite: false });
  const object = new LineSegments(geometry, material);
  object.position.z = 1e-4 * size;
  object.renderOrder = -1;
  return object;
}
