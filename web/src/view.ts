// One run as a scene of three.js: bodies that follow the frames, obstacles, overlays.

import {
  AmbientLight, Box3, BufferAttribute, BufferGeometry, BackSide, DirectionalLight, DoubleSide,
  DynamicDrawUsage, FrontSide, HemisphereLight, LineBasicMaterial, LineSegments, Mesh,
  MeshBasicMaterial, MeshStandardMaterial, Plane, Points, PointsMaterial, Quaternion, Scene, Sphere,
  Vector3,
} from "three";
import type { Material, Object3D } from "three";
import { BODY_LIGHT, SCALE_LIGHT } from "./colour";
import { cornerNormals, drawn, type Drawn } from "./geometry";
import { ground, walled, type Ground } from "./ground";
import type { Field, Obstacle, Run } from "./run";

/** Names of what bodies can be coloured by that every run has. */
export const BODY = "body";
export const SPEED = "speed";

/** Depth inside other bodies; 0 is outside. */
export const DEPTH = "depth";

/** Colours of overlays, to be told from each other and from bodies. */
const OVERLAYS: Record<string, number> = { "way out": 0xd03050, contacts: 0x108040, "contact forces": 0x2050d0 };

/** Lengths of normals, relative to the diagonal of the bodies. */
const NORMAL_LENGTH = 0.02;

/** Light of back sides beside that of front sides: what a section lays open. */
const INSIDE = 0.5;

/** How far obstacles are drawn behind their surface, relative to the diagonal of the bodies. */
const SUNK = 4e-3;

/** About so many vertices of a frame decide how the camera sees all of them. */
const SAMPLE = 600;

/** Colour of what is not inside anything, or not known, as light. */
const OUTSIDE = [0.42, 0.44, 0.47];

/** What the controls choose, the same for all runs. */
export interface Look {
  colour: string;
  /** Values at both ends of the scale. */
  range: [number, number];
  wireframe: boolean;
  opacity: number;
  section: Plane | null;
  normals: boolean;
  overlays: Set<string>;
  shadows: boolean;
}

/** Colours of the page that a scene needs. */
export interface Theme {
  ink: string;
  ground: string;
  line: string;
}

export class View {
  readonly scene = new Scene();
  /** Around bodies in a few frames from first to last, and some of their vertices there. */
  readonly box = new Box3();
  readonly sample: Vector3[] = [];
  private readonly corners: Drawn;
  private readonly positions: BufferAttribute;
  private readonly normals: BufferAttribute;
  private readonly colours: BufferAttribute;
  private readonly bodies: Object3D[] = [];
  private readonly wires: LineSegments;
  private readonly backs: Mesh;
  private readonly materials: Material[] = [];
  private readonly normalLines = lines(0xd03050);
  private readonly overlayLines = new Map<string, LineSegments>();
  private readonly grounds: Ground[] = [];
  private readonly obstacles: (Mesh | null)[] = [];
  private readonly light = new DirectionalLight(0xffffff, 2.1);
  /** Frame and fraction of the last update, to leave out what did not change. */
  private shown = "";
  /** What the colours are by, and a value of each vertex. */
  private painted = "";
  private readonly values: Float32Array;
  /** Time of the last update of buffers, ms: what the view code costs without GL. */
  spent = 0;

  constructor(readonly run: Run) {
    this.corners = drawn(run);
    this.values = new Float32Array(run.vertices);
    const { source, triangles, wires, lines: ends, points } = this.corners;
    const buffer = () => new BufferAttribute(new Float32Array(3 * source.length), 3).setUsage(DynamicDrawUsage);
    [this.positions, this.normals, this.colours] = [buffer(), buffer(), buffer()];
    const last = run.frames.length - 1;
    for (const part of [0, 0.25, 0.5, 0.75, 1]) {
      const frame = run.frames[Math.round(part * last)];
      if (!frame) continue;
      this.box.union(new Box3().setFromArray(frame as unknown as number[]));
      const every = Math.max(1, Math.floor(run.vertices / SAMPLE));
      for (let k = 0; k < run.vertices; k += every) this.sample.push(new Vector3().fromArray(frame, 3 * k));
    }
    if (this.box.isEmpty()) this.box.set(new Vector3(-1, -1, -1), new Vector3(1, 1, 1));

    const surface = run.plane
      ? new MeshBasicMaterial({ vertexColors: true, side: DoubleSide })
      : new MeshStandardMaterial({ vertexColors: true, side: DoubleSide, roughness: 0.65, metalness: 0 });
    // Outlines lie in one plane: what is drawn later is above.
    if (run.plane) surface.depthTest = false;
    const mesh = new Mesh(this.geometry(triangles), surface);
    mesh.castShadow = mesh.receiveShadow = true;
    const back = new MeshBasicMaterial({ vertexColors: true, side: BackSide });
    back.color.setScalar(INSIDE);
    this.backs = new Mesh(this.geometry(triangles), back);
    this.backs.visible = false;
    const wire = new LineBasicMaterial({ color: 0x101418, transparent: true, opacity: 0.55 });
    this.wires = new LineSegments(this.geometry(wires), wire);
    const edge = new LineBasicMaterial(run.plane ? { color: 0x202830 } : { vertexColors: true });
    if (run.plane) edge.depthTest = false;
    const edges = new LineSegments(this.geometry(ends), edge);
    const size = this.diagonal / 90;
    const dots = new Points(this.geometry(points), new PointsMaterial({ vertexColors: true, size }));
    this.bodies = [mesh, this.backs, this.wires, edges, dots];
    this.bodies.forEach((object, order) => (object.renderOrder = order));
    this.materials = [surface, back, wire, edge, dots.material];
    this.scene.add(...this.bodies, this.normalLines);
    for (const overlay of run.overlays) {
      const object = lines(OVERLAYS[overlay.name] ?? 0xd03050);
      this.overlayLines.set(overlay.name, object);
      this.scene.add(object);
    }
    this.addObstacles();
    walled(this.grounds, this.box.getCenter(new Vector3()));
    this.addLights();
  }

