// Two outlines into one image, each as a thick boundary or as a filled volume, and from
// the image the pixels that both cover.

@group(0) @binding(0) var<storage, read> segments: array<Segment>;
@group(0) @binding(1) var<storage, read> windows: array<Window>;
@group(0) @binding(2) var filled: texture_2d<u32>;
@group(0) @binding(3) var<storage, read_write> ored: array<atomic<u32>>;

// A rectangle around the segment, then a circumscribed disc around the point it begins at.
@vertex
fn thick(
    @builtin(vertex_index) vertex: u32,
    @builtin(instance_index) instance: u32,
) -> @builtin(position) vec4f {
    let segment = segments[instance];
    let window = windows[segment.window];
    if vertex < 6u {
        let which = array<u32, 6>(0u, 1u, 2u, 2u, 1u, 3u)[vertex];
        let way = segment.ends.zw - segment.ends.xy;
        let across = vec2f(-way.y, way.x) / max(length(way), 1e-37);
        let end = select(segment.ends.xy, segment.ends.zw, (which & 1u) == 1u);
        return placed(window, end + select(-window.reach, window.reach, which >= 2u) * across, 0.0);
    }
    let side = (vertex - 6u) / 3u;
    let rim = (vertex - 6u) % 3u;
    var p = segment.ends.xy;
    if rim != 0u {
        let angle = TURN * f32(side + rim - 1u) / f32(window.sides);
        let radius = window.reach / cos(0.5 * TURN / f32(window.sides));
        p += radius * vec2f(cos(angle), sin(angle));
    }
    return placed(window, p, 0.0);
}

@vertex
fn fan(
    @builtin(vertex_index) vertex: u32,
    @builtin(instance_index) instance: u32,
) -> @builtin(position) vec4f {
    let segment = segments[instance];
    let window = windows[segment.window];
    if vertex == 0u {
        return placed(window, vec2f(0.0), 0.0);
    }
    return placed(window, select(segment.ends.xy, segment.ends.zw, vertex == 2u), 0.0);
}

@vertex
fn cover(@builtin(vertex_index) vertex: u32) -> @builtin(position) vec4f {
    return vec4f(f32(vertex & 1u) * 4.0 - 1.0, f32(vertex >> 1u) * 4.0 - 1.0, 0.0, 1.0);
}

fn outside(at: vec4f) -> bool {
    return textureLoad(filled, vec2u(at.xy), 0).x == 0u;
}

// Red for b, green for a; which of them is written is up to the blend and the mask.
@fragment
fn paint() -> @location(0) vec4f {
    return vec4f(1.0);
}

@fragment
fn paint_volume(@builtin(position) at: vec4f) -> @location(0) vec4f {
    if outside(at) {
        discard;
    }
    return vec4f(1.0);
}

@fragment
fn mark_volume(@builtin(position) at: vec4f) {
    if outside(at) {
        discard;
    }
}

fn or_at(at: vec4f, bits: u32) -> vec4f {
    let p = vec2u(at.xy);
    atomicOr(&ored[p.y * windows[0].width + p.x], bits);
    return vec4f(0.0);
}

// The paper's two colours.
@fragment
fn or_b(@builtin(position) at: vec4f) -> @location(0) vec4f {
    return or_at(at, 127u);
}

@fragment
fn or_a(@builtin(position) at: vec4f) -> @location(0) vec4f {
    return or_at(at, 128u);
}

@fragment
fn or_b_volume(@builtin(position) at: vec4f) -> @location(0) vec4f {
    if outside(at) {
        discard;
    }
    return or_at(at, 127u);
}

@fragment
fn or_a_volume(@builtin(position) at: vec4f) -> @location(0) vec4f {
    if outside(at) {
        discard;
    }
    return or_at(at, 128u);
}
