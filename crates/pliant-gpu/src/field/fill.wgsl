// The fill of an outline and what covers an image, for passes that render; put after the
// layout of windows.

@group(0) @binding(0) var<storage, read> segments: array<Segment>;
@group(0) @binding(1) var<storage, read> windows: array<Window>;
// The fill, for passes after it.
@group(0) @binding(2) var filled: texture_2d<u32>;

// The triangle of a segment and the window's corner: where an odd number of them lies is inside.
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

// One triangle over the whole image.
@vertex
fn cover(@builtin(vertex_index) vertex: u32) -> @builtin(position) vec4f {
    return vec4f(f32(vertex & 1u) * 4.0 - 1.0, f32(vertex >> 1u) * 4.0 - 1.0, 0.0, 1.0);
}

// Whether the fill leaves a pixel out.
fn outside(at: vec4f) -> bool {
    return textureLoad(filled, vec2u(at.xy), 0).x == 0u;
}
