// Colours of bodies, runs and values.

/** Ten colours that differ in lightness too; the same as in the program's pictures. */
export const BODIES: number[][] = [
  [74, 124, 196], [226, 128, 62], [82, 160, 106], [202, 84, 98], [138, 110, 190],
  [222, 178, 66], [70, 164, 178], [210, 120, 168], [140, 156, 74], [150, 118, 98],
];

/** Colours of curves, for light and dark pages; with dashes they stay apart in grey too. */
export const CURVES = ["--c0", "--c1", "--c2", "--c3", "--c4", "--c5", "--c6", "--c7"];
export const DASHES = [[], [7, 4], [2, 4], [9, 4, 2, 4]];

/** Viridis at even distances, dark to light; readable without colour vision. */
const VIRIDIS = [
  [68, 1, 84], [72, 40, 120], [62, 74, 137], [49, 104, 142], [38, 130, 142],
  [31, 158, 137], [53, 183, 121], [109, 205, 89], [180, 222, 44], [253, 231, 37],
];

/** Colours of 256 levels, three bytes each. */
export const SCALE: Uint8Array = (() => {
  const scale = new Uint8Array(3 * 256);
  for (let level = 0; level < 256; level++) {
    const place = (level / 255) * (VIRIDIS.length - 1);
    const low = Math.min(Math.floor(place), VIRIDIS.length - 2);
    for (let k = 0; k < 3; k++) {
      const [a, b] = [VIRIDIS[low][k], VIRIDIS[low + 1][k]];
      scale[3 * level + k] = Math.round(a + (place - low) * (b - a));
    }
  }
  return scale;
})();

/** The scale as a CSS gradient from left to right. */
export const GRADIENT = `linear-gradient(to right, ${VIRIDIS.map((c) => `rgb(${c})`).join(", ")})`;

/** A number with up to four digits, powers of ten where zeros would be many. */
export function number(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e-3 && size < 1e5) return String(Number(value.toPrecision(4))).replace("-", "−");
  const [mantissa, exponent] = value.toExponential(2).split("e");
  return `${Number(mantissa)}×10${raised(Number(exponent))}`.replace("-", "−");
}

/** A power of ten as superscript. */
export function raised(exponent: number): string {
  const digits = [...String(Math.abs(exponent))].map((digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(digit)]);
  return (exponent < 0 ? "⁻" : "") + digits.join("");
}

/** Stored numbers, 0 to 255, as the light that shaders calculate with. */
export function linear(stored: number): number {
  const part = stored / 255;
  return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
}

/** The scale and the colours of bodies as light. */
export const SCALE_LIGHT = Float32Array.from(SCALE, linear);
export const BODY_LIGHT = BODIES.map((colour) => colour.map(linear));
