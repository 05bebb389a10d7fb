//! glTF 2.0 in one file: meshes whose morph targets are the frames of an animation.
//!
//! The base of a mesh is the first frame. Target k holds what frame k + 1 adds to it, and an
//! animation gives weight 1 to one target after the other; between two frames positions are
//! interpolated linearly. What does not move has no targets. glTF's y is up: a node above all
//! turns z there.
//!
//! ```text
//!  header ─▶ JSON: accessors with bounds, meshes, nodes, animation ─▶ bytes that they name
//! ```

use serde_json::{Value, json};

/// glTF's numbers for types of components.
const FLOAT: u32 = 5126;
/// The same.
const UNSIGNED_INT: u32 = 5125;

/// glTF's numbers for what a buffer view is used for.
const ARRAY_BUFFER: u32 = 34962;
/// The same.
const ELEMENT_ARRAY_BUFFER: u32 = 34963;

/// Bytes of a position.
pub const POINT: u64 = 12;

/// Turns z to y: −90° about x, as a quaternion x y z w.
const Y_FROM_Z: [f64; 4] =
    [-std::f64::consts::FRAC_1_SQRT_2, 0.0, 0.0, std::f64::consts::FRAC_1_SQRT_2];

/// What the cells of a mesh are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GlbCells {
    /// One point each.
    Points = 0,
    /// Two ends each.
    Lines = 1,
    /// Three corners each.
    Triangles = 4,
}

/// One mesh on its way into the file.
#[derive(Clone, Debug)]
pub struct GlbMesh {
    /// Its name.
    pub name: String,
    /// sRGB, 0 to 255.
    pub colour: [u8; 3],
    /// What the indices are.
    pub cells: GlbCells,
    /// Numbers of positions; empty for points.
    pub indices: Vec<u32>,
    /// Positions in the first frame, then what each later one adds, m.
    pub positions: Vec<Vec<[f32; 3]>>,
}

impl GlbMesh {
    /// Adds a frame.
    pub fn push(&mut self, mut positions: Vec<[f32; 3]>) {
        if let Some(base) = self.positions.first() {
            for (point, base) in positions.iter_mut().zip(base) {
                *point = std::array::from_fn(|axis| point[axis] - base[axis]);
            }
        }
        self.positions.push(positions);
    }

    /// Whether any later frame differs from the first.
    fn moves(&self) -> bool {
        self.positions.iter().skip(1).flatten().any(|step| *step != [0.0; 3])
    }
}

/// The bytes of a file; each mesh has as many frames as there are times, s, which ascend from 0.
///
/// Empty where a mesh has no frame: nothing can be drawn then.
pub fn bytes(meshes: &[GlbMesh], times: &[f32]) -> Vec<u8> {
    if times.is_empty() || meshes.iter().any(|mesh| mesh.positions.len() != times.len()) {
        return Vec::new();
    }
    File::new(meshes, times).bytes()
}

/// The parts of a file while they are gathered.
#[derive(Default)]
struct File {
    bin: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
    meshes: Vec<Value>,
    materials: Vec<Value>,
    /// The node above all is the last one.
    nodes: Vec<Value>,
    /// Nodes whose weights change.
    moving: Vec<usize>,
    animations: Vec<Value>,
}

impl File {
    fn new(bodies: &[GlbMesh], times: &[f32]) -> File {
        let mut file = File::default();
        for (index, body) in bodies.iter().enumerate() {
            file.add_body(index, body);
        }
        if !file.moving.is_empty() {
            file.add_animation(times);
        }
        let children: Vec<usize> = (0..file.nodes.len()).collect();
        let root = json!({ "name": "world", "rotation": Y_FROM_Z, "children": children });
        file.nodes.push(root);
        file
    }

