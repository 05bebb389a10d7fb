//! rapier3d's soft bodies in our scenes: the same vertices, masses, tets, materials and walls.
//!
//! Tets are its corotational cells, with either of its two solvers. Young's modulus, Poisson's
//! ratio, friction, gravity and the time step are those of the scene; everything but the skin is
//! at its defaults: 4 substeps, damping ratio 1 of the cells, bodies that may sleep, and its
//! recovery from overlap. Walls are thick fixed boxes, as in its own examples.
//!
//! The skin, which it keeps free around every surface, decides the result: the default is
//! 0.01 m, its own shapes take half of a cell, and only a thick one keeps a pile apart. Some are
//! tried.

use pliant::body::Bodies;
use pliant::body::soft::State;
use pliant::id::BodyId;
use pliant::math::{Quat, Vec3};
use pliant_scene::loaded::LoadedScene;
use pliant_scene::spec::obstacle::Shape;
use pliant_scene::spec::{Material, Obstacle, Scene};
use rapier3d::prelude::{
    ColliderBuilder, IntegrationParameters, PhysicsWorld, RigidBodyBuilder, SoftBodyBuilder,
    SoftBodyCellModel, SoftBodyHandle, SoftBodyMaterial, SoftBodySolver, Vector,
};

use crate::engine::Engine;

/// Walls reach this many times as far as the scene, and are as thick.
const REACH: f64 = 2.0;

/// Solvers, each with a name.
const SOLVERS: [(&str, SoftBodySolver); 2] =
    [("constraints", SoftBodySolver::Constraints), ("finite elements", SoftBodySolver::Fem)];

/// Thicknesses of the skin, m; bodies are 1 to 2 m large.
const SKINS: [f32; 3] = [0.01, 0.1, 0.2];

/// Settings of rapier3d beyond the scene.
#[derive(Clone)]
pub struct Choice {
    /// For a table.
    pub name: String,
    solver: SoftBodySolver,
    /// m.
    skin: f32,
}

/// Every solver with every skin.
pub fn choices() -> Vec<Choice> {
    let all = SOLVERS.iter().flat_map(|solver| SKINS.map(|skin| (solver, skin)));
    let named = all.map(|((name, solver), skin)| Choice {
        name: format!("rapier3d, {name}, skin {skin} m"),
        solver: *solver,
        skin,
    });
    named.collect()
}

/// A scene in rapier's world.
pub struct Rapier {
    world: PhysicsWorld,
    handles: Vec<SoftBodyHandle>,
    /// Since the start, s.
    time: f64,
    dt: f64,
}

impl Rapier {
    /// A scene of corotational bodies at rest and planes; `Err` says what else it has.
    pub fn new(built: &LoadedScene, choice: &Choice) -> Result<Rapier, String> {
        let scene: Scene = toml::from_str(&built.resolved).map_err(|error| error.to_string())?;
        let (simulation, info) = (built.world.simulation(), &built.info);
        let mut world = PhysicsWorld::new();
        world.gravity = rounded(Vec3::from(info.gravity));
        world.integration_parameters =
            IntegrationParameters { dt: info.dt as f32, ..Default::default() };
        let positions = &simulation.state.positions;
        let reach = REACH * positions.iter().map(|p| p.length()).fold(0.0, f64::max);
        for obstacle in &scene.obstacles {
            insert_wall(&mut world, obstacle, reach)?;
        }
        let mut handles = Vec::new();
        for (body, reported) in simulation.system.bodies.ids().zip(&info.bodies) {
            let own = scene.bodies.iter().find(|own| reported.name.starts_with(&own.name));
            let own =
                own.ok_or_else(|| format!("nobody says what {} is made of", reported.name))?;
            let masses = simulation.system.masses.of();
            let builder = tets(&simulation.system.bodies, body, positions, masses)
                .material(material(&own.material)?)
                .cell_model(SoftBodyCellModel::Corotational)
                .solver(choice.solver)
                .particle_radius(choice.skin)
                .surface_collider(
                    ColliderBuilder::ball(1.0).density(0.0).friction(scene.contact.friction as f32),
                );
            handles.push(world.insert_soft_body(builder));
        }
        Ok(Rapier { world, handles, time: 0.0, dt: info.dt })
    }

    fn gather(&self, of: impl Fn(&rapier3d::prelude::SoftBody) -> Vec<Vec3>) -> Vec<Vec3> {
        let bodies = self.handles.iter().filter_map(|handle| self.world.soft_bodies.get(*handle));
        bodies.flat_map(of).collect()
    }
}

impl Engine for Rapier {
    fn step(&mut self) -> Result<(), String> {
        self.world.step();
        self.time += self.dt;
        let bodies = self.handles.iter().filter_map(|handle| self.world.soft_bodies.get(*handle));
        let is_finite = bodies.flat_map(|body| body.particles()).all(|p| p.position().is_finite());
        if is_finite { Ok(()) } else { Err("rapier3d: a place is not finite".to_string()) }
    }

    fn state(&self) -> State {
        State {
            positions: self.gather(|body| body.particle_positions().map(exact).collect()),
            velocities: self.gather(|body| body.particle_velocities().map(exact).collect()),
            rigids: Vec::new(),
            time: self.time,
        }
    }
}

/// Vertices, masses and cells of one body.
fn tets(bodies: &Bodies, body: BodyId, positions: &[Vec3], masses: &[f64]) -> SoftBodyBuilder {
    let vertices = bodies.vertices(body);
    let first = vertices.start as u32;
    let cells = bodies.tets()[bodies.tets_of(body)].iter();
    SoftBodyBuilder::new(positions[vertices.clone()].iter().map(|p| rounded(*p)).collect())
        .masses(masses[vertices].iter().map(|mass| *mass as f32).collect())
        .cells(cells.map(|tet| tet.map(|vertex| vertex.0 - first)).collect())
}

fn material(material: &Material) -> Result<SoftBodyMaterial, String> {
    let Material::Corotational { young, poisson, .. } = *material else {
        return Err("only corotational bodies are known to the peer".to_string());
    };
    let (young_modulus, poisson_ratio) = (young as f32, poisson as f32);
    Ok(SoftBodyMaterial { young_modulus, poisson_ratio, ..Default::default() })
}

/// A box whose upper face lies in the plane.
pub fn insert_wall(
    world: &mut PhysicsWorld,
    obstacle: &Obstacle,
    reach: f64,
) -> Result<(), String> {
    if !matches!(obstacle.shape, Shape::Plane {}) {
        return Err(format!("{} is no plane", obstacle.name));
    }
    let turn = Vec3::from(obstacle.rotation);
    let centre = Vec3::from(obstacle.position) - reach * (Quat::from_scaled_axis(turn) * Vec3::Z);
    let body = RigidBodyBuilder::fixed().translation(rounded(centre)).rotation(rounded(turn));
    let half = reach as f32;
    let collider = ColliderBuilder::cuboid(half, half, half).friction(obstacle.friction as f32);
    world.insert(body, collider);
    Ok(())
}

/// To f32.
pub fn rounded(p: Vec3) -> Vector {
    Vector::new(p.x as f32, p.y as f32, p.z as f32)
}

/// From f32.
pub fn exact(p: Vector) -> Vec3 {
    Vec3::new(f64::from(p.x), f64::from(p.y), f64::from(p.z))
}
