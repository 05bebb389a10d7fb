// Central differences of the signed distances, at the pixel itself and over the pixel size.

@group(0) @binding(0) var<storage, read> windows: array<Window>;
@group(0) @binding(1) var<storage, read> tiles: array<vec2u>;
@group(0) @binding(2) var<storage, read> distances: array<f32>;
@group(0) @binding(3) var<storage, read_write> gradients: array<vec2f>;

@compute @workgroup_size(256)
fn gradient(
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
    let own = tile_pixel(tile.y, thread);
    let size = vec2u(window.width, window.height);
    if any(own >= size) {
        return;
    }
    // At the border the difference is one-sided.
    let low = max(own, vec2u(1u)) - 1u;
    let high = min(own + 1u, size - 1u);
    let row = window.base + own.y * window.width;
    let column = window.base + own.x;
    let dx = distances[row + high.x] - distances[row + low.x];
    let dy = distances[column + high.y * window.width] - distances[column + low.y * window.width];
    let spans = max(vec2f(high - low), vec2f(1.0)) * window.pixel;
    gradients[row + own.x] = vec2f(dx, dy) / spans;
}
