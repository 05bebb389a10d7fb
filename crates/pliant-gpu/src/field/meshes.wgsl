// Distance meshes: a cone for every point and a tent for every segment, whose depth is
// the distance over the reach; the fill of an outline; and the cover that paints it.

const INSIDE_BIT = 0x80000000u;

@group(0) @binding(0) var<storage, read> segments: array<Segment>;
@group(0) @binding(1) var<storage, read> windows: array<Window>;
// The fill, for the pass that writes the sign into the site.
@group(0) @binding(2) var filled: texture_2d<u32>;

struct Corner {
    @builtin(position) position: vec4f,
    @location(0) @interpolate(flat) site: u32,
}

@vertex
fn cone(@builtin(vertex_index) vertex: u32, @builtin(instance_index) instance: u32) -> Corner {
    let segment = segments[instance];
    let window = windows[segment.window];
    let side = vertex / 3u;
    let rim = vertex % 3u;
    var p = segment.ends.xy;
    // Vertices past the last side of a smaller cone collapse into its tip.
    if rim != 0u && side < window.sides {
        let angle = TURN * f32(side + rim - 1u) / f32(window.sides);
        // Circumscribed: the sides touch the circle from outside.
        let radius = window.reach / cos(0.5 * TURN / f32(window.sides));
        p += radius * vec2f(cos(angle), sin(angle));
    }
    return Corner(placed(window, p, select(0.0, 1.0, rim != 0u)), segment.site);
}

@vertex
fn tent(@builtin(vertex_index) vertex: u32, @builtin(instance_index) instance: u32) -> Corner {
    let segment = segments[instance];
    let window = windows[segment.window];
    // Two rectangles of two triangles, from the segment to the reach on either side.
    let which = array<u32, 6>(0u, 1u, 2u, 2u, 1u, 3u)[vertex % 6u];
    let way = segment.ends.zw - segment.ends.xy;
    let across = vec2f(-way.y, way.x) / max(length(way), 1e-37);
    let side = select(-window.reach, window.reach, vertex >= 6u);
    let end = select(segment.ends.xy, segment.ends.zw, (which & 1u) == 1u);
    let out = which >= 2u;
    let p = end + select(0.0, side, out) * across;
    return Corner(placed(window, p, select(0.0, 1.0, out)), segment.site);
}

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

@fragment
fn plain_site(corner: Corner) -> @location(0) u32 {
    return corner.site;
}

@fragment
fn signed_site(corner: Corner) -> @location(0) u32 {
    let fill = textureLoad(filled, vec2u(corner.position.xy), 0).x;
    return corner.site | select(0u, INSIDE_BIT, fill != 0u);
}

@fragment
fn white() -> @location(0) vec4f {
    return vec4f(1.0);
}
