//! Sets of meshes of the data folder, placed so that neighbours overlap.

use std::path::{Path, PathBuf};

use pliant::id::VertexId;
use pliant::math::random::Random;
use pliant::math::{Aabb, Quat, Vec3};
use pliant::mesh::raw::RawMesh;
use pliant::mesh::{topology, weld};
use pliant_io::mesh::{read, write_tets, write_triangles};

/// Bodies in the largest set.
const MOST_BODIES: usize = 30;

/// Least and largest overlap of neighbours, as a share of their mean size.
const OVERLAP: [f64; 2] = [0.1, 0.8];

/// Least and largest size of a body.
const SIZES: [f64; 2] = [0.6, 1.4];

/// Files that are left out: open, not manifold, meeting themselves, or of very many vertices.
const LEFT_OUT: [&str; 8] = [
    "bowl_open",
    "wingnut_selfint",
    "ycb_mug_nonmanifold",
    "raptor_8418",
    "gso_two_headed_dragon_big",
    "monkey",
    "bowl_evo_fine44k",
    "gso_cereal_bowl",
];

/// Scans of about 5000 triangles.
const SCANNED: [&str; 6] =
    ["gso_bowl", "gso_salad_plate", "gso_mug", "gso_double_dish", "koala", "gso_frypan"];

/// Boxes of the largest set.
const BOXES: usize = 1000;

/// Largest coordinate of the middle of a box of size 1.
const BOX_SPREAD: f64 = 6.7;

/// All meshes that are thrown.
pub struct Library {
    meshes: Vec<Named>,
}

/// A mesh of size 1 around the origin.
#[derive(Clone)]
struct Named {
    name: String,
    mesh: RawMesh,
}

/// Meshes where they are thrown.
pub struct Set {
    /// Share by which neighbours overlap, where they were placed by it.
    pub overlap: Option<f64>,
    /// Size of each body.
    pub sizes: Vec<f64>,
    bodies: Vec<Named>,
}

impl Library {
    /// Reads the folder, in the order of names.
    pub fn read(folder: &Path) -> Result<Library, String> {
        let mut meshes = Vec::new();
        for part in ["tet", "tet-generated", "surface"] {
            let entries = std::fs::read_dir(folder.join(part)).map_err(|e| e.to_string())?;
            let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
            paths.sort();
            for path in paths.iter().filter(|path| path.extension().is_none_or(|e| e != "ele")) {
                let file = read(path).map_err(|error| error.to_string())?;
                if LEFT_OUT.contains(&file.name.as_str()) {
                    continue;
                }
                let mesh = unit(file.mesh);
                let kind = if mesh.tets.is_empty() { "surface" } else { "tets" };
                meshes.push(Named { name: format!("{}-{kind}", file.name), mesh });
            }
        }
        Ok(Library { meshes })
    }

    /// One of some sets, from 2 bodies to the most.
    pub fn set(&self, number: usize, count: usize, seed: u64) -> Set {
        let mut random = Random::new(seed.wrapping_add(number as u64));
        let bodies = 2 + (MOST_BODIES - 2) * number / (count - 1).max(1);
        let overlap = OVERLAP[0] + (OVERLAP[1] - OVERLAP[0]) * random.unit();
        let chosen: Vec<&Named> =
            (0..bodies).map(|_| &self.meshes[random.below(self.meshes.len())]).collect();
        thrown(&chosen, overlap, &mut random)
    }

    /// Thirty scanned surfaces, each five times, half inside each other.
    pub fn scanned(&self, seed: u64) -> Result<Set, String> {
        let found: Result<Vec<&Named>, String> =
            SCANNED.iter().map(|name| self.named(&format!("{name}-surface"))).collect();
        let found = found?;
        let chosen: Vec<&Named> = (0..MOST_BODIES).map(|k| found[k % found.len()]).collect();
        Ok(thrown(&chosen, 0.5, &mut Random::new(seed)))
    }

    /// Two livers in each other; they are thin, and at less than half of their size do not meet.
    pub fn livers(&self) -> Result<Set, String> {
        let liver = self.named("liver2_gmsh1-tets")?;
        Ok(thrown(&[liver, liver], 0.6, &mut Random::new(1)))
    }

    /// A thousand boxes turned at random, with their middles in a cube of 13.4 times their size.
    pub fn boxes(seed: u64) -> Set {
        let mut random = Random::new(seed);
        let mut set = Set { overlap: None, sizes: Vec::new(), bodies: Vec::new() };
        let unit = unit_box();
        for number in 0..BOXES {
            let rotation: Quat = random.rotation();
            let centre = BOX_SPREAD * random.vec3();
            let mut mesh = unit.clone();
            mesh.positions.iter_mut().for_each(|p| *p = centre + rotation * *p);
            set.sizes.push(1.0);
            set.bodies.push(Named { name: format!("{number:03}-box"), mesh });
        }
        set
    }

