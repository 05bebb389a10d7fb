// From images to signed distances: depth times the reach, with the sign that one of three
// encodings holds. The sign joins the distance at the pixel, before anybody interpolates.

const SIDE = 16u;
const INSIDE_BIT = 0x80000000u;
const NO_SITE = 0xffffffffu;
const INFINITE = 0x7f800000u;

@group(0) @binding(0) var<storage, read> windows: array<Window>;
@group(0) @binding(1) var<storage, read> tiles: array<vec2u>;
@group(0) @binding(2) var<storage, read_write> distances: array<f32>;
@group(0) @binding(3) var<storage, read_write> sites: array<u32>;
@group(0) @binding(4) var depth: texture_depth_2d;
@group(0) @binding(5) var site: texture_2d<u32>;
@group(0) @binding(6) var stencil: texture_2d<u32>;
@group(0) @binding(7) var colour: texture_2d<f32>;

struct Pixel {
    exists: bool,
    // In the atlas.
    at: vec2u,
    // In the buffers.
    index: u32,
    reach: f32,
}

fn pixel(group: vec3u, groups: vec3u, thread: u32) -> Pixel {
    let number = group.y * groups.x + group.x;
    let tile = tiles[min(number, arrayLength(&tiles) - 1u)];
    let window = windows[tile.x];
    let own = SIDE * vec2u(tile.y & 0xffffu, tile.y >> 16u) + vec2u(thread % SIDE, thread / SIDE);
    let exists = number < arrayLength(&tiles) && all(own < vec2u(window.width, window.height));
    let at = own + vec2u(window.column, window.row);
    return Pixel(exists, at, window.base + own.y * window.width + own.x, window.reach);
}

fn write(pixel: Pixel, found: u32, inside: bool) {
    let z = textureLoad(depth, pixel.at, 0);
    let nothing = z >= 1.0;
    let far = select(z * pixel.reach, bitcast<f32>(INFINITE), nothing);
    distances[pixel.index] = select(far, -far, inside);
    sites[pixel.index] = select(found, NO_SITE, nothing);
}

@compute @workgroup_size(256)
fn by_stencil(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
    @builtin(local_invocation_index) thread: u32,
) {
    let own = pixel(group, groups, thread);
    if own.exists {
        let found = textureLoad(site, own.at, 0).x;
        write(own, found, textureLoad(stencil, own.at, 0).x != 0u);
    }
}

@compute @workgroup_size(256)
fn by_colour(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
    @builtin(local_invocation_index) thread: u32,
) {
    let own = pixel(group, groups, thread);
    if own.exists {
        let found = textureLoad(site, own.at, 0).x;
        write(own, found, textureLoad(colour, own.at, 0).x > 0.5);
    }
}

// Beyond the reach no site holds the sign: such pixels count as outside.
@compute @workgroup_size(256)
fn by_site(
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
    @builtin(local_invocation_index) thread: u32,
) {
    let own = pixel(group, groups, thread);
    if own.exists {
        let found = textureLoad(site, own.at, 0).x;
        let far = textureLoad(depth, own.at, 0) >= 1.0;
        write(own, found & ~INSIDE_BIT, !far && (found & INSIDE_BIT) != 0u);
    }
}
