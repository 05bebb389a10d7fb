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
// Pixels along the side of a tile.
const SIDE = 16u;
// Threads of a tile: one for each pixel.
const THREADS = 256u;
// The sign, where the number of a site holds it.
const INSIDE_BIT = 0x80000000u;
const NO_SITE = 0xffffffffu;
// Bits of an infinite number.
const INFINITE = 0x7f800000u;

// The lower left pixel of a tile, of which the place is given as column + 65536 row.
fn tile_corner(place: u32) -> vec2u {
    return SIDE * vec2u(place & 0xffffu, place >> 16u);
}

// The pixel of a thread.
fn tile_pixel(place: u32, thread: u32) -> vec2u {
    return tile_corner(place) + vec2u(thread % SIDE, thread / SIDE);
}

// A unit vector across a segment; nothing for one without length.
fn across(ends: vec4f) -> vec2f {
    let way = ends.zw - ends.xy;
    return vec2f(-way.y, way.x) / max(length(way), 1e-37);
}

// A corner of the polygon around a disc of the reach: its sides touch the circle from outside.
fn rim(window: Window, corner: u32) -> vec2f {
    let angle = TURN * f32(corner) / f32(window.sides);
    let radius = window.reach / cos(0.5 * TURN / f32(window.sides));
    return radius * vec2f(cos(angle), sin(angle));
}

fn placed(window: Window, p: vec2f, depth: f32) -> vec4f {
    let size = window.pixel * vec2f(f32(window.width), f32(window.height));
    let share = p / size;
    // Row 0 of the image is the lowest.
    return vec4f(2.0 * share.x - 1.0, 1.0 - 2.0 * share.y, depth, 1.0);
}

