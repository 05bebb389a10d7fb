// One thread for each segment of a chunk and the point it begins at, against the chunks
// of the other outline. What rounding could change is marked as unsure; the CPU decides it.

struct Chunk {
    low: vec2f,
    high: vec2f,
    slot: u32,
    count: u32,
    first: u32,
    spare: u32,
}

struct Task {
    // The chunk whose points are tested.
    chunk: u32,
    // First chunk of the other outline.
    other: u32,
    // Chunks of the other outline.
    others: u32,
    pair: u32,
    // From the middle of the other outline to that of the own one.
    offset: vec2f,
    // Bound of the error of a coordinate.
    error: f32,
    // Distance up to which segments are listed as near.
    reach: f32,
    modes: u32,
    spare: u32,
}

struct Candidate {
    pair: u32,
    // Segments of the own and of the other outline.
    own: u32,
    other: u32,
    kind: u32,
}

struct Count {
    tasks: u32,
    // Turns of loops that a thread may take.
    turns: u32,
}

// Whether a point is inside, and then its nearest segment.
const INSIDE = 1u;
// Whether segments cross.
const CROSS = 2u;
// Crossings that are sure are listed too.
const LIST = 4u;
// Segments within reach are listed.
const NEAR = 8u;
// The nearest segment of every point, and the nearest of them all.
const NEAREST = 16u;

// Kinds of candidates.
const UNSURE = 0u;
const SURE = 1u;
const CLOSE = 2u;

const CHUNK = 32u;
const GROUPS = 32768u;
const NONE = 0xffffffffu;
const FAR = 3e38;
// Candidates beyond which the CPU takes over, as on the CPU.
const MOST_LISTED = 16777216u;
// Margin of a distance in errors of a coordinate: both ends and the point move by at most
// √2 of it, and the arithmetic costs less than as much again.
const MARGIN = 8.0;

@group(0) @binding(0) var<storage, read> points: array<vec2f>;
@group(0) @binding(1) var<storage, read> chunks: array<Chunk>;
@group(0) @binding(2) var<storage, read> tasks: array<Task>;
@group(0) @binding(3) var<uniform> count: Count;
// For each thread of a task the nearest segment.
@group(0) @binding(4) var<storage, read_write> sites: array<u32>;
// For each task: threads whose point is inside or unsure, the unsure among them, and the
// square of the least distance with the thread that has it.
@group(0) @binding(5) var<storage, read_write> found: array<vec4u>;
// For each pair, bit 0: a crossing is sure; bit 1: a thread gave up.
@group(0) @binding(6) var<storage, read_write> crossed: array<atomic<u32>>;
@group(0) @binding(7) var<storage, read_write> listed: atomic<u32>;
@group(0) @binding(8) var<storage, read_write> list: array<Candidate>;

// Turns of loops that this thread has taken.
var<private> turns: u32 = 0u;

// Counts turns that begin; whether there are too many. What was found so far is worth nothing then.
fn too_many(more: u32) -> bool {
    turns += more;
    return turns > count.turns;
}

var<workgroup> inside_mask: atomic<u32>;
var<workgroup> unsure_mask: atomic<u32>;
var<workgroup> least: atomic<u32>;
var<workgroup> least_thread: atomic<u32>;

fn cross2(a: vec2f, b: vec2f) -> f32 {
    return a.x * b.y - a.y * b.x;
}

fn distance_sq(a: vec2f, b: vec2f, p: vec2f) -> f32 {
    let way = b - a;
    let to = p - a;
    let along = clamp(dot(to, way) / max(dot(way, way), 1e-37), 0.0, 1.0);
    let gap = to - along * way;
    return dot(gap, gap);
}

fn box_distance_sq(low: vec2f, high: vec2f, p: vec2f) -> f32 {
    let gap = max(max(low - p, p - high), vec2f(0.0));
    return dot(gap, gap);
}

