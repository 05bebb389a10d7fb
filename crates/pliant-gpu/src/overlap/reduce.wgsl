// From an image to one bit for each pixel, their number and the box around them: the
// minimum and maximum that show without the image whether there is anything to read.

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

// The pixels of one word. `covered` returns whether both outlines cover a pixel; the source
// after this one, another for each strategy, defines it.
@compute @workgroup_size(64)
fn reduce(@builtin(global_invocation_id) id: vec3u) {
    let window = windows[0];
    let words = (window.width + 31u) / 32u;
    let first = vec2u(32u * (id.x % words), id.x / words);
    if first.y >= window.height {
        return;
    }
    var word = 0u;
    for (var k = 0u; k < min(32u, window.width - first.x); k++) {
        word |= select(0u, 1u << k, covered(first + vec2u(k, 0u)));
    }
    bits[id.x] = word;
    if word == 0u {
        return;
    }
    atomicAdd(&extent.count, countOneBits(word));
    atomicMax(&extent.left, window.width - (first.x + countTrailingZeros(word)));
    atomicMax(&extent.low, window.height - first.y);
    atomicMax(&extent.right, first.x + 32u - countLeadingZeros(word));
    atomicMax(&extent.high, first.y + 1u);
}
