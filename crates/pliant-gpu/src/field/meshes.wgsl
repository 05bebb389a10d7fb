// Distance meshes: a cone for every point and a tent for every segment, whose depth is
// the distance over the reach; and what paints the fill.

struct Corner {
    @builtin(position) position: vec4f,
    @location(0) @interpolate(flat) site: u32,
}

@vertex
fn cone(@builtin(vertex_index) vertex: u32, @builtin(instance_index) instance: u32) -> Corner {
    let segment = segments[instance];
    let window = windows[segment.window];
    let side = vertex / 3u;
    let corner = vertex % 3u;
    var p = segment.ends.xy;
    // Vertices past the last side of a smaller cone collapse into its tip.
    if corner != 0u && side < window.sides {
        p += rim(window, side + corner - 1u);
    }
    return Corner(placed(window, p, select(0.0, 1.0, corner != 0u)), segment.site);
}

@vertex
fn tent(@builtin(vertex_index) vertex: u32, @builtin(instance_index) instance: u32) -> Corner {
    let segment = segments[instance];
    let window = windows[segment.window];
    // Two rectangles of two triangles, from the segment to the reach on either side.
    let which = array<u32, 6>(0u, 1u, 2u, 2u, 1u, 3u)[vertex % 6u];
    let side = select(-window.reach, window.reach, vertex >= 6u);
    let end = select(segment.ends.xy, segment.ends.zw, (which & 1u) == 1u);
    let out = which >= 2u;
    let p = end + select(0.0, side, out) * across(segment.ends);
    return Corner(placed(window, p, select(0.0, 1.0, out)), segment.site);
}

@fragment
fn plain_site(corner: Corner) -> @location(0) u32 {
    return corner.site;
}

@fragment
fn signed_site(corner: Corner) -> @location(0) u32 {
    return corner.site | select(INSIDE_BIT, 0u, outside(corner.position));
}

@fragment
fn white() -> @location(0) vec4f {
    return vec4f(1.0);
}