// Bit 0: an odd number of segments to the right. Bit 1: too near the boundary to be sure.
fn surrounded(task: Task, p: vec2f) -> u32 {
    let margin = MARGIN * task.error;
    var odd = false;
    var near = false;
    for (var at = task.other; at < task.other + task.others; at++) {
        let chunk = chunks[at];
        if too_many(1u) {
            return 2u;
        }
        if p.y < chunk.low.y - margin || p.y > chunk.high.y + margin || p.x > chunk.high.x + margin {
            continue;
        }
        if p.x < chunk.low.x - margin {
            // All to the right: only the ends of the run matter.
            let begins = points[chunk.slot].y <= p.y;
            odd = odd != (begins != (points[chunk.slot + chunk.count].y <= p.y));
            continue;
        }
        if too_many(chunk.count) {
            return 2u;
        }
        var a = points[chunk.slot];
        for (var k = 1u; k <= chunk.count; k++) {
            let b = points[chunk.slot + k];
            let low = min(a, b);
            let high = max(a, b);
            if (a.y <= p.y) != (b.y <= p.y) {
                if p.x < low.x {
                    odd = !odd;
                } else if p.x <= high.x {
                    let side = cross2(a - p, b - p);
                    odd = odd != ((side > 0.0) == (b.y > a.y));
                }
            }
            if all(p >= low - margin) && all(p <= high + margin) {
                near = near || distance_sq(a, b, p) <= margin * margin;
            }
            a = b;
        }
    }
    return select(0u, 1u, odd) | select(0u, 2u, near);
}

struct Nearest {
    site: u32,
    distance_sq: f32,
}

fn nearest(task: Task, p: vec2f) -> Nearest {
    // A point of each chunk bounds the distance before any box is opened.
    var bound = FAR;
    for (var at = task.other; at < task.other + task.others; at++) {
        if too_many(1u) {
            return Nearest(chunks[task.other].first, 0.0);
        }
        let way = points[chunks[at].slot] - p;
        bound = min(bound, dot(way, way));
    }
    // A thread that gives up must name a segment all the same.
    var best = Nearest(chunks[task.other].first, FAR);
    for (var at = task.other; at < task.other + task.others; at++) {
        let chunk = chunks[at];
        if too_many(1u) {
            return best;
        }
        if box_distance_sq(chunk.low, chunk.high, p) > min(best.distance_sq, bound) {
            continue;
        }
        if too_many(chunk.count) {
            return best;
        }
        var a = points[chunk.slot];
        for (var k = 1u; k <= chunk.count; k++) {
            let b = points[chunk.slot + k];
            let gap = distance_sq(a, b, p);
            if gap < best.distance_sq {
                best = Nearest(chunk.first + k - 1u, gap);
            }
            a = b;
        }
    }
    return best;
}

// 1 and -1: the sign of a cross product is sure. 0: rounding could change it.
fn sure_sign(a: vec2f, b: vec2f, error: f32) -> i32 {
    let size = abs(a.x) + abs(a.y) + abs(b.x) + abs(b.y);
    let product = cross2(a, b);
    let bound = 4.0 * error * (size + 2.0 * error);
    return select(0, select(-1, 1, product > 0.0), abs(product) > bound);
}

// What is known of two segments: UNSURE, SURE that they cross, or NONE.
fn meeting(p: vec2f, q: vec2f, a: vec2f, b: vec2f, error: f32) -> u32 {
    let slack = 2.0 * error;
    if any(min(p, q) > max(a, b) + slack) || any(min(a, b) > max(p, q) + slack) {
        return NONE;
    }
    let s0 = sure_sign(b - a, p - a, error);
    let s1 = sure_sign(b - a, q - a, error);
    let t0 = sure_sign(q - p, a - p, error);
    let t1 = sure_sign(q - p, b - p, error);
    if s0 * s1 > 0 || t0 * t1 > 0 {
        return NONE;
    }
    return select(UNSURE, SURE, s0 * s1 < 0 && t0 * t1 < 0);
}

