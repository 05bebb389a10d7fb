//! Masses and internal forces of bodies.

use std::error::Error;
use std::sync::Arc;

use pliant::body::pins::{self, Plane};
use pliant::body::soft::{Masses, area_shares};
use pliant::force::Forces;
use pliant::force::elastic::corotational::Corotational;
use pliant::force::elastic::law::Law;
use pliant::force::elastic::neo_hookean::NeoHookean;
use pliant::force::elastic::tets::Elastic;
use pliant::force::elastic::{ElasticError, ElasticSettings};
use pliant::force::plasticity::Plasticity;
use pliant::force::solid::{Hold, Solid, SolidSettings};
use pliant::force::spring::{SpringError, SpringLaw, SpringSettings, Springs};
use pliant::id::VertexId;
use pliant::math::Vec3;
use pliant::mesh::tet::TetMesh;
use pliant::mesh::topology;
use pliant::world::{BodyMaterial, MaterialBody};
use pliant_plane::area::Areas;
use pliant_plane::outline::length_shares;

use super::shape::{Geometry, RestShape};
use super::{BuildError, outline, preset, rigid, vector};
use crate::spec::body::{self as key, EdgeKind, Region};
use crate::spec::{Body, Material};

/// Masses of the vertices of one copy, kg; `scaled` is its shape, m.
pub fn masses(
    body: &Body,
    rest: &RestShape,
    scaled: &[Vec3],
    path: &str,
) -> Result<Vec<f64>, BuildError> {
    if let Material::Rigid { density } = body.material {
        return rigid::masses(body, rest, scaled, density, path);
    }
    if let Geometry::Outline { rings, .. } = &rest.geometry {
        let mass = outline::mass(body, rings, scaled, density(&body.material), path)?;
        return Ok(shares(rest, scaled).into_iter().map(|share| mass * share).collect());
    }
    check_elements(body, rest, path)?;
    match (&rest.geometry, body.mass) {
        (Geometry::Tets(mesh), None) => {
            let owners = owners(body, mesh, path)?;
            let of = |owner: &Option<usize>| {
                density(owner.map_or(&body.material, |k| &body.regions[k].material))
            };
            let densities: Vec<f64> = owners.iter().map(of).collect();
            let masses = Masses::of_tets(scaled, mesh.tets(), |tet| densities[tet]);
            let masses = masses
                .map_err(|error| BuildError::value(format!("{path}.material.density"), error))?;
            Ok(masses.of().to_vec())
        }
        (Geometry::Tets(_), Some(_)) => {
            let message = "tets get their mass from the density of the material";
            Err(BuildError::value(format!("{path}.mass"), message))
        }
        (_, None) => {
            let message = "spring networks, surfaces and points have no volume: they need a `mass`";
            Err(BuildError::value(path, message)
                .with_help("write mass = 1.0, kg of the whole body"))
        }
        (_, Some(mass)) if !(mass > 0.0 && mass.is_finite()) => {
            let message = format!("the mass is {mass} kg: it must be positive");
            Err(BuildError::value(format!("{path}.mass"), message))
        }
        (_, Some(mass)) => Ok(shares(rest, scaled).into_iter().map(|s| mass * s).collect()),
    }
}

/// Refuses finite elements without tets, and says how to get some.
fn check_elements(body: &Body, rest: &RestShape, path: &str) -> Result<(), BuildError> {
    let kind = match body.material {
        Material::Corotational { .. } => "corotational",
        Material::NeoHookean { .. } => "neo-hookean",
        _ => return Ok(()),
    };
    let what = match &rest.geometry {
        Geometry::Tets(_) => return Ok(()),
        Geometry::Surface(_) => "a closed surface",
        Geometry::SpringNetwork => "a spring network",
        Geometry::Particles => "points",
        Geometry::Outline { .. } => "an outline",
    };
    let message = format!("`{kind}` is of finite elements, which need tets; the mesh is {what}");
    let help = match (&body.mesh, &rest.geometry) {
        (key::Mesh::File { path, .. }, Geometry::Surface(_)) => format!(
            "fill it: mesh = {{ kind = \"stuffed\", path = \"{path}\", size = … }}, or write tets \
             with `pliant mesh {path} -o TETS.vtu --size …`"
        ),
        _ => "take a mesh of tets, or a material of springs".to_string(),
    };
    Err(BuildError::value(format!("{path}.material"), message).with_help(help))
}

/// Share of each vertex in the mass of a spring network: by area, or alike without triangles; of an
/// outline by length.
pub fn shares(rest: &RestShape, scaled: &[Vec3]) -> Vec<f64> {
    if let Geometry::Outline { rings, carried: 0 } = &rest.geometry {
        return length_shares(rings, scaled);
    }
    area_shares(scaled, &rest.triangles)
}

