//! Soft bodies, as they are described to a world.

use std::sync::Arc;

use crate::body::pins::{self, Plane};
use crate::body::soft::Masses;
use crate::contact::rules::Group;
use crate::force::Forces;
use crate::force::elastic::ElasticSettings;
use crate::id::VertexId;
use crate::math::{Quat, Vec3};
use crate::mesh::generate::ball::ball;
use crate::mesh::generate::cuboid::cuboid;
use crate::mesh::generate::lattice::TetSplit;
use crate::mesh::surface::Surface;
use crate::world::WorldError;
use crate::world::body_mesh::{BodyMesh, SharedMesh, SpringNetwork};
use crate::world::body_model::{BodyModel, BodyModelKind, Pinning};
use crate::world::contact_mesh::CarriedMesh;
use crate::world::error::positive;
use crate::world::material::{self, BodyMaterial, MaterialBody, SoftMaterial, SpringMaterial};
use crate::world::placement::{Placement, motion_methods, placement_methods};
use crate::world::preset::MaterialPreset;

/// Density of what is not said, kg/m³: that of water.
const DENSITY: f64 = 1000.0;

/// Material of what is not said: soft rubber.
const USUAL: ElasticSettings = ElasticSettings { young: 1e5, poisson: 0.35, damping: 0.0 };

/// A soft body to be added to a [`World`](super::World).
///
/// Whatever is wrong with it is reported when it is added. A clone shares its mesh.
///
/// ```
/// use pliant::prelude::*;
///
/// let mut world = World::new();
/// let jelly = SoftBody::ball(0.1, 3).young(2e4).density(900.0);
/// let low = world.add(jelly.clone().at(vec3(0.0, 0.0, 0.2)))?;
/// let high = world.add(jelly.at(vec3(0.0, 0.0, 0.5)).velocity(vec3(0.0, 0.0, -1.0)))?;
/// # assert!(world.contains(low) && world.contains(high));
/// # Ok::<(), WorldError>(())
/// ```
#[derive(Clone, Debug)]
pub struct SoftBody {
    mesh: Result<Arc<BodyMesh>, WorldError>,
    material: SoftMaterial,
    /// kg/m³.
    density: f64,
    /// Of the whole body, kg, in place of the density.
    mass: Option<f64>,
    pins: Pinned,
    contact_mesh: Option<Arc<CarriedMesh>>,
    pub(super) placement: Placement,
}

/// Vertices that are pinned where the body begins.
#[derive(Clone, Debug, Default)]
struct Pinned {
    vertices: Vec<VertexId>,
    /// Those beyond planes, in the body's own space.
    planes: Vec<(Vec3, Vec3)>,
}

impl SoftBody {
    /// A body of tets, a closed surface or a spring network; soft rubber of 1000 kg/m³.
    ///
    /// A surface and a spring network need springs and a mass: see [`SoftBody::springs`] and
    /// [`SoftBody::mass`].
    pub fn new(mesh: impl Into<SharedMesh>) -> SoftBody {
        SoftBody::made(Ok(mesh.into().0))
    }

    /// A ball of a radius in m, of 20 · `layers`³ tets.
    pub fn ball(radius: f64, layers: u32) -> SoftBody {
        SoftBody::made(ball(radius, layers).map_err(WorldError::from).and_then(shared))
    }

    /// A box with edges of `size`, m, around the origin, of five tets per cell.
    pub fn cuboid(size: Vec3, cells: [u32; 3]) -> SoftBody {
        let raw = cuboid(cells, size, TetSplit::Five);
        SoftBody::made(raw.map_err(WorldError::from).and_then(shared))
    }

    /// A cloth in the x–y plane around the origin, `size` in m; it needs a mass.
    pub fn cloth(size: [f64; 2], vertices: [u32; 2]) -> SoftBody {
        SoftBody::new(SpringNetwork::cloth(size, vertices)).springs(1e3, 1e3, 1.0)
    }

    fn made(mesh: Result<Arc<BodyMesh>, WorldError>) -> SoftBody {
        SoftBody {
            mesh,
            material: SoftMaterial::Corotational(USUAL),
            density: DENSITY,
            mass: None,
            pins: Pinned::default(),
            contact_mesh: None,
            placement: Placement::default(),
        }
    }

    /// Young's modulus, Pa, of an elastic material.
    pub fn young(self, young: f64) -> SoftBody {
        self.elastic("young", |settings| settings.young = young)
    }

    /// Poisson's ratio, above −1 and below 0.5, of an elastic material.
    pub fn poisson(self, poisson: f64) -> SoftBody {
        self.elastic("poisson", |settings| settings.poisson = poisson)
    }

    /// Damping of an elastic material, s: stress of a strain rate over that of a strain; of
    /// springs, N·s/m.
    pub fn damping(mut self, damping: f64) -> SoftBody {
        if let SoftMaterial::Springs(springs) = &mut self.material {
            springs.damping = damping;
            return self;
        }
        self.elastic("damping", |settings| settings.damping = damping)
    }