fn tell(task: Task, own: u32, other: u32, kind: u32) {
    if atomicLoad(&listed) >= MOST_LISTED {
        return;
    }
    let at = atomicAdd(&listed, 1u);
    if at < arrayLength(&list) {
        list[at] = Candidate(task.pair, own, other, kind);
    }
}

fn crossings(task: Task, own: u32, p: vec2f, q: vec2f) {
    let near = (task.modes & NEAR) != 0u;
    let all_wanted = (task.modes & (LIST | NEAR)) != 0u;
    let reach = select(2.0 * task.error, task.reach, near);
    let low = min(p, q) - reach;
    let high = max(p, q) + reach;
    for (var at = task.other; at < task.other + task.others; at++) {
        let chunk = chunks[at];
        if too_many(1u) {
            return;
        }
        if any(low > chunk.high) || any(chunk.low > high) {
            continue;
        }
        if !all_wanted && (atomicLoad(&crossed[task.pair]) & 1u) != 0u {
            return;
        }
        if too_many(chunk.count) {
            return;
        }
        var a = points[chunk.slot];
        for (var k = 1u; k <= chunk.count; k++) {
            let b = points[chunk.slot + k];
            if all(low <= max(a, b)) && all(min(a, b) <= high) {
                let other = chunk.first + k - 1u;
                let kind = meeting(p, q, a, b, task.error);
                if kind == SURE {
                    atomicOr(&crossed[task.pair], 1u);
                }
                if kind == UNSURE || (kind == SURE && all_wanted) {
                    tell(task, own, other, kind);
                } else if kind == NONE && near {
                    let ends = min(
                        min(distance_sq(a, b, p), distance_sq(a, b, q)),
                        min(distance_sq(p, q, a), distance_sq(p, q, b)),
                    );
                    if ends <= reach * reach {
                        tell(task, own, other, CLOSE);
                    }
                }
            }
            a = b;
        }
    }
}

@compute @workgroup_size(32)
fn depths(
    @builtin(workgroup_id) group: vec3u,
    @builtin(local_invocation_index) thread: u32,
) {
    let index = group.y * GROUPS + group.x;
    if index >= count.tasks {
        return;
    }
    if thread == 0u {
        atomicStore(&inside_mask, 0u);
        atomicStore(&unsure_mask, 0u);
        atomicStore(&least, NONE);
        atomicStore(&least_thread, NONE);
    }
    workgroupBarrier();
    let task = tasks[index];
    let chunk = chunks[task.chunk];
    let works = thread < chunk.count;
    var gap = NONE;
    if works {
        let p = points[chunk.slot + thread] + task.offset;
        var site = NONE;
        var state = 0u;
        if (task.modes & INSIDE) != 0u {
            state = surrounded(task, p);
        }
        if state != 0u {
            atomicOr(&inside_mask, 1u << thread);
            if (state & 2u) != 0u {
                atomicOr(&unsure_mask, 1u << thread);
            }
        }
        if state != 0u || (task.modes & NEAREST) != 0u {
            let closest = nearest(task, p);
            site = closest.site;
            gap = bitcast<u32>(closest.distance_sq);
            if (task.modes & NEAREST) != 0u {
                atomicMin(&least, gap);
            }
        }
        sites[index * CHUNK + thread] = site;
        if (task.modes & (CROSS | NEAR)) != 0u {
            let q = points[chunk.slot + thread + 1u] + task.offset;
            crossings(task, chunk.first + thread, p, q);
        }
        if too_many(0u) {
            atomicOr(&crossed[task.pair], 2u);
        }
    }
    workgroupBarrier();
    if works && gap != NONE && gap == atomicLoad(&least) {
        atomicMin(&least_thread, thread);
    }
    workgroupBarrier();
    if thread == 0u {
        found[index] = vec4u(
            atomicLoad(&inside_mask),
            atomicLoad(&unsure_mask),
            atomicLoad(&least),
            atomicLoad(&least_thread),
        );
    }
}
