// The distance field of outlines behind them: Voronoi regions, lines of equal distance, gradients.

import {
  BufferAttribute, BufferGeometry, DataTexture, LineBasicMaterial, LineSegments, LinearFilter, Mesh,
  MeshBasicMaterial, PlaneGeometry, SRGBColorSpace,
} from "three";
import type { View } from "../view";
import type { DrawnField } from "./messages";

/** Lines of equal distance across the shorter side of the window. */
const LEVELS = 24;

/** Arrows of gradients along the longer side. */
const ARROWS = 26;

export class FieldView {
  private readonly mesh = new Mesh(new PlaneGeometry(1, 1), new MeshBasicMaterial({ depthTest: false, depthWrite: false, toneMapped: false }));
  private readonly arrows = new LineSegments(new BufferGeometry(), new LineBasicMaterial({ color: 0x303840, transparent: true, opacity: 0.55, depthTest: false }));
  /** Pixels of the last field, for tests. */
  pixels = 0;

  constructor(view: View) {
    this.mesh.renderOrder = -3;
    this.arrows.renderOrder = -2;
    for (const object of [this.mesh, this.arrows]) {
      object.visible = false;
      object.frustumCulled = false;
      view.scene.add(object);
    }
  }

  show(field: DrawnField | null): void {
    this.mesh.visible = this.arrows.visible = field !== null;
    this.pixels = field ? field.width * field.height : 0;
    if (!field) return;
    const { width, height, corner, pixel } = field;
    this.mesh.material.map?.dispose();
    this.mesh.material.map = new DataTexture(colours(field), width, height);
    this.mesh.material.map.colorSpace = SRGBColorSpace;
    this.mesh.material.map.magFilter = this.mesh.material.map.minFilter = LinearFilter;
    this.mesh.material.map.needsUpdate = true;
    this.mesh.material.needsUpdate = true;
    this.mesh.scale.set(width * pixel, height * pixel, 1);
    this.mesh.position.set(corner[0] + 0.5 * width * pixel, corner[1] + 0.5 * height * pixel, 0);
    this.arrows.geometry.dispose();
    this.arrows.geometry = new BufferGeometry();
    this.arrows.geometry.setAttribute("position", new BufferAttribute(gradients(field), 3));
  }
}

/** A pale colour for each segment, darker inside, with lines of equal distance. */
function colours({ width, height, floats, sites, pixel }: DrawnField): Uint8Array {
  const bytes = new Uint8Array(4 * width * height);
  const step = (Math.min(width, height) * pixel) / LEVELS;
  for (let k = 0; k < width * height; k++) {
    const distance = floats[k];
    // Neighbouring segments get hues far apart: steps of the golden angle.
    const hue = (sites[k] * 137.508) % 360;
    const part = Math.abs(distance / step - Math.round(distance / step)) * step;
    const line = part < 0.6 * pixel ? 0.86 : 1;
    const inside = distance < 0 ? 0.72 : 1;
    const [r, g, b] = pale(hue);
    bytes.set([255 * r * line * inside, 255 * g * line * inside, 255 * b * line * inside, 255], 4 * k);
  }
  return bytes;
}

/** A light colour of a hue, 0 to 1 each. */
function pale(hue: number): [number, number, number] {
  const part = (shift: number) => 0.8 + 0.17 * Math.cos(((hue - shift) * Math.PI) / 180);
  return [part(0), part(120), part(240)];
}

/** Lines along the gradient at every few pixels. */
function gradients({ width, height, corner, pixel, floats }: DrawnField): Float32Array {
  const every = Math.max(2, Math.floor(Math.max(width, height) / ARROWS));
  const length = 0.42 * every * pixel;
  const ends: number[] = [];
  for (let y = every >> 1; y < height; y += every) {
    for (let x = every >> 1; x < width; x += every) {
      const at = width * height + 2 * (y * width + x);
      const [u, v] = [floats[at], floats[at + 1]];
      const size = Math.hypot(u, v);
      if (!(size > 0.1)) continue;
      const [px, py] = [corner[0] + (x + 0.5) * pixel, corner[1] + (y + 0.5) * pixel];
      const [dx, dy] = [(length * u) / size, (length * v) / size];
      ends.push(px - dx, py - dy, 0, px + dx, py + dy, 0);
      ends.push(px + dx, py + dy, 0, px + 0.4 * dx - 0.35 * dy, py + 0.4 * dy + 0.35 * dx, 0);
    }
  }
  return Float32Array.from(ends);
}
