// The canvas: one camera for all runs, a cell of the grid for each.

import {
  OrthographicCamera, PCFShadowMap, PerspectiveCamera, Raycaster, Vector2, Vector3, WebGLRenderer, type Ray,
} from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { number } from "./colour";
import type { Look, Theme, View } from "./view";

/** From the bodies to the eye, with z up: front, right and above. */
const FROM = new Vector3(0.55, -1, 0.5);

/** Angle of view, degrees. */
const ANGLE = 30;

/** Part of the picture that bodies fill. */
const FILLED = 0.86;

/** Longest scale bar, pixels. */
const BAR = 110;

/** How near to a vertex one must point, pixels. */
const NEAR = 24;

/** Where a click met a body. */
export interface Hit {
  view: View;
  body: number;
  vertex: number;
  at: [number, number];
  /** World space, m. */
  point: Vector3;
}

/** What draws on a canvas of its own; throws where the browser has no WebGL. */
export function renderer(): WebGLRenderer {
  return new WebGLRenderer({ antialias: true, alpha: true });
}

export class Stage {
  readonly canvas: HTMLCanvasElement;
  readonly camera: PerspectiveCamera | OrthographicCamera;
  private readonly renderer: WebGLRenderer;
  private readonly controls: OrbitControls;
  private readonly plane: boolean;
  private readonly middle = new Vector3();
  private readonly size: number;
  /** Of all bodies along x and y, m. */
  private readonly extent: [number, number];
  private dirty = true;
  /** Whether somebody has moved the camera since it last saw all. */
  steered = false;

  /** Throws where the browser has no WebGL; a renderer that is given is used again, and kept. */
  constructor(readonly views: View[], private readonly moved: () => void, private readonly given?: WebGLRenderer) {
    this.renderer = given ?? renderer();
    this.canvas = this.renderer.domElement;
    this.renderer.localClippingEnabled = true;
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.plane = views.every((view) => view.run.plane);
    const box = views[0].box.clone();
    for (const view of views) box.union(view.box);
    box.getCenter(this.middle);
    const { x, y } = box.getSize(new Vector3());
    this.extent = [x || 1, y || 1];
    this.size = box.getSize(new Vector3()).length() || 1;
    this.camera = this.plane
      ? new OrthographicCamera(-1, 1, 1, -1, -100 * this.size, 100 * this.size)
      : new PerspectiveCamera(ANGLE, 1, 0.02 * this.size, 60 * this.size);
    this.camera.up.copy(this.plane ? new Vector3(0, 1, 0) : views[0].up);
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.enableRotate = !this.plane;
    this.controls.screenSpacePanning = true;
    if (this.plane) this.controls.mouseButtons.LEFT = 2;
    if (this.plane) this.controls.touches.ONE = 1;
    this.controls.addEventListener("change", () => this.touch());
    this.controls.addEventListener("start", () => (this.steered = true));
    this.look();
  }

  /** Lets go of what the canvas holds. */
  end(): void {
    this.controls.dispose();
    if (this.given) return;
    this.renderer.dispose();
    this.renderer.forceContextLoss();
  }

  /** The next frame must be drawn. */
  touch(): void {
    this.dirty = true;
    this.moved();
  }

  /** Sees all bodies, from a direction in which z is up; the usual one without any. */
  look(direction?: Vector3): void {
    this.steered = direction !== undefined;
    const from = (direction ?? FROM).clone().normalize();
    const up = this.camera.up;
    if (!this.plane && Math.abs(up.z) < 0.99) {
      // Turned so that what is up takes the place of z.
      const across = Math.abs(up.x) > 0.9 ? new Vector3(0, 1, 0) : new Vector3(1, 0, 0);
      const right = across.clone().addScaledVector(up, -across.dot(up)).normalize();
      const back = new Vector3().crossVectors(up, right);
      const { x, y, z } = from;
      from.set(0, 0, 0).addScaledVector(right, x).addScaledVector(back, y).addScaledVector(up, z);
    }
    // Straight along the axis that is up the camera could not be held upright.
    if (!this.plane && Math.abs(from.dot(up)) > 0.999) from.addScaledVector(FROM, 0.002);
    const middle = this.middle.clone();
    if (this.plane) this.camera.position.copy(middle).add(new Vector3(0, 0, this.size));
    else this.camera.position.copy(middle).addScaledVector(from, this.fit(from, middle));
    this.camera.zoom = 1;
    this.controls.target.copy(middle);
    this.controls.update();
    this.touch();
  }