    fn add_body(&mut self, index: usize, body: &GlbMesh) {
        let frames = if body.moves() { &body.positions[..] } else { &body.positions[..1] };
        let first = self.accessors.len();
        let points = frames.iter().flatten().flatten().copied();
        let view = self.add_view(points.flat_map(f32::to_le_bytes), Some(ARRAY_BUFFER));
        self.views[view]["byteStride"] = json!(POINT);
        for (frame, positions) in frames.iter().enumerate() {
            let (min, max) = bounds(positions);
            self.accessors.push(json!({
                "bufferView": view,
                "byteOffset": POINT * (frame * positions.len()) as u64,
                "componentType": FLOAT, "count": positions.len(), "type": "VEC3",
                "min": min, "max": max,
            }));
        }
        let mut primitive = json!({
            "attributes": { "POSITION": first }, "mode": body.cells as u32, "material": index,
        });
        if !body.indices.is_empty() {
            let numbers = body.indices.iter().flat_map(|number| number.to_le_bytes());
            let view = self.add_view(numbers, Some(ELEMENT_ARRAY_BUFFER));
            primitive["indices"] = json!(self.accessors.len());
            self.accessors.push(json!({
                "bufferView": view, "componentType": UNSIGNED_INT,
                "count": body.indices.len(), "type": "SCALAR",
            }));
        }
        let mut mesh = json!({ "name": body.name });
        if frames.len() > 1 {
            let target = |k: usize| json!({ "POSITION": first + k });
            primitive["targets"] = (1..frames.len()).map(target).collect();
            mesh["weights"] = json!(vec![0; frames.len() - 1]);
            self.moving.push(index);
        }
        mesh["primitives"] = json!([primitive]);
        self.meshes.push(mesh);
        self.nodes.push(json!({ "name": body.name, "mesh": index }));
        // Squares are near enough to sRGB's curve, as in pictures.
        let [r, g, b] = body.colour.map(|part| {
            let part = f64::from(part) / 255.0;
            part * part
        });
        self.materials.push(json!({
            "name": body.name, "doubleSided": true,
            "pbrMetallicRoughness": {
                "baseColorFactor": [r, g, b, 1.0], "metallicFactor": 0.0, "roughnessFactor": 0.7,
            },
        }));
    }

    /// One animation that shows target after target, the same for all bodies that move.
    fn add_animation(&mut self, times: &[f32]) {
        let targets = times.len() - 1;
        let view = self.add_view(times.iter().flat_map(|time| time.to_le_bytes()), None);
        let [input, output] = [self.accessors.len(), self.accessors.len() + 1];
        self.accessors.push(json!({
            "bufferView": view, "componentType": FLOAT, "count": times.len(), "type": "SCALAR",
            "min": [times[0]], "max": [times[targets]],
        }));
        // Frame 0 is the base: no target has weight.
        let weight = |k: usize| if k / targets == k % targets + 1 { 1.0_f32 } else { 0.0 };
        let weights = (0..times.len() * targets).flat_map(|k| weight(k).to_le_bytes());
        let view = self.add_view(weights, None);
        self.accessors.push(json!({
            "bufferView": view, "componentType": FLOAT,
            "count": times.len() * targets, "type": "SCALAR",
        }));
        let channel =
            |&node: &usize| json!({ "sampler": 0, "target": { "node": node, "path": "weights" } });
        self.animations.push(json!({
            "name": "run",
            "samplers": [{ "input": input, "output": output, "interpolation": "LINEAR" }],
            "channels": self.moving.iter().map(channel).collect::<Value>(),
        }));
    }

    /// Adds bytes, a multiple of four of them; returns the number of the view.
    fn add_view(&mut self, bytes: impl Iterator<Item = u8>, target: Option<u32>) -> usize {
        let offset = self.bin.len();
        self.bin.extend(bytes);
        let mut view =
            json!({ "buffer": 0, "byteOffset": offset, "byteLength": self.bin.len() - offset });
        if let Some(target) = target {
            view["target"] = json!(target);
        }
        self.views.push(view);
        self.views.len() - 1
    }

    /// Header, JSON filled up with spaces, bytes.
    fn bytes(mut self) -> Vec<u8> {
        let version = env!("CARGO_PKG_VERSION");
        let mut document = json!({
            "asset": { "version": "2.0", "generator": format!("pliant {version}") },
            "scene": 0,
            "scenes": [{ "nodes": [self.nodes.len() - 1] }],
            "nodes": self.nodes, "meshes": self.meshes, "materials": self.materials,
            "accessors": self.accessors, "bufferViews": self.views,
            "buffers": [{ "byteLength": self.bin.len() }],
        });
        if !self.animations.is_empty() {
            document["animations"] = json!(self.animations);
        }
        let mut text = document.to_string().into_bytes();
        text.resize(text.len().next_multiple_of(4), b' ');
        let total = 12 + 8 + text.len() + 8 + self.bin.len();
        let mut file = Vec::with_capacity(total);
        file.extend(b"glTF");
        file.extend([2_u32, total as u32, text.len() as u32].map(u32::to_le_bytes).concat());
        file.extend(b"JSON");
        file.extend(text);
        file.extend((self.bin.len() as u32).to_le_bytes());
        file.extend(b"BIN\0");
        file.append(&mut self.bin);
        file
    }
}

/// Least and largest of each coordinate.
fn bounds(positions: &[[f32; 3]]) -> ([f32; 3], [f32; 3]) {
    let first = positions.first().copied().unwrap_or_default();
    let fold = |pick: fn(f32, f32) -> f32| {
        let both = |a: [f32; 3], b: &[f32; 3]| std::array::from_fn(|axis| pick(a[axis], b[axis]));
        positions.iter().fold(first, both)
    };
    (fold(f32::min), fold(f32::max))
}