    /// Rubber (Neo-Hookean) with the constants given so far, in place of corotational tets.
    pub fn neo_hookean(mut self) -> SoftBody {
        match self.material {
            SoftMaterial::Corotational(settings) => {
                self.material = SoftMaterial::NeoHookean(settings);
                self
            }
            SoftMaterial::NeoHookean(_) => self,
            _ => self.wrong("neo_hookean"),
        }
    }

    /// Springs along all edges: of edges, diagonals and bends, N per unit stretch.
    pub fn springs(self, stiffness: f64, shear: f64, bend: f64) -> SoftBody {
        let damping = 0.0;
        self.material(SoftMaterial::Springs(SpringMaterial { stiffness, shear, bend, damping }))
    }

    /// Material and density by name, such as [`MaterialPreset::Liver`].
    pub fn preset(self, preset: MaterialPreset) -> SoftBody {
        self.material(preset.material()).density(preset.density())
    }

    /// Any material.
    pub fn material(mut self, material: SoftMaterial) -> SoftBody {
        self.material = material;
        self
    }

    /// A material of your own.
    pub fn custom(self, material: impl BodyMaterial + 'static) -> SoftBody {
        self.material(SoftMaterial::Custom(Arc::new(material)))
    }

    /// Density of tets, kg/m³.
    pub fn density(mut self, density: f64) -> SoftBody {
        self.density = density;
        self
    }

    /// Mass of the whole body, kg, shared by its vertices; in place of the density.
    pub fn mass(mut self, mass: f64) -> SoftBody {
        self.mass = Some(mass);
        self
    }

    /// Pins vertices, counted in the body, where they begin.
    pub fn pin(mut self, vertices: impl IntoIterator<Item = VertexId>) -> SoftBody {
        self.pins.vertices.extend(vertices);
        self
    }

    /// Pins the vertices on the side of a plane that its normal points to, in the body's own space.
    pub fn pin_beyond(mut self, point: Vec3, normal: Vec3) -> SoftBody {
        self.pins.planes.push((point, normal));
        self
    }

    /// Touches others with a closed surface that the tets carry, in place of their boundary.
    ///
    /// The surface is in the space of the mesh, and may be much finer than the tets. Each of its
    /// vertices moves with the tet around it, or the nearest; where it is,
    /// [`World::contact_mesh`](super::World::contact_mesh) says. Rays, penetrations and
    /// [`World::separate`](super::World::separate) look at the tets. A body that is attached to a
    /// rigid one must touch with its own tets.
    ///
    /// ```
    /// use pliant::mesh::generate::ball::ball;
    /// use pliant::mesh::raw::RawMesh;
    /// use pliant::mesh::surface::Surface;
    /// use pliant::mesh::tet::TetMesh;
    /// use pliant::prelude::*;
    ///
    /// // The boundary of a fine ball, as it could come from a scan.
    /// let fine = TetMesh::from_raw(ball(0.1, 8)?)?.0;
    /// let (positions, triangles) = (fine.positions().to_vec(), fine.surface().to_vec());
    /// let fine = Surface::from_raw(RawMesh { positions, triangles, ..RawMesh::default() })?.0;
    ///
    /// let mut world = World::new();
    /// world.add(Obstacle::plane(Vec3::Z, 0.0))?;
    /// let cage = SoftBody::cuboid(Vec3::splat(0.24), [3; 3]).young(3e5).damping(0.02);
    /// let body = world.add(cage.contact_mesh(&fine).at(vec3(0.0, 0.0, 0.11)))?;
    /// for _ in 0..120 {
    ///     world.step()?;
    /// }
    /// let Some((places, triangles)) = world.contact_mesh(body)? else { panic!("it has one") };
    /// assert_eq!(triangles.len(), 1280); // what to draw
    /// assert!(places.iter().all(|place| place.z > -1e-3)); // the ball lies on the floor, …
    /// assert!(world.positions(body)?.iter().any(|place| place.z < -1e-2)); // its cage does not
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn contact_mesh(mut self, surface: &Surface) -> SoftBody {
        let carried = match &self.mesh {
            Ok(mesh) => CarriedMesh::new(mesh, surface),
            Err(_) => return self,
        };
        match carried {
            Ok(carried) => self.contact_mesh = Some(Arc::new(carried)),
            Err(error) => self.mesh = Err(error),
        }
        self
    }

    fn elastic(mut self, what: &'static str, set: impl FnOnce(&mut ElasticSettings)) -> SoftBody {
        match &mut self.material {
            SoftMaterial::Corotational(settings) | SoftMaterial::NeoHookean(settings) => {
                set(settings);
                self
            }
            SoftMaterial::Springs(_) | SoftMaterial::Custom(_) => self.wrong(what),
        }
    }

    /// Notes what the material does not have, to be reported when the body is added.
    fn wrong(mut self, what: &'static str) -> SoftBody {
        if self.mesh.is_ok() {
            self.mesh = Err(WorldError::NotElastic { what });
        }
        self
    }