  /** Length across the bodies, m. */
  get diagonal(): number {
    return this.box.getSize(new Vector3()).length() || 1;
  }

  /** Opposite to gravity; z without any. */
  get up(): Vector3 {
    const up = new Vector3(...this.run.gravity).negate();
    return up.lengthSq() > 0 && !this.run.plane ? up.normalize() : new Vector3(0, 0, 1);
  }

  private geometry(index: Uint32Array): BufferGeometry {
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", this.positions);
    geometry.setAttribute("normal", this.normals);
    geometry.setAttribute("color", this.colours);
    geometry.setIndex(new BufferAttribute(index, 1));
    // Everything is drawn at all times: bounds would have to follow the frames.
    geometry.boundingSphere = new Sphere(new Vector3(), Infinity);
    return geometry;
  }

  private addObstacles(): void {
    const material = new MeshStandardMaterial({ color: 0xa8aeb6, roughness: 0.9, metalness: 0 });
    for (const obstacle of this.run.obstacles) {
      const plane = ground(obstacle, this.box);
      if (plane) this.grounds.push(plane);
      if (plane) this.scene.add(plane.object);
      if (plane) this.obstacles.push(null);
      if (plane) continue;
      let geometry = new BufferGeometry();
      geometry.setAttribute("position", new BufferAttribute(sunk(obstacle, this.diagonal), 3));
      geometry.setIndex(new BufferAttribute(obstacle.triangles, 1));
      geometry = geometry.toNonIndexed();
      geometry.computeVertexNormals();
      const mesh = new Mesh(geometry, material);
      mesh.castShadow = mesh.receiveShadow = true;
      this.obstacles.push(mesh);
      this.scene.add(mesh);
    }
  }

  private addLights(): void {
    const [up, size, middle] = [this.up, this.diagonal, this.box.getCenter(new Vector3())];
    const sky = new HemisphereLight(0xffffff, 0x9aa4b2, 1.25);
    sky.position.copy(up);
    const aside = Math.abs(up.z) > 0.7 ? new Vector3(0.45, -0.5, 0) : new Vector3(0.45, 0, 0.5);
    this.light.position.copy(middle).addScaledVector(up, 1.6 * size).addScaledVector(aside, 1.6 * size);
    this.light.target.position.copy(middle);
    this.light.castShadow = true;
    this.light.shadow.mapSize.set(2048, 2048);
    this.light.shadow.bias = -1e-4;
    this.light.shadow.normalBias = 2e-3 * size;
    this.light.shadow.intensity = 0.75;
    const camera = this.light.shadow.camera;
    [camera.left, camera.right, camera.bottom, camera.top] = [-size, size, -size, size];
    [camera.near, camera.far] = [0.1 * size, 5 * size];
    this.scene.add(sky, new AmbientLight(0xffffff, 0.35), this.light, this.light.target);
  }

  /** Frame at or before a time, and how far it is to the next, 0 to 1. */
  place(time: number): [number, number] {
    const times = this.run.times;
    let [low, high] = [0, times.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (times[middle] <= time) low = middle;
      else high = middle - 1;
    }
    const next = times[low + 1];
    if (next === undefined) return [low, 0];
    return [low, Math.min(Math.max((time - times[low]) / (next - times[low]), 0), 1)];
  }

  /** The field of a name; depth, stress or whatever the run carries. */
  field(name: string): Field | undefined {
    return this.run.fields.find((field) => field.name === name);
  }

  /** What is drawn does not show the frames any more: a simulation has moved on. */
  refresh(): void {
    this.shown = "";
  }