fn density(material: &Material) -> f64 {
    match *material {
        Material::Springs { density, .. }
        | Material::Solid { density, .. }
        | Material::Corotational { density, .. }
        | Material::NeoHookean { density, .. }
        | Material::ShapeMatched { density, .. }
        | Material::Ring { density, .. }
        | Material::Rigid { density }
        | Material::None { density } => density,
        Material::Preset { name, .. } => preset::density(name),
        // What never moves may weigh anything.
        Material::Fixed {} => 1.0,
    }
}

/// The material of a body of a scene, in all its copies.
#[derive(Debug)]
pub struct SceneMaterial {
    /// The body.
    pub body: Body,
    /// Its shape.
    pub rest: Arc<RestShape>,
    /// Of its key.
    pub path: String,
}

impl BodyMaterial for SceneMaterial {
    fn push_forces(
        &self,
        bodies: &[MaterialBody<'_>],
        forces: &mut Forces,
    ) -> Result<(), Box<dyn Error + Send + Sync>> {
        let starts: Vec<u32> = bodies.iter().map(|body| body.first).collect();
        let positions = bodies.first().map_or(&[][..], |body| body.rest);
        let copies = Copies { rest: &self.rest, starts: &starts };
        Ok(push_forces(&self.body, copies, positions, &self.path, forces)?)
    }
}

/// All copies of a shape, each with its first vertex in the scene.
#[derive(Clone, Copy, Debug)]
struct Copies<'a> {
    rest: &'a RestShape,
    starts: &'a [u32],
}

/// Appends the forces within all copies of a body; `positions` are those of the scene at rest.
fn push_forces(
    body: &Body,
    group: Copies<'_>,
    positions: &[Vec3],
    path: &str,
    forces: &mut Forces,
) -> Result<(), BuildError> {
    let owners = match &group.rest.geometry {
        Geometry::Tets(mesh) => owners(body, mesh, path)?,
        _ if body.regions.is_empty() => Vec::new(),
        _ => return Err(BuildError::value(format!("{path}.regions.0"), "only tets have regions")),
    };
    let main = Portion::new(group, |tet| owners[tet].is_none());
    push(&body.material, &main, positions, &format!("{path}.material"), forces)?;
    for (k, Region { material, .. }) in body.regions.iter().enumerate() {
        let is_whole = |of: &Material| matches!(of, Material::ShapeMatched { .. });
        if is_whole(material) || is_whole(&body.material) {
            let message = "a shape is matched as a whole: take `groups` for parts of a body";
            return Err(BuildError::value(format!("{path}.regions.{k}"), message));
        }
        let portion = Portion::new(group, |tet| owners[tet] == Some(k));
        push(material, &portion, positions, &format!("{path}.regions.{k}.material"), forces)?;
    }
    Ok(())
}

/// Which of the body's regions each tet belongs to, the first that claims it; `None` for none.
fn owners(body: &Body, mesh: &TetMesh, path: &str) -> Result<Vec<Option<usize>>, BuildError> {
    let mut owners = vec![None; mesh.tets().len()];
    for (k, key) in body.regions.iter().enumerate() {
        let path = format!("{path}.regions.{k}");
        let claimed = claimed(body, k, mesh, &path)?;
        let free = owners.iter_mut().zip(claimed).filter(|(owner, _)| owner.is_none());
        free.filter(|(_, claims)| *claims).for_each(|(owner, _)| *owner = Some(k));
        if key.plane.is_some() && !owners.contains(&Some(k)) {
            let message = "no tet is beyond the plane, or others have them all";
            return Err(BuildError::value(format!("{path}.plane"), message));
        }
    }
    Ok(owners)
}

/// Which tets the k-th region of a body names.
fn claimed(body: &Body, k: usize, mesh: &TetMesh, path: &str) -> Result<Vec<bool>, BuildError> {
    match (body.regions[k].region, &body.regions[k].plane) {
        (Some(region), None) => {
            check_region(body, k, region, mesh, path)?;
            Ok(mesh.regions().iter().map(|of| *of == region).collect())
        }
        (None, Some(plane)) => {
            let plane = Plane::new(vector(plane.point), vector(plane.normal));
            let plane = plane.map_err(|error| BuildError::value(format!("{path}.plane"), error))?;
            let middle = |tet: &[VertexId; 4]| {
                0.25 * tet.iter().map(|v| mesh.positions()[v.index()]).sum::<Vec3>()
            };
            let middles: Vec<Vec3> = mesh.tets().iter().map(middle).collect();
            let mut claims = vec![false; middles.len()];
            pins::beyond(&middles, plane).iter().for_each(|tet| claims[tet.index()] = true);
            Ok(claims)
        }
        _ => Err(BuildError::value(path, "a region needs exactly one of `region` and `plane`")),
    }
}

