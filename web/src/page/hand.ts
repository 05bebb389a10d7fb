// A pointer on the stage: it grabs, drags, throws and pins bodies, or moves the camera.

import { Plane, Vector3 } from "three";
import type { Hit, Stage } from "../stage";

/** What a pointer does to bodies. */
export type Tool = "hand" | "pin" | "ask";

/** What the page does about it. */
export interface HandActions {
  tool(): Tool;
  grab(hit: Hit): void;
  drag(point: Vector3): void;
  release(): void;
  pin(hit: Hit): void;
  ask(hit: Hit | null, x: number, y: number): void;
}

/** Pixels below which a press is a click. */
const STILL = 5;

export class Hand {
  private held: { pointer: number; plane: Plane; from: [number, number]; hit: Hit } | null = null;
  private down: [number, number] = [0, 0];

  constructor(private readonly stage: Stage, private readonly actions: HandActions, signal: AbortSignal) {
    const { canvas } = stage;
    // Before the controls of the camera hear it.
    canvas.addEventListener("pointerdown", (event) => this.press(event), { signal, capture: true });
    canvas.addEventListener("pointermove", (event) => this.move(event), { signal });
    canvas.addEventListener("pointerup", (event) => this.lift(event), { signal });
    canvas.addEventListener("pointercancel", (event) => this.lift(event), { signal });
    window.addEventListener("blur", () => this.drop(), { signal });
  }

  /** Whether a body is held. */
  get holds(): boolean {
    return this.held !== null;
  }

  private hit(x: number, y: number): Hit | null {
    return this.stage.pick(x, y) ?? this.stage.pickVertex(x, y);
  }

  private press(event: PointerEvent): void {
    this.down = [event.offsetX, event.offsetY];
    if (this.held || event.button !== 0 || !event.isPrimary || this.actions.tool() === "ask") return;
    const hit = this.hit(event.offsetX, event.offsetY);
    if (!hit) return;
    if (this.actions.tool() === "pin") return;
    this.stage.steers = false;
    this.stage.canvas.setPointerCapture(event.pointerId);
    // It moves in the plane through the point that faces the camera.
    const normal = this.stage.camera.getWorldDirection(new Vector3());
    const plane = new Plane().setFromNormalAndCoplanarPoint(normal, hit.point);
    this.held = { pointer: event.pointerId, plane, from: this.down, hit };
    this.actions.grab(hit);
    this.stage.canvas.classList.add("holding");
  }

  private move(event: PointerEvent): void {
    if (!this.held) {
      if (event.buttons === 0 && event.pointerType === "mouse" && this.actions.tool() !== "ask") {
        const over = this.stage.pick(event.offsetX, event.offsetY) !== null;
        this.stage.canvas.classList.toggle("over", over);
      }
      return;
    }
    if (event.pointerId !== this.held.pointer) return;
    const point = this.stage.sight(event.offsetX, event.offsetY).intersectPlane(this.held.plane, new Vector3());
    if (point) this.actions.drag(point);
  }

  private lift(event: PointerEvent): void {
    const far = Math.hypot(event.offsetX - this.down[0], event.offsetY - this.down[1]);
    if (this.held && event.pointerId === this.held.pointer) this.drop();
    if (far >= STILL || event.type === "pointercancel" || event.button !== 0) return;
    const hit = this.hit(event.offsetX, event.offsetY);
    if (this.actions.tool() === "pin" && hit) this.actions.pin(hit);
    else this.actions.ask(hit, event.offsetX, event.offsetY);
  }

  /** Pins what is held where it is. */
  pinHeld(): void {
    if (this.held) this.actions.pin(this.held.hit);
  }

  private drop(): void {
    if (!this.held) return;
    this.held = null;
    this.stage.steers = true;
    this.stage.canvas.classList.remove("holding");
    this.actions.release();
  }
}
