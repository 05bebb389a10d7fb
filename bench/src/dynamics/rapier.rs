//! rapier3d's soft bodies on the same cloth: particles, edges, and its default settings.

use pliant::math::Vec3;
use rapier3d::prelude::{
    BroadPhaseBvh, CCDSolver, ColliderSet, ImpulseJointSet, IntegrationParameters, IslandManager,
    MultibodyJointSet, NarrowPhase, PhysicsPipeline, RigidBodySet, SoftBodyBuilder, SoftBodyHandle,
    SoftBodyMaterial, SoftBodySet, SpringCoefficients, Vector,
};

use crate::dynamics::FRAME;
use crate::dynamics::scene::{DAMPING_RATIO, GRAVITY, Matter, Scene};

/// A cloth in rapier's world.
pub struct Rapier {
    pipeline: PhysicsPipeline,
    parameters: IntegrationParameters,
    islands: IslandManager,
    broad_phase: BroadPhaseBvh,
    narrow_phase: NarrowPhase,
    bodies: RigidBodySet,
    colliders: ColliderSet,
    joints: ImpulseJointSet,
    multibody_joints: MultibodyJointSet,
    soft_bodies: SoftBodySet,
    ccd: CCDSolver,
    cloth: SoftBodyHandle,
}

impl Rapier {
    /// A scene at its start; `None` when it is no cloth.
    ///
    /// Nothing collides and nothing sleeps: only the springs are left to work on.
    pub fn new(scene: &Scene) -> Option<Rapier> {
        let Matter::Cloth(springs, frequency) = &scene.matter else { return None };
        let softness = SpringCoefficients::new(*frequency as f32, DAMPING_RATIO as f32);
        let builder = SoftBodyBuilder::new(scene.start.iter().map(rounded).collect())
            .masses(scene.masses.iter().map(|mass| *mass as f32).collect())
            .edges(springs.iter().map(|spring| spring.ends.map(|end| end.0)).collect())
            .pinned_particles(scene.held.iter().map(|vertex| vertex.0))
            .material(SoftBodyMaterial::uniform(softness))
            .no_surface_collider()
            .can_sleep(false);
        let (mut bodies, mut colliders) = (RigidBodySet::new(), ColliderSet::new());
        let mut soft_bodies = SoftBodySet::new();
        let cloth = soft_bodies.insert(builder, &mut bodies, &mut colliders);
        let parameters = IntegrationParameters { dt: FRAME as f32, ..Default::default() };
        Some(Rapier {
            pipeline: PhysicsPipeline::new(),
            parameters,
            islands: IslandManager::new(),
            broad_phase: BroadPhaseBvh::new(),
            narrow_phase: NarrowPhase::new(),
            bodies,
            colliders,
            joints: ImpulseJointSet::new(),
            multibody_joints: MultibodyJointSet::new(),
            soft_bodies,
            ccd: CCDSolver::new(),
            cloth,
        })
    }

    /// Steps through one frame.
    pub fn frame(&mut self) {
        self.pipeline.step(
            Vector::new(0.0, 0.0, -GRAVITY as f32),
            &self.parameters,
            &mut self.islands,
            &mut self.broad_phase,
            &mut self.narrow_phase,
            &mut self.bodies,
            &mut self.colliders,
            &mut self.joints,
            &mut self.multibody_joints,
            &mut self.soft_bodies,
            &mut self.ccd,
            &(),
            &(),
        );
    }

    /// Where the vertices are, m.
    pub fn positions(&self) -> Vec<Vec3> {
        let exact = |p: Vector| Vec3::new(f64::from(p.x), f64::from(p.y), f64::from(p.z));
        let cloth = self.soft_bodies.get(self.cloth);
        cloth.map_or_else(Vec::new, |cloth| cloth.particle_positions().map(exact).collect())
    }
}

fn rounded(p: &Vec3) -> Vector {
    Vector::new(p.x as f32, p.y as f32, p.z as f32)
}
