// What every pass over windows of pixels reads, as the CPU lays it out; put before its source.

struct Segment {
    // From the window's corner.
    ends: vec4f,
    site: u32,
    window: u32,
    spare: vec2u,
}

struct Window {
    // Segments: the first, and how many.
    first: u32,
    count: u32,
    // Where its pixels begin.
    base: u32,
    width: u32,
    height: u32,
    pixel: f32,
    // Distances above it do not matter; half the width of a boundary that is drawn thick.
    reach: f32,
    // Where it lies in the atlas of images.
    column: u32,
    row: u32,
    // Of a cone or a disc.
    sides: u32,
}

const TURN = 6.283185307179586;

fn placed(window: Window, p: vec2f, depth: f32) -> vec4f {
    let size = window.pixel * vec2f(f32(window.width), f32(window.height));
    let share = p / size;
    // Row 0 of the image is the lowest.
    return vec4f(2.0 * share.x - 1.0, 1.0 - 2.0 * share.y, depth, 1.0);
}

