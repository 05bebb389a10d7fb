// From an image to one bit for each pixel, their count and the box around them: the
// minimum and maximum that tell without the image whether there is anything to read.

struct Extent {
    count: atomic<u32>,
    // Columns and rows are kept as their distance from the far side, so that all begin
    // at zero: left, low, right, high.
    left: atomic<u32>,
    low: atomic<u32>,
    right: atomic<u32>,
    high: atomic<u32>,
}

@group(0) @binding(0) var<storage, read> windows: array<Window>;
@group(0) @binding(1) var<storage, read_write> bits: array<u32>;
@group(0) @binding(2) var<storage, read_write> extent: Extent;
@group(0) @binding(3) var stencil: texture_2d<u32>;
@group(0) @binding(4) var colour: texture_2d<f32>;
@group(0) @binding(5) var<storage, read> ored: array<u32>;

fn keep(index: u32, word: u32) {
    bits[index] = word;
    if word == 0u {
        return;
    }
    let window = windows[0];
    let words = (window.width + 31u) / 32u;
    let column = 32u * (index % words);
    let row = index / words;
    atomicAdd(&extent.count, countOneBits(word));
    atomicMax(&extent.left, window.width - (column + countTrailingZeros(word)));
    atomicMax(&extent.low, window.height - row);
    atomicMax(&extent.right, column + 32u - countLeadingZeros(word));
    atomicMax(&extent.high, row + 1u);
}

struct Row {
    exists: bool,
    first: vec2u,
    count: u32,
}

// The pixels of one word.
fn row(index: u32) -> Row {
    let window = windows[0];
    let words = (window.width + 31u) / 32u;
    let first = vec2u(32u * (index % words), index / words);
    return Row(first.y < window.height, first, min(32u, window.width - first.x));
}

@compute @workgroup_size(64)
fn by_stencil(@builtin(global_invocation_id) id: vec3u) {
    let own = row(id.x);
    if own.exists {
        var word = 0u;
        for (var k = 0u; k < own.count; k++) {
            let value = textureLoad(stencil, own.first + vec2u(k, 0u), 0).x;
            word |= select(0u, 1u << k, value == 2u);
        }
        keep(id.x, word);
    }
}

@compute @workgroup_size(64)
fn by_blend(@builtin(global_invocation_id) id: vec3u) {
    let own = row(id.x);
    if own.exists {
        var word = 0u;
        for (var k = 0u; k < own.count; k++) {
            let value = textureLoad(colour, own.first + vec2u(k, 0u), 0);
            word |= select(0u, 1u << k, value.x > 0.5 && value.y > 0.5);
        }
        keep(id.x, word);
    }
}

@compute @workgroup_size(64)
fn by_or(@builtin(global_invocation_id) id: vec3u) {
    let own = row(id.x);
    if own.exists {
        var word = 0u;
        for (var k = 0u; k < own.count; k++) {
            let value = ored[own.first.y * windows[0].width + own.first.x + k];
            word |= select(0u, 1u << k, value == 255u);
        }
        keep(id.x, word);
    }
}

@compute @workgroup_size(64)
fn by_depth(@builtin(global_invocation_id) id: vec3u) {
    let own = row(id.x);
    if own.exists {
        var word = 0u;
        for (var k = 0u; k < own.count; k++) {
            let value = textureLoad(colour, own.first + vec2u(k, 0u), 0).x;
            word |= select(0u, 1u << k, value > 0.5);
        }
        keep(id.x, word);
    }
}
