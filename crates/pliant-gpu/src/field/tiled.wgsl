// Exact signed distances at pixel centres: one workgroup for each tile of 16 × 16 pixels.
// Segments that no pixel of the tile can have for its nearest are left out; of those to
// the right of the tile only the rows that they cross matter.

const FOR_SIGN = 0x80000000u;
const FOR_DISTANCE = 0x40000000u;
const INDEX = 0x3fffffffu;

@group(0) @binding(0) var<storage, read> segments: array<Segment>;
@group(0) @binding(1) var<storage, read> windows: array<Window>;
// For each tile its window and its place in the window.
@group(0) @binding(2) var<storage, read> tiles: array<vec2u>;
@group(0) @binding(3) var<storage, read_write> distances: array<f32>;
@group(0) @binding(4) var<storage, read_write> sites: array<u32>;

@group(0) @binding(5) var<uniform> slice: Slice;

// Segments of every window that this pass visits; what earlier ones found is in the buffers.
struct Slice {
    start: u32,
    end: u32,
}

var<workgroup> least: atomic<u32>;
var<workgroup> rows: atomic<u32>;
var<workgroup> listed: atomic<u32>;
var<workgroup> kept: array<vec4f, 256>;
var<workgroup> kept_index: array<u32, 256>;

fn distance_sq(ends: vec4f, p: vec2f) -> f32 {
    let way = ends.zw - ends.xy;
    let to = p - ends.xy;
    let along = clamp(dot(to, way) / max(dot(way, way), 1e-37), 0.0, 1.0);
    let gap = to - along * way;
    return dot(gap, gap);
}

// Whether the ray to the right crosses a segment; the lower end belongs to it.
fn crosses(ends: vec4f, p: vec2f) -> bool {
    if (ends.y <= p.y) == (ends.w <= p.y) {
        return false;
    }
    let a = ends.xy - p;
    let b = ends.zw - p;
    return (a.x * b.y - a.y * b.x > 0.0) == (b.y > a.y);
}

@compute @workgroup_size(256)
fn tiled(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
    @builtin(local_invocation_index) thread: u32,
) {
    let number = group.y * groups.x + group.x;
    if number >= arrayLength(&tiles) {
        return;
    }
    let tile = tiles[number];
    let window = windows[tile.x];
    let corner = tile_corner(tile.y);
    let own = tile_pixel(tile.y, thread);
    let p = window.pixel * (vec2f(own) + 0.5);
    let low = window.pixel * (vec2f(corner) + 0.5);
    let high = window.pixel * (vec2f(corner) + 15.5);
    let middle = 0.5 * (low + high);
    let radius = length(high - middle) * 1.001;
    if thread == 0u {
        atomicStore(&least, INFINITE);
        atomicStore(&rows, 0u);
        atomicStore(&listed, 0u);
    }
    workgroupBarrier();
    let end = min(window.count, slice.end);
    var bound = window.reach;
    for (var k = slice.start + thread; k < end; k += THREADS) {
        bound = min(bound, sqrt(distance_sq(segments[window.first + k].ends, middle)));
    }
    atomicMin(&least, bitcast<u32>(bound));
    workgroupBarrier();
    // Nearest to some pixel: at most two radii farther from the middle than the nearest.
    bound = bitcast<f32>(atomicLoad(&least)) * 1.00001 + 2.0 * radius;

    var best = window.reach * window.reach;
    var site = NO_SITE;
    var odd = false;
    for (var start = slice.start; start < end; start += THREADS) {
        let k = start + thread;
        if k < end {
            let ends = segments[window.first + k].ends;
            var use_bits = 0u;
            let gap = distance_sq(ends, middle);
            if gap <= bound * bound {
                use_bits = FOR_DISTANCE;
            }
            let bottom = min(ends.y, ends.w);
            let top = max(ends.y, ends.w);
            if bottom <= high.y && top >= low.y && max(ends.x, ends.z) >= low.x {
                if min(ends.x, ends.z) > high.x {
                    var mask = 0u;
                    for (var row = 0u; row < SIDE; row++) {
                        let y = window.pixel * (f32(corner.y + row) + 0.5);
                        if (ends.y <= y) != (ends.w <= y) {
                            mask |= 1u << row;
                        }
                    }
                    atomicXor(&rows, mask);
                } else {
                    use_bits |= FOR_SIGN;
                }
            }
            if use_bits != 0u {
                let at = atomicAdd(&listed, 1u);
                kept[at] = ends;
                kept_index[at] = k | use_bits;
            }
        }
        workgroupBarrier();
        let count = atomicLoad(&listed);
        for (var at = 0u; at < count; at++) {
            let ends = kept[at];
            let index = kept_index[at];
            if (index & FOR_DISTANCE) != 0u {
                let gap = distance_sq(ends, p);
                let number = index & INDEX;
                // Threads list in no order: of equal ones the first segment counts.
                if gap < best || (gap == best && number < site) {
                    best = gap;
                    site = number;
                }
            }
            if (index & FOR_SIGN) != 0u {
                odd = odd != crosses(ends, p);
            }
        }
        workgroupBarrier();
        if thread == 0u {
            atomicStore(&listed, 0u);
        }
        workgroupBarrier();
    }
    if all(own < vec2u(window.width, window.height)) {
        let inside = odd != ((atomicLoad(&rows) >> (thread / SIDE) & 1u) == 1u);
        let at = window.base + own.y * window.width + own.x;
        var before = bitcast<f32>(INFINITE);
        if slice.start > 0u {
            before = distances[at];
        }
        var far = abs(before);
        if site != NO_SITE && sqrt(best) < far {
            far = sqrt(best);
            sites[at] = segments[window.first + site].site;
        } else if slice.start == 0u {
            sites[at] = NO_SITE;
        }
        let odd_before = (bitcast<u32>(before) >> 31u) == 1u;
        distances[at] = select(far, -far, inside != odd_before);
    }
}
