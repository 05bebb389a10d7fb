// The tour: six steps that show the documents' ideas on live bodies.

export interface TourStep {
  title: string;
  text: string;
  scene: string;
  sets?: string[];
  /** Simulations side by side: label and values. */
  variants?: [string, string[]][];
  overlays?: string[];
  colour?: string;
  field?: boolean;
  /** Whether it runs at once. */
  plays?: boolean;
  clear?: boolean;
}

export const TOUR: TourStep[] = [
  {
    title: "Closest against consistent depth",
    text:
      "Two cubes start deep inside each other. Left, every vertex goes to the closest point of the surface: neighbours go " +
      "different ways, and forces tear at each other. Right, ways out spread from the border inwards and agree. The lines show them.",
    scene: "two-cubes",
    sets: ["overlap=0.4"],
    variants: [["closest", ["response=closest"]], ["consistent", ["response=penalty"]]],
    overlays: ["exits"],
    plays: true,
    clear: true,
  },
  {
    title: "Propagation, ring by ring",
    text:
      "Only border points (red) have edges that leave the other body: where these cross its surface, depth and direction are known. " +
      "Both travel inwards along the edges, a ring at a time: orange, yellow, green, blue. Play to see the rings vanish as the cubes part.",
    scene: "two-cubes",
    sets: ["overlap=0.6", "tilt=0.02"],
    overlays: ["rings", "crossings"],
    clear: true,
  },
  {
    title: "Penalty, contact surface, contact rows",
    text:
      "A soft ball is pressed between two stiff cubes. Springs push in proportion to depth, so depth stays; an explicit surface is placed " +
      "where pressures balance; contact rows are solved together with the materials. Compare the deepest vertex and the vertices inside.",
    scene: "squeezed-sphere",
    variants: [["penalty", ["response=penalty"]], ["surface", ["response=surface"]], ["rows", ["response=constraint"]]],
    overlays: ["contacts"],
    plays: true,
  },
  {
    title: "Four integrators on one spring",
    text:
      "The same pendulum on a spring without damping: explicit Euler gains energy, implicit Euler loses it, " +
      "symplectic Euler and Runge–Kutta of order 4 keep it nearly. The energy curves say which is which.",
    scene: "integrators",
    variants: [
      ["explicit Euler", ["integrator=explicit-euler"]],
      ["symplectic Euler", ["integrator=symplectic-euler"]],
      ["Runge–Kutta 4", ["integrator=rk4"]],
      ["implicit Euler", ["integrator=implicit-euler"]],
    ],
    plays: true,
  },
  {
    title: "Field and contacts in the plane",
    text:
      "Outlines in the plane, with the exact signed distance field behind them: each colour is the region of one segment, " +
      "its nearest (a Voronoi region), lines join equal distances, arrows are gradients. Drag a coast and watch the field follow.",
    scene: "map",
    field: true,
    plays: true,
  },
  {
    title: "Recover and settle",
    text:
      "Ten soft bodies start as one knot. They come apart gently and settle, with no vertex inside another body and no edge through a face: " +
      "both are counted exactly, below. Pull one out of the heap.",
    scene: "knot",
    plays: true,
  },
];