    /// Checks everything, and works out what the world needs.
    pub(super) fn build(self) -> Result<BodyModel, WorldError> {
        let mesh = self.mesh?;
        let placement = self.placement.check()?;
        check_mesh(&mesh)?;
        needs_are_met(&mesh, &self.material)?;
        let masses = masses(&mesh, self.density, self.mass)?;
        let pins = self.pins.vertices(&mesh)?;
        let Placement { position, rotation, velocity, spin, surface } = placement;
        let start: Vec<Vec3> = mesh.positions().iter().map(|p| position + rotation * *p).collect();
        let weighed = start.iter().zip(&masses).map(|(p, m)| *m * *p).sum::<Vec3>();
        let centre = weighed / masses.iter().sum::<f64>();
        let velocities = start.iter().map(|p| velocity + spin.cross(*p - centre)).collect();
        let vertices: Vec<_> = pins.into_iter().map(|v| (v, start[v.index()])).collect();
        Ok(BodyModel {
            rest: Arc::new(mesh.positions().to_vec()),
            mesh,
            kind: BodyModelKind::Soft(self.material),
            start,
            velocities,
            masses,
            pins: vec![Pinning { vertices, path: None }],
            surface,
            contact_mesh: self.contact_mesh,
        })
    }
}

placement_methods!(SoftBody);
motion_methods!(SoftBody);

impl Pinned {
    fn vertices(self, mesh: &BodyMesh) -> Result<Vec<VertexId>, WorldError> {
        let Pinned { mut vertices, planes } = self;
        for (point, normal) in planes {
            vertices.extend(pins::beyond(mesh.positions(), Plane::new(point, normal)?));
        }
        let count = mesh.positions().len();
        match vertices.iter().find(|vertex| vertex.index() >= count) {
            Some(&vertex) => Err(WorldError::NoSuchVertex { vertex, count }),
            None => Ok(vertices),
        }
    }
}

/// Refuses a material that a body of this mesh cannot have.
pub(super) fn check_material(
    mesh: &BodyMesh,
    rest: &[Vec3],
    material: &SoftMaterial,
) -> Result<(), WorldError> {
    needs_are_met(mesh, material)?;
    let body = MaterialBody { rest, first: 0, mesh };
    material::push_all(&[(body, material)], &mut Forces::default())
}

/// Mesh of a body from what a generator made.
pub(super) fn shared(raw: crate::mesh::raw::RawMesh) -> Result<Arc<BodyMesh>, WorldError> {
    BodyMesh::from_raw(raw).map(Arc::new)
}

/// Refuses an empty mesh, corners that do not exist, and positions that are not finite.
pub(super) fn check_mesh(mesh: &BodyMesh) -> Result<(), WorldError> {
    let positions = mesh.positions();
    let count = positions.len();
    if count == 0 {
        return Err(WorldError::NoVertices);
    }
    for position in positions {
        crate::world::error::sound("position of a vertex", *position)?;
    }
    if let BodyMesh::Outline(outline) = mesh {
        let mut all = outline.rings.iter().flatten();
        if let Some(&vertex) = all.find(|vertex| vertex.index() >= count) {
            return Err(WorldError::NoSuchVertex { vertex, count });
        }
    }
    if let BodyMesh::SpringNetwork(network) = mesh {
        let SpringNetwork { edges, shear, bend, triangles, .. } = network;
        let of_edges = [edges, shear, bend].into_iter().flatten().flatten();
        let mut all = of_edges.chain(triangles.iter().flatten());
        if let Some(&vertex) = all.find(|vertex| vertex.index() >= count) {
            return Err(WorldError::NoSuchVertex { vertex, count });
        }
    }
    Ok(())
}

/// Refuses an elastic material without tets.
fn needs_are_met(mesh: &BodyMesh, material: &SoftMaterial) -> Result<(), WorldError> {
    let needs_tets =
        matches!(material, SoftMaterial::Corotational(_) | SoftMaterial::NeoHookean(_));
    if needs_tets && mesh.tets().is_empty() { Err(WorldError::NoTets) } else { Ok(()) }
}

/// Masses of the vertices, kg.
fn masses(mesh: &BodyMesh, density: f64, mass: Option<f64>) -> Result<Vec<f64>, WorldError> {
    let positions = mesh.positions();
    match (mesh, mass) {
        (BodyMesh::Tets(tets), None) => {
            positive("density", density)?;
            Ok(Masses::of_tets(positions, tets.tets(), |_| density)?.of().to_vec())
        }
        (BodyMesh::Tets(tets), Some(mass)) => {
            positive("mass", mass)?;
            let mut masses = Masses::of_tets(positions, tets.tets(), |_| 1.0)?.of().to_vec();
            let whole: f64 = masses.iter().sum();
            masses.iter_mut().for_each(|own| *own *= mass / whole);
            Ok(Masses::new(masses)?.of().to_vec())
        }
        (_, None) => Err(WorldError::NoMass),
        (_, Some(mass)) => {
            positive("mass", mass)?;
            Ok(mesh.shares().into_iter().map(|share| mass * share).collect())
        }
    }
}