  /** Brings bodies, colours and overlays to a time. */
  update(time: number, look: Look): void {
    const [frame, part] = this.place(time);
    const key = `${frame} ${part} ${look.colour} ${look.range} ${look.normals} ${[...look.overlays]}`;
    if (key === this.shown) return;
    this.shown = key;
    const begin = performance.now();
    this.move(frame, part);
    this.paint(frame, look);
    if (look.normals) this.drawNormals();
    for (const overlay of this.run.overlays) {
      const object = this.overlayLines.get(overlay.name);
      if (object && look.overlays.has(overlay.name)) arrows(object, overlay.frames[frame], this.diagonal);
    }
    this.run.obstacles.forEach((obstacle, index) => {
      const mesh = this.obstacles[index];
      const poses = obstacle.poses?.subarray(7 * frame, 7 * frame + 7);
      if (!mesh || !poses) return;
      mesh.position.set(poses[0], poses[1], poses[2]);
      mesh.quaternion.copy(new Quaternion(poses[3], poses[4], poses[5], poses[6]));
    });
    this.spent = performance.now() - begin;
  }

  private move(frame: number, part: number): void {
    const positions = this.positions.array as Float32Array;
    const a = this.run.frames[frame];
    const b = this.run.frames[frame + 1] ?? a;
    if (part === 0) positions.set(a);
    else for (let k = 0; k < a.length; k++) positions[k] = a[k] + part * (b[k] - a[k]);
    const source = this.corners.source;
    for (let k = this.run.vertices; k < source.length; k++) {
      const to = 3 * k;
      const from = 3 * source[k];
      positions[to] = positions[from];
      positions[to + 1] = positions[from + 1];
      positions[to + 2] = positions[from + 2];
    }
    this.positions.needsUpdate = true;
    if (this.run.plane) return;
    cornerNormals(positions, this.corners.triangles, this.normals.array as Float32Array);
    this.normals.needsUpdate = true;
  }

  /** Value by which a vertex is coloured; NaN where the run has none of this name. */
  value(name: string, frame: number, vertex: number): number {
    const live = this.run.live;
    if (live) return live.name === name ? live.values[vertex] : NaN;
    const field = this.field(name);
    if (field) levels(field, frame, this.values);
    else if (name === SPEED) speeds(this.run, frame, this.values);
    return field || name === SPEED ? this.values[vertex] : NaN;
  }

  private paint(frame: number, look: Look): void {
    const { live } = this.run;
    const field = this.field(look.colour);
    const known = live ? live.name === look.colour && live.values.length > 0 : look.colour === SPEED || field;
    if (!known) return this.paintBodies();
    this.painted = look.colour;
    const colours = this.colours.array as Float32Array;
    const { source } = this.corners;
    const [low, high] = look.range;
    const scale = 255 / (high - low || 1);
    const values = live?.values ?? this.values;
    if (field) levels(field, frame, values);
    else if (!live) speeds(this.run, frame, values);
    const outside = look.colour === DEPTH;
    for (let k = 0; k < source.length; k++) {
      const value = values[source[k]];
      const level = Math.round((value - low) * scale);
      const at = 3 * (level < 0 ? 0 : level > 255 ? 255 : level);
      // NaN is not equal to itself.
      const table = (outside && value === 0) || value !== value ? OUTSIDE : SCALE_LIGHT;
      const from = table === OUTSIDE ? 0 : at;
      colours[3 * k] = table[from];
      colours[3 * k + 1] = table[from + 1];
      colours[3 * k + 2] = table[from + 2];
    }
    this.colours.needsUpdate = true;
  }

  /** Colours of bodies do not follow the frames: they are laid on once. */
  private paintBodies(): void {
    if (this.painted === BODY) return;
    this.painted = BODY;
    const colours = this.colours.array as Float32Array;
    this.corners.body.forEach((body, k) => {
      colours.set(BODY_LIGHT[this.run.bodies[body].colour % BODY_LIGHT.length], 3 * k);
    });
    this.colours.needsUpdate = true;
  }

  private drawNormals(): void {
    const [positions, normals] = [this.positions.array, this.normals.array];
    const length = NORMAL_LENGTH * this.diagonal;
    const ends = new Float32Array(2 * normals.length);
    for (let k = 0; k < normals.length; k += 3) {
      for (let axis = 0; axis < 3; axis++) {
        ends[2 * k + axis] = positions[k + axis];
        ends[2 * k + 3 + axis] = positions[k + axis] + length * normals[k + axis];
      }
    }
    setEnds(this.normalLines, ends);
  }