fn check_region(
    body: &Body,
    k: usize,
    region: u32,
    mesh: &TetMesh,
    path: &str,
) -> Result<(), BuildError> {
    let path = format!("{path}.region");
    if !mesh.regions().contains(&region) {
        let mut known = mesh.regions().to_vec();
        known.sort_unstable();
        known.dedup();
        let known: Vec<String> = known.iter().take(20).map(u32::to_string).collect();
        let message = format!("no tet is in region {region}");
        let help = format!("there are {}", known.join(", "));
        return Err(BuildError::value(path, message).with_help(help));
    }
    if body.regions[..k].iter().any(|other| other.region == Some(region)) {
        return Err(BuildError::value(path, format!("region {region} has two materials")));
    }
    Ok(())
}

/// Part of all copies of a body, in the scene's numbers.
struct Portion {
    is_solid: bool,
    tets: Vec<[VertexId; 4]>,
    /// Surface triangles of those tets.
    surface: Vec<[VertexId; 3]>,
    edges: Vec<([VertexId; 2], EdgeKind)>,
    /// Rings of each copy.
    outlines: Vec<Vec<Vec<VertexId>>>,
}

impl Portion {
    /// Some tets, by number, and what belongs to them; all of a body without tets.
    fn new(group: Copies<'_>, wanted: impl Fn(usize) -> bool) -> Portion {
        let (mut tets, mut surface, mut edges) = (Vec::new(), Vec::new(), group.rest.edges.clone());
        let is_solid = matches!(group.rest.geometry, Geometry::Tets(_));
        if let Geometry::Tets(mesh) = &group.rest.geometry {
            let count = mesh.positions().len();
            let of_tets = mesh.tets().iter().enumerate();
            tets = of_tets.filter(|(tet, _)| wanted(*tet)).map(|(_, corners)| *corners).collect();
            let boundary = topology::boundary(count, mesh.tets());
            let skin = boundary.triangles.into_iter().zip(boundary.tets);
            let skin = skin.filter(|(_, tet)| wanted(tet.index()));
            surface = skin.map(|(triangle, _)| triangle).collect();
            let own = topology::edges(count, &tets);
            edges = own.into_iter().map(|edge| (edge, EdgeKind::Structural)).collect();
        }
        let starts = group.starts;
        Portion {
            is_solid,
            tets: repeat(starts, &tets),
            surface: repeat(starts, &surface),
            outlines: match &group.rest.geometry {
                Geometry::Outline { rings, .. } => {
                    starts.iter().map(|start| shifted(rings, *start)).collect()
                }
                _ => Vec::new(),
            },
            edges: starts
                .iter()
                .flat_map(|start| {
                    edges.iter().map(move |(e, kind)| (e.map(|v| VertexId(start + v.0)), *kind))
                })
                .collect(),
        }
    }

    fn edges_of(&self, kind: EdgeKind) -> Vec<[VertexId; 2]> {
        self.edges.iter().filter(|(_, of)| *of == kind).map(|(edge, _)| *edge).collect()
    }
}

fn repeat<const N: usize>(starts: &[u32], cells: &[[VertexId; N]]) -> Vec<[VertexId; N]> {
    let at = |start: u32| cells.iter().map(move |cell| cell.map(|v| VertexId(start + v.0)));
    starts.iter().copied().flat_map(at).collect()
}

/// Rings in the scene's numbers.
fn shifted(rings: &[Vec<VertexId>], start: u32) -> Vec<Vec<VertexId>> {
    let at = |v: &VertexId| VertexId(start + v.0);
    rings.iter().map(|ring| ring.iter().map(at).collect()).collect()
}

