//! What a scene adds to its world: forces, obstacles, joints, responses, integrator.

use std::error::Error;
use std::sync::{Arc, Mutex, PoisonError};

use pliant::body::obstacle::Obstacle;
use pliant::step::Stepper;
use pliant::world::{Assembly, WorldParts};

use super::bodies::{Group, SceneBodies};
use super::{BuildError, contact, external_loads, integrator, joints, obstacles, outline, shapes};
use crate::loaded::BodyInfo;
use crate::spec;

/// Makes what a scene says beyond its bodies.
#[derive(Debug)]
pub struct SceneAssembly {
    scene: spec::Scene,
    groups: Vec<Group>,
    infos: Arc<Vec<BodyInfo>>,
    obstacles: Vec<Obstacle>,
    findings: Findings,
}

/// What was found when the world was assembled first.
#[derive(Clone, Debug, Default)]
pub struct Findings(Arc<Mutex<Finding>>);

/// See [`Findings`].
#[derive(Clone, Debug, Default)]
pub struct Finding {
    /// Remarks on the input.
    pub notices: Vec<String>,
    /// Responses that were dropped.
    pub warnings: Vec<String>,
    /// Whether external forces act on each body.
    pub held: Vec<bool>,
}

impl Findings {
    /// Takes them out.
    pub fn take(&self) -> Finding {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn put(&self, finding: Finding) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = finding;
    }
}

impl SceneAssembly {
    /// What a scene with these bodies and obstacles says.
    pub fn new(
        scene: &spec::Scene,
        groups: Vec<Group>,
        infos: Arc<Vec<BodyInfo>>,
        obstacles: Vec<Obstacle>,
    ) -> SceneAssembly {
        let (scene, findings) = (scene.clone(), Findings::default());
        SceneAssembly { scene, groups, infos, obstacles, findings }
    }

    /// What the first assembly finds.
    pub fn findings(&self) -> Findings {
        self.findings.clone()
    }

    /// The bodies of the scene where they are in the world now; those that were removed are left
    /// out.
    fn bodies(&self, parts: &mut WorldParts<'_>) -> SceneBodies {
        let here = |group: &Group| {
            let known =
                group.handles.iter().filter_map(|body| Some((*body, parts.vertices(*body)?)));
            let (handles, ranges) = known.unzip();
            // What is only shown is not needed here.
            let fine = group.fine.as_ref().filter(|fine| fine.contact.is_some()).cloned();
            Group { rest: group.rest.clone(), handles, ranges, fine }
        };
        let groups = self.groups.iter().map(here).collect();
        let (state, system) = (std::mem::take(parts.state), std::mem::take(parts.system));
        SceneBodies {
            groups,
            bodies: system.bodies.clone(),
            rest: parts.rest.to_vec(),
            state,
            rigid_starts: parts.rigid_starts.to_vec(),
            system,
            infos: self.infos.clone(),
        }
    }

    fn make(&self, made: &mut SceneBodies) -> Result<Stepper, BuildError> {
        let (scene, mut found) = (&self.scene, Finding::default());
        external_loads::push_loads(scene, &made.groups, &mut made.system)?;
        external_loads::push_drag(scene, &mut made.system)?;
        external_loads::push_attractor(scene, &made.groups, &mut made.system)?;
        found.warnings.extend(contact::unmet(scene, made));
        found.notices.extend(contact::networks(scene, made));
        found.notices.extend(contact::unused(scene));
        found.notices.extend(outline::mixed(scene, made));
        found.notices.extend(shapes::unmet(scene));
        let mut obstacles = obstacles::sort(scene, &self.obstacles, made)?;
        let apart = joints::add(scene, made, &mut found.notices)?;
        found.held = external_loads::held(scene, made, &obstacles);
        let responses = contact::responses(scene, made, &mut obstacles, apart)?;
        let after = shapes::make(scene, made)?;
        self.findings.put(found);
        integrator::make(scene, made, obstacles.ruled, responses, after)
    }
}

impl Assembly for SceneAssembly {
    fn assemble(&self, mut parts: WorldParts<'_>) -> Result<Stepper, Box<dyn Error + Send + Sync>> {
        let mut made = self.bodies(&mut parts);
        let stepper = self.make(&mut made);
        (*parts.state, *parts.system) = (made.state, made.system);
        Ok(stepper?)
    }
}
