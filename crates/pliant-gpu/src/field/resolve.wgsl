// From images to signed distances: depth times the reach, with the sign that one of three
// encodings holds. The sign joins the distance at the pixel, before anybody interpolates.
// `inside` returns it for a pixel of the atlas and its site; the source after this one,
// another for each encoding, defines it.

@group(0) @binding(0) var<storage, read> windows: array<Window>;
@group(0) @binding(1) var<storage, read> tiles: array<vec2u>;
@group(0) @binding(2) var<storage, read_write> distances: array<f32>;
@group(0) @binding(3) var<storage, read_write> sites: array<u32>;
@group(0) @binding(4) var depth: texture_depth_2d;
@group(0) @binding(5) var site: texture_2d<u32>;

@compute @workgroup_size(THREADS)
fn resolve(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
    @builtin(local_invocation_index) thread: u32,
) {
    let number = group.y * groups.x + group.x;
    if number >= arrayLength(&tiles) {
        return;
    }
    let window = windows[tiles[number].x];
    let own = tile_pixel(tiles[number].y, thread);
    if any(own >= vec2u(window.width, window.height)) {
        return;
    }
    let at = own + vec2u(window.column, window.row);
    let index = window.base + own.y * window.width + own.x;
    let found = textureLoad(site, at, 0).x;
    let z = textureLoad(depth, at, 0);
    let nothing = z >= 1.0;
    let far = select(z * window.reach, bitcast<f32>(INFINITE), nothing);
    distances[index] = select(far, -far, inside(at, found));
    sites[index] = select(found & ~INSIDE_BIT, NO_SITE, nothing);
}