  /** Distance from which all bodies are seen; moves `middle` to the middle of the picture. */
  private fit(from: Vector3, middle: Vector3): number {
    const right = new Vector3().crossVectors(this.camera.up, from).normalize();
    const above = new Vector3().crossVectors(from, right);
    const tangent = Math.tan((ANGLE * Math.PI) / 360) * FILLED;
    const [width, height] = this.cell();
    const across = (tangent * width) / height;
    const points = this.views.flatMap((view) => view.sample);
    const places = points.map((p) => p.clone().sub(middle)).map((p) => [p.dot(right), p.dot(above), p.dot(from)]);
    // Lines of sight through each point, in the directions of the four edges of the picture.
    const most = (value: (p: number[]) => number) => places.reduce((m, p) => Math.max(m, value(p)), -Infinity);
    const span = (k: number, slope: number) => {
      const [low, high] = [most((p) => -p[k] / slope + p[2]), most((p) => p[k] / slope + p[2])];
      return { distance: 0.5 * (low + high), shift: 0.5 * slope * (high - low) };
    };
    const [x, y] = [span(0, across), span(1, tangent)];
    middle.addScaledVector(right, x.shift).addScaledVector(above, y.shift);
    return Math.max(x.distance, y.distance, 0.1 * this.size) || this.size;
  }

  /** Columns and rows of the grid of runs. */
  grid(): [number, number] {
    const [width, height] = [this.canvas.clientWidth || 1, this.canvas.clientHeight || 1];
    const count = this.views.length;
    const rows = (columns: number) => Math.ceil(count / columns);
    const least = (columns: number) => Math.min(width / columns, height / rows(columns));
    let best = 1;
    for (let columns = 2; columns <= count; columns++) if (least(columns) > least(best)) best = columns;
    return [best, rows(best)];
  }

  /** Width and height of a cell, pixels. */
  private cell(): [number, number] {
    const [columns, rows] = this.grid();
    return [(this.canvas.clientWidth || 1) / columns, (this.canvas.clientHeight || 1) / rows];
  }