    fn named(&self, name: &str) -> Result<&Named, String> {
        let found = self.meshes.iter().find(|mesh| mesh.name == name);
        found.ok_or_else(|| format!("no mesh {name} in the data folder"))
    }
}

/// Puts each body beside one before it, so near that they overlap.
fn thrown(chosen: &[&Named], overlap: f64, random: &mut Random) -> Set {
    let mut set = Set { overlap: Some(overlap), sizes: Vec::new(), bodies: Vec::new() };
    let mut centres: Vec<Vec3> = Vec::new();
    for (number, named) in chosen.iter().enumerate() {
        let size = SIZES[0] + (SIZES[1] - SIZES[0]) * random.unit();
        let rotation: Quat = random.rotation();
        let direction = random.rotation() * Vec3::X;
        let centre = match number {
            0 => Vec3::ZERO,
            _ => {
                let beside = random.below(number);
                centres[beside] + (1.0 - overlap) * 0.5 * (size + set.sizes[beside]) * direction
            }
        };
        let mut mesh = named.mesh.clone();
        mesh.positions.iter_mut().for_each(|p| *p = centre + rotation * (size * *p));
        centres.push(centre);
        set.sizes.push(size);
        set.bodies.push(Named { name: format!("{number:02}-{}", named.name), mesh });
    }
    set
}

/// A closed box of size 1 around the origin, of twelve triangles.
fn unit_box() -> RawMesh {
    let corner = |k: u32| {
        let at = |axis: u32| f64::from(k >> axis & 1) - 0.5;
        Vec3::new(at(0), at(1), at(2))
    };
    let quads =
        [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let halves = |[a, b, c, d]: [u32; 4]| [[a, b, c], [a, c, d]].map(|t| t.map(VertexId));
    RawMesh {
        positions: (0..8).map(corner).collect(),
        triangles: quads.into_iter().flat_map(halves).collect(),
        ..RawMesh::default()
    }
}

/// A mesh whose box has its middle at the origin and 1 as its longest side.
fn unit(mut mesh: RawMesh) -> RawMesh {
    let around = Aabb::around(mesh.positions.iter().copied());
    let (middle, size) = (0.5 * (around.min + around.max), around.size().max_element());
    mesh.positions.iter_mut().for_each(|p| *p = (*p - middle) / size);
    mesh
}

impl Set {
    /// Writes a file for each body: tets as VTU, surfaces as OBJ, PLY, OFF and STL in turn.
    pub fn write(&self, folder: &Path) -> Result<Vec<PathBuf>, String> {
        let mut files = Vec::new();
        for (number, Named { name, mesh }) in self.bodies.iter().enumerate() {
            let written = match mesh.tets.is_empty() {
                true => {
                    let ending = ["obj", "ply", "off", "stl"][number % 4];
                    let path = folder.join(format!("{name}.{ending}"));
                    files.push(path.clone());
                    write_triangles(&path, &mesh.positions, &mesh.triangles)
                }
                false => {
                    let path = folder.join(format!("{name}.vtu"));
                    files.push(path.clone());
                    write_tets(&path, &mesh.positions, &mesh.tets, &mesh.regions)
                }
            };
            written.map_err(|error| error.to_string())?;
        }
        Ok(files)
    }
}

/// Writes the surface of each file into an OBJ file of its own in a folder.
pub fn write_surfaces(files: &[PathBuf], folder: &Path) -> Result<Vec<PathBuf>, String> {
    std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut surfaces = Vec::new();
    for (number, file) in files.iter().enumerate() {
        let mesh = read(file).map_err(|error| error.to_string())?.mesh;
        let own = match mesh.tets.is_empty() {
            true => weld::weld(&mesh.positions, &mesh.triangles),
            false => topology::boundary(mesh.positions.len(), &mesh.tets).triangles,
        };
        // Vertices of no triangle would be points of their own.
        let mut used: Vec<VertexId> = own.iter().flatten().copied().collect();
        used.sort_unstable();
        used.dedup();
        let place = |v: VertexId| VertexId(used.partition_point(|u| *u < v) as u32);
        let triangles: Vec<[VertexId; 3]> = own.iter().map(|t| t.map(place)).collect();
        let positions: Vec<Vec3> = used.iter().map(|v| mesh.positions[v.index()]).collect();
        let path = folder.join(format!("{number:02}.obj"));
        write_triangles(&path, &positions, &triangles).map_err(|error| error.to_string())?;
        surfaces.push(path);
    }
    Ok(surfaces)
}