  /** Applies what the controls chose. */
  apply(look: Look): void {
    this.wires.visible = look.wireframe;
    this.normalLines.visible = look.normals;
    this.overlayLines.forEach((object, name) => (object.visible = look.overlays.has(name)));
    const clear = look.opacity < 1;
    for (const material of this.materials.slice(0, 2)) {
      if (material.transparent !== clear) material.needsUpdate = true;
      material.transparent = clear;
      material.opacity = look.opacity;
      material.depthWrite = !clear;
    }
    // What a section lays open has a plain colour; the back of cloth is lit like its front.
    this.backs.visible = !this.run.plane && !clear && look.section !== null;
    const [surface] = this.materials;
    const side = this.backs.visible ? FrontSide : DoubleSide;
    if (surface.side !== side) surface.needsUpdate = true;
    surface.side = side;
    const planes = look.section ? [look.section] : [];
    for (const material of this.materials) {
      if (material.clippingPlanes?.length !== planes.length) material.needsUpdate = true;
      material.clippingPlanes = planes;
    }
    this.light.castShadow = look.shadows && !this.run.plane;
    this.shown = "";
  }

  /** Follows the colours of the page. */
  dress(theme: Theme): void {
    for (const plane of this.grounds) plane.dress(theme.ground, theme.line);
    if (this.run.plane) (this.materials[3] as LineBasicMaterial).color.set(theme.ink);
  }

  /** Leaves out planes that stand between the eye and the bodies. */
  uncover(eye: Vector3): void {
    const middle = this.box.getCenter(new Vector3());
    for (const { object, plane } of this.grounds) {
      object.visible = plane.distanceToPoint(eye) * plane.distanceToPoint(middle) >= 0;
    }
  }

  /** The mesh that a click can hit, and what of it was hit. */
  get surface(): Mesh {
    return this.bodies[0] as Mesh;
  }

  /** Lets go of what the graphics card holds for this scene. */
  end(): void {
    this.scene.traverse((object) => {
      const { geometry, material } = object as Mesh;
      geometry?.dispose();
      for (const one of [material].flat()) one?.dispose();
    });
    this.light.shadow.map?.dispose();
  }

  /** Vertex of the frames, and its body, of a drawn corner. */
  vertexOf(corner: number): [number, number] {
    return [this.corners.source[corner], this.corners.body[corner]];
  }
}

/** Corners of an obstacle a little behind its surface: its edges must not pierce what lies on it. */
function sunk(obstacle: Obstacle, diagonal: number): Float32Array {
  const normals = new Float32Array(obstacle.positions.length);
  cornerNormals(obstacle.positions, obstacle.triangles, normals);
  return obstacle.positions.map((place, k) => place - SUNK * diagonal * normals[k]);
}

/** Values of a field in a frame; NaN where they are not known. */
export function levels(field: Field, frame: number, values: Float32Array): void {
  const first = field.unknown ? 1 : 0;
  const [level, step] = [field.frames[frame], (field.max - field.min) / (field.levels - first)];
  for (let k = 0; k < level.length; k++) values[k] = level[k] < first ? NaN : field.min + step * (level[k] - first);
}

/** Speeds between a frame and the next, m/s; at the last frame those before it. */
export function speeds(run: Run, frame: number, values: Float32Array): void {
  const last = run.frames.length - 1;
  if (last < 1) return void values.fill(0);
  const from = Math.min(frame, last - 1);
  const [a, b] = [run.frames[from], run.frames[from + 1]];
  const rate = 1 / (run.times[from + 1] - run.times[from]);
  for (let k = 0, at = 0; at < a.length; k++, at += 3) {
    const x = b[at] - a[at];
    const y = b[at + 1] - a[at + 1];
    const z = b[at + 2] - a[at + 2];
    values[k] = Math.sqrt(x * x + y * y + z * z) * rate;
  }
}

function lines(colour: number): LineSegments {
  const material = new LineBasicMaterial({ color: colour, depthTest: false, transparent: true });
  const object = new LineSegments(new BufferGeometry(), material);
  object.renderOrder = 10;
  object.visible = false;
  object.frustumCulled = false;
  return object;
}

function setEnds(object: LineSegments, ends: Float32Array): void {
  object.geometry.dispose();
  object.geometry = new BufferGeometry();
  object.geometry.setAttribute("position", new BufferAttribute(ends, 3));
}

/** Lines from places along vectors, with a small cross at each place. */
function arrows(object: LineSegments, values: Float32Array, diagonal: number): void {
  const arm = 0.004 * diagonal;
  const ends: number[] = [];
  for (let k = 0; k < values.length; k += 6) {
    const [x, y, z, u, v, w] = values.subarray(k, k + 6);
    ends.push(x, y, z, x + u, y + v, z + w);
    ends.push(x - arm, y, z, x + arm, y, z, x, y - arm, z, x, y + arm, z, x, y, z - arm, x, y, z + arm);
  }
  setEnds(object, Float32Array.from(ends));
}