  /** Follows the size of the element around the canvas. */
  resize(width: number, height: number): void {
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio || 1, 2));
    this.renderer.setSize(width, height, false);
    this.touch();
  }

  dress(theme: Theme): void {
    for (const view of this.views) view.dress(theme);
    this.touch();
  }

  apply(look: Look): void {
    for (const view of this.views) view.apply(look);
    this.touch();
  }

  /** Draws all runs at a time if anything changed since the last call. */
  draw(time: number, look: Look, changed: boolean): boolean {
    if (!changed && !this.dirty) return false;
    this.dirty = false;
    for (const view of this.views) view.update(time, look);
    const [width, height] = this.cell();
    this.frame(width / height);
    const [columns, rows] = this.grid();
    this.renderer.setScissorTest(true);
    this.views.forEach((view, index) => {
      const [x, y] = [index % columns, rows - 1 - Math.floor(index / columns)];
      this.renderer.setViewport(x * width, y * height, width, height);
      this.renderer.setScissor(x * width, y * height, width, height);
      view.uncover(this.camera.position);
      this.renderer.render(view.scene, this.camera);
    });
    return true;
  }

  private frame(aspect: number): void {
    if (this.camera instanceof PerspectiveCamera) {
      this.camera.aspect = aspect;
    } else {
      const half = Math.max(0.5 * this.extent[1], (0.5 * this.extent[0]) / aspect) / FILLED;
      this.camera.left = -half * aspect;
      this.camera.right = half * aspect;
      this.camera.top = half;
      this.camera.bottom = -half;
    }
    this.camera.updateProjectionMatrix();
  }

  /** Lower left and upper right of what is seen of the plane z = 0, m; null in space. */
  seen(): [[number, number], [number, number]] | null {
    const { camera } = this;
    if (camera instanceof PerspectiveCamera) return null;
    const [width, height] = this.cell();
    this.frame(width / height);
    const { x, y } = camera.position;
    const half = [camera.right / camera.zoom, camera.top / camera.zoom];
    return [[x - half[0], y - half[1]], [x + half[0], y + half[1]]];
  }

  /** A round length, m, and how many pixels it takes at the middle of what is seen. */
  scaleBar(): [string, number] {
    const height = this.cell()[1];
    const camera = this.camera;
    const metres =
      camera instanceof PerspectiveCamera
        ? 2 * camera.position.distanceTo(this.controls.target) * Math.tan((ANGLE * Math.PI) / 360)
        : (camera.top - camera.bottom) / camera.zoom;
    const most = (metres / height) * BAR;
    const power = 10 ** Math.floor(Math.log10(most));
    const length = [5, 2, 1].map((k) => k * power).find((l) => l <= most) ?? power;
    const units: [number, string][] = [[1e3, "km"], [1, "m"], [1e-2, "cm"], [1e-3, "mm"], [1e-6, "µm"]];
    const [unit, name] = units.find(([size]) => length >= size) ?? [1e-6, "µm"];
    return [`${number(Number((length / unit).toPrecision(3)))} ${name}`, (length / metres) * height];
  }

  /** Whether dragging turns or moves the camera. */
  set steers(on: boolean) {
    this.controls.enabled = on;
  }

  /** The line of sight through a place of the canvas, pixels, and what is drawn there. */
  private cast(x: number, y: number): { caster: Raycaster; view: View | undefined } {
    const [width, height] = this.cell();
    const [columns] = this.grid();
    const [column, row] = [Math.floor(x / width), Math.floor(y / height)];
    const place = new Vector2(2 * (x / width - column) - 1, 1 - 2 * (y / height - row));
    const caster = new Raycaster();
    caster.setFromCamera(place, this.camera);
    return { caster, view: this.views[row * columns + column] };
  }

  /** The line of sight through a place of the canvas, pixels. */
  sight(x: number, y: number): Ray {
    return this.cast(x, y).caster.ray;
  }

  /** The vertex of bodies without a surface that lies near a place of the canvas, pixels. */
  pickVertex(x: number, y: number): Hit | null {
    const { view } = this.cast(x, y);
    if (!view) return null;
    const positions = view.surface.geometry.getAttribute("position");
    let [best, least] = [-1, NEAR];
    const [place, point] = [new Vector2(x, y), new Vector3()];
    for (let corner = 0; corner < positions.count; corner++) {
      point.fromBufferAttribute(positions, corner);
      const far = this.pixels(point, view).distanceTo(place);
      if (far < least) [best, least] = [corner, far];
    }
    if (best < 0) return null;
    const [vertex, body] = view.vertexOf(best);
    return { view, body, vertex, at: [x, y], point: new Vector3().fromBufferAttribute(positions, best) };
  }

  /** Where a point is on the canvas, pixels, in the cell of a view. */
  private pixels(point: Vector3, view: View): Vector2 {
    const [width, height] = this.cell();
    const [columns] = this.grid();
    const index = this.views.indexOf(view);
    const [column, row] = [index % columns, Math.floor(index / columns)];
    const { x, y } = point.clone().project(this.camera);
    return new Vector2((column + 0.5 + 0.5 * x) * width, (row + 0.5 - 0.5 * y) * height);
  }

  /** What lies under a place of the canvas, pixels. */
  pick(x: number, y: number): Hit | null {
    const { caster, view } = this.cast(x, y);
    if (!view) return null;
    const [hit] = caster.intersectObject(view.surface, false);
    if (!hit?.face) return null;
    const positions = view.surface.geometry.getAttribute("position");
    const far = (corner: number) => new Vector3().fromBufferAttribute(positions, corner).distanceTo(hit.point);
    const corner = [hit.face.a, hit.face.b, hit.face.c].reduce((a, b) => (far(a) <= far(b) ? a : b));
    const [vertex, body] = view.vertexOf(corner);
    return { view, body, vertex, at: [x, y], point: hit.point };
  }
}
