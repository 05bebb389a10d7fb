// Two outlines into one image, each as a thick boundary or as a filled volume, and from
// the image the pixels that both cover.

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
        let end = select(segment.ends.xy, segment.ends.zw, (which & 1u) == 1u);
        let side = select(-window.reach, window.reach, which >= 2u);
        return placed(window, end + side * across(segment.ends), 0.0);
    }
    let side = (vertex - 6u) / 3u;
    let corner = (vertex - 6u) % 3u;
    var p = segment.ends.xy;
    if corner != 0u {
        p += rim(window, side + corner - 1u);
    }
    return placed(window, p, 0.0);
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
