// The length that both outlines cover along one row: a workgroup for each row.

struct Chunk {
    low: vec2f,
    high: vec2f,
    slot: u32,
    count: u32,
    first: u32,
    spare: u32,
}

struct Strip {
    // First chunk and chunks of a, then of b.
    chunks: vec4u,
    // From the middle of b to that of a.
    offset: vec2f,
    // Height of the lowest row, and from one row to the next.
    lowest: f32,
    step: f32,
}

const THREADS = 64u;
const ROOM = 1024u;
const GROUPS = 32768u;
// Parts of a unit: whole numbers add up to the same whatever their order.
const PARTS = 8388608.0;
// Written when a row has more crossings than room.
const FULL = -2147483648;

@group(0) @binding(0) var<storage, read> points: array<vec2f>;
@group(0) @binding(1) var<storage, read> chunks: array<Chunk>;
@group(0) @binding(2) var<storage, read> strips: array<Strip>;
// For each row its strip and its number in it.
@group(0) @binding(3) var<storage, read> rows: array<vec2u>;
@group(0) @binding(4) var<storage, read_write> lengths: array<i32>;

var<workgroup> count: atomic<u32>;
var<workgroup> sum: atomic<i32>;
var<workgroup> places: array<f32, 1024>;
// 0 for a, 1 for b, and the number of the segment above it.
var<workgroup> names: array<u32, 1024>;

fn gather(first: u32, number: u32, offset: vec2f, y: f32, side: u32, thread: u32) {
    for (var at = first + thread; at < first + number; at += THREADS) {
        let chunk = chunks[at];
        if y < chunk.low.y + offset.y || y > chunk.high.y + offset.y {
            continue;
        }
        var a = points[chunk.slot] + offset;
        for (var k = 1u; k <= chunk.count; k++) {
            let b = points[chunk.slot + k] + offset;
            if (a.y <= y) != (b.y <= y) {
                let x = a.x + (y - a.y) / (b.y - a.y) * (b.x - a.x);
                let slot = atomicAdd(&count, 1u);
                if slot < ROOM {
                    places[slot] = clamp(x, min(a.x, b.x), max(a.x, b.x));
                    names[slot] = 2u * (chunk.first + k) + side;
                }
            }
            a = b;
        }
    }
}

@compute @workgroup_size(64)
fn measure(
    @builtin(workgroup_id) group: vec3u,
    @builtin(local_invocation_index) thread: u32,
) {
    let index = group.y * GROUPS + group.x;
    if index >= arrayLength(&rows) {
        return;
    }
    if thread == 0u {
        atomicStore(&count, 0u);
        atomicStore(&sum, 0);
    }
    workgroupBarrier();
    let row = rows[index];
    let strip = strips[row.x];
    let y = strip.lowest + f32(row.y) * strip.step;
    gather(strip.chunks.x, strip.chunks.y, strip.offset, y, 0u, thread);
    gather(strip.chunks.z, strip.chunks.w, vec2f(0.0), y, 1u, thread);
    workgroupBarrier();
    let crossings = atomicLoad(&count);
    // The covered length is minus the sum of all jumps of "inside both", each times its place.
    if crossings <= ROOM {
        for (var i = thread; i < crossings; i += THREADS) {
            let x = places[i];
            let name = names[i];
            var before = vec2u(0u);
            for (var k = 0u; k < crossings; k++) {
                // Crossings at one place are put in the order of their names.
                if places[k] < x || (places[k] == x && names[k] < name) {
                    before[names[k] & 1u] += 1u;
                }
            }
            let own = before[name & 1u];
            let other = before[1u - (name & 1u)];
            if (other & 1u) == 1u {
                let jump = select(1, -1, (own & 1u) == 1u);
                atomicAdd(&sum, -jump * i32(round(x * PARTS)));
            }
        }
    }
    workgroupBarrier();
    if thread == 0u {
        lengths[index] = select(FULL, atomicLoad(&sum), crossings <= ROOM);
    }
}
