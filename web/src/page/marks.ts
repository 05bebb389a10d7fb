// What the stages of contact find, as dots and lines over the bodies.

import { BufferAttribute, BufferGeometry, LineBasicMaterial, LineSegments, Points, PointsMaterial } from "three";
import { linear } from "../colour";
import type { View } from "../view";
import type { LiveFrame } from "./messages";

/** Size of a dot, pixels. */
const DOT = 7;

export class MarkView {
  private readonly dots = new Points(new BufferGeometry(), new PointsMaterial({ vertexColors: true, size: DOT, sizeAttenuation: false, depthTest: false, transparent: true }));
  private readonly lines = new LineSegments(new BufferGeometry(), new LineBasicMaterial({ vertexColors: true, depthTest: false, transparent: true }));
  /** Marks of each kind in the last frame, for legends and tests. */
  counts: { name: string; kind: string; colour: [number, number, number]; dots: number; lines: number }[] = [];

  constructor(view: View) {
    for (const object of [this.lines, this.dots]) {
      object.renderOrder = 11;
      object.frustumCulled = false;
      object.visible = false;
      view.scene.add(object);
    }
  }

  show(marks: LiveFrame["marks"]): void {
    this.counts = marks?.list ?? [];
    const [dots, ends]: number[][] = [[], []];
    let at = 0;
    for (const { dots: count, lines } of this.counts) {
      const floats = (marks as NonNullable<typeof marks>).floats;
      for (const end = at + 6 * count; at < end; at++) dots.push(floats[at]);
      for (const end = at + 12 * lines; at < end; at++) ends.push(floats[at]);
    }
    fill(this.dots, dots);
    fill(this.lines, ends);
  }
}

/** Six numbers a point: place and colour. */
function fill(object: Points | LineSegments, values: number[]): void {
  object.visible = values.length > 0;
  object.geometry.dispose();
  if (values.length === 0) return;
  const count = values.length / 6;
  const [places, colours] = [new Float32Array(3 * count), new Float32Array(3 * count)];
  for (let k = 0; k < count; k++) {
    for (let axis = 0; axis < 3; axis++) {
      places[3 * k + axis] = values[6 * k + axis];
      colours[3 * k + axis] = linear(values[6 * k + 3 + axis]);
    }
  }
  object.geometry = new BufferGeometry();
  object.geometry.setAttribute("position", new BufferAttribute(places, 3));
  object.geometry.setAttribute("color", new BufferAttribute(colours, 3));
}