fn push(
    material: &Material,
    portion: &Portion,
    rest: &[Vec3],
    path: &str,
    forces: &mut Forces,
) -> Result<(), BuildError> {
    let wrong = |error: &dyn std::fmt::Display| BuildError::value(path, error);
    if needs_tets(material) && !portion.is_solid {
        let message =
            "this material needs tets; a spring network or surface can have springs or none";
        return Err(BuildError::value(path, message));
    }
    match material {
        Material::None { .. }
        | Material::Rigid { .. }
        | Material::Fixed {}
        | Material::ShapeMatched { .. } => Ok(()),
        Material::Preset { .. } => push(&preset::resolved(material), portion, rest, path, forces),
        Material::Ring { .. } => push_ring(material, portion, rest, path, forces),
        Material::Springs { stiffness, law, damping, shear, bend, plasticity, .. } => {
            let law = match law {
                key::SpringLaw::Absolute => SpringLaw::Absolute,
                key::SpringLaw::Relative => SpringLaw::Relative,
            };
            let kinds = [
                (EdgeKind::Structural, *stiffness),
                (EdgeKind::Shear, *shear),
                (EdgeKind::Bend, *bend),
            ];
            for (kind, stiffness) in kinds {
                let edges = portion.edges_of(kind);
                if edges.is_empty() || (stiffness == 0.0 && kind != EdgeKind::Structural) {
                    continue;
                }
                let settings = SpringSettings { law, stiffness, damping: *damping };
                let springs = Springs::along(rest, &edges, settings);
                let mut springs = springs.map_err(|error| refused_spring(&error, kind, path))?;
                if let Some(drift) = drift(plasticity.as_ref()) {
                    springs = springs.with_plasticity(drift).map_err(|error| wrong(&error))?;
                }
                forces.push(springs);
            }
            Ok(())
        }
        Material::Solid { plasticity, .. } => {
            let settings =
                SolidSettings { plasticity: drift(plasticity.as_ref()), ..solid(material) };
            let solid = Solid::new(rest, &portion.tets, &portion.surface, settings);
            solid.map_err(|error| wrong(&error))?.push_to(forces);
            Ok(())
        }
        Material::Corotational { young, poisson, damping, .. } => {
            let settings = ElasticSettings { young: *young, poisson: *poisson, damping: *damping };
            push_elastic::<Corotational>(settings, portion, rest, path, forces)
        }
        Material::NeoHookean { young, poisson, damping, .. } => {
            let settings = ElasticSettings { young: *young, poisson: *poisson, damping: *damping };
            push_elastic::<NeoHookean>(settings, portion, rest, path, forces)
        }
    }
}

/// A spring that cannot be, at the key concerned.
fn refused_spring(error: &SpringError, kind: EdgeKind, path: &str) -> BuildError {
    let key = match (error, kind) {
        (SpringError::Damping { .. }, _) => "damping",
        (SpringError::Stiffness { .. }, EdgeKind::Shear) => "shear",
        (SpringError::Stiffness { .. }, EdgeKind::Bend) => "bend",
        (SpringError::Stiffness { .. }, _) => "stiffness",
        _ => "",
    };
    BuildError::value(format!("{path}.{key}"), error)
}

/// Whether a material is made of tets, and of nothing else.
fn needs_tets(material: &Material) -> bool {
    !matches!(
        material,
        Material::Springs { .. }
            | Material::Ring { .. }
            | Material::Fixed {}
            | Material::None { .. }
            | Material::Rigid { .. }
            | Material::ShapeMatched { .. }
    )
}

/// Appends the springs of rings and the areas that they keep.
fn push_ring(
    material: &Material,
    portion: &Portion,
    rest: &[Vec3],
    path: &str,
    forces: &mut Forces,
) -> Result<(), BuildError> {
    let Material::Ring { stiffness, law, damping, bend, stretch, area, .. } = *material else {
        return Ok(());
    };
    if !(stretch > 0.0 && stretch.is_finite()) {
        let message = format!("the stretch is {stretch}: it must be positive");
        return Err(BuildError::value(format!("{path}.stretch"), message));
    }
    let (shear, density, plasticity) = (0.0, 0.0, None);
    let springs = Material::Springs { stiffness, law, damping, shear, bend, density, plasticity };
    // All lengths at rest are those of a smaller scene.
    let relaxed: Vec<Vec3> = rest.iter().map(|p| *p / stretch).collect();
    push(&springs, portion, &relaxed, path, forces)?;
    let areas = Areas::new(rest, &portion.outlines, area);
    forces.push_force(areas.map_err(|error| BuildError::value(path, error))?);
    Ok(())
}

fn push_elastic<L: Law + 'static>(
    settings: ElasticSettings,
    portion: &Portion,
    rest: &[Vec3],
    path: &str,
    forces: &mut Forces,
) -> Result<(), BuildError> {
    let elastic = Elastic::<L>::new(rest, &portion.tets, |_| settings);
    let key = |error: &ElasticError| match error {
        ElasticError::Young { .. } => "young",
        ElasticError::Poisson { .. } => "poisson",
        ElasticError::Damping { .. } => "damping",
        _ => "",
    };
    let elastic =
        elastic.map_err(|error| BuildError::value(format!("{path}.{}", key(&error)), error))?;
    forces.push(elastic);
    Ok(())
}

fn solid(material: &Material) -> SolidSettings {
    match *material {
        Material::Solid {
            distance,
            area,
            volume,
            distance_damping,
            area_damping,
            volume_damping,
            ..
        } => SolidSettings {
            distance: Hold { stiffness: distance, damping: distance_damping },
            area: Hold { stiffness: area, damping: area_damping },
            volume: Hold { stiffness: volume, damping: volume_damping },
            plasticity: None,
        },
        _ => SolidSettings::default(),
    }
}

fn drift(plasticity: Option<&key::Plasticity>) -> Option<Plasticity> {
    plasticity.map(|p| Plasticity {
        yield_strain: p.yield_strain,
        creep_rate: p.creep_rate,
        max_drift: p.max_drift,
    })
}
