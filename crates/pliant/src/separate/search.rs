//! The three manners: rigid, soft, and rigid where that is enough.

use std::ops::ControlFlow;

use crate::body::Mesh;
use crate::id::VertexId;
use crate::math::{Vec3, orient3d};
use crate::mesh::embed::embed;
use crate::mesh::generate::stuffing::{StuffingSettings, stuffed};
use crate::mesh::meeting;
use crate::mesh::raw::RawMesh;
use crate::mesh::surface::Surface;
use crate::mesh::tet::TetMesh;
use crate::separate::elastic::{Compliance, Elastic};
use crate::separate::judge::Scene;
use crate::separate::shape::Shape;
use crate::separate::soft::{SoftBody, SoftTask};
use crate::separate::{Body, Manner, Mobility, placed, rigid};

/// How much it costs to move a soft body, beside squeezing it by as much: first, and after each
/// time that it came out inverted or met itself.
const ATTACHMENTS: [f64; 3] = [1.0, 0.1, 0.01];

/// Size of the tets of a cage, in sizes of the body.
const CAGE: f64 = 0.1;

/// What a search is about.
pub(crate) struct Search<'a> {
    /// As given.
    pub bodies: &'a [Body<'a>],
    /// What each body is.
    pub shapes: &'a [Shape],
    /// Where each body starts, m.
    pub start: &'a [Vec<Vec3>],
    /// Pairs that are nested on purpose, ascending.
    pub nested: &'a [[usize; 2]],
    /// Distance to reach, m; above 0.
    pub gap: f64,
    /// Movement, in sizes of a body, up to which it is moved as it is where it may be soft.
    pub share: f64,
}

/// What a search found.
pub(crate) struct Found {
    /// Vertices of each body, m.
    pub positions: Vec<Vec<Vec3>>,
    /// How each body was changed.
    pub manners: Vec<Manner>,
    /// Rounds done, of all searches together.
    pub rounds: usize,
    /// Whether it was stopped by the caller.
    pub stopped: bool,
}

/// What is called in each round, with its number and the pairs that are left.
pub(crate) type Report<'a> = &'a mut dyn FnMut(usize, usize) -> ControlFlow<()>;

impl Search<'_> {
    /// Separates in a manner.
    pub(crate) fn run(&self, manner: Manner, report: Report<'_>) -> Found {
        match manner {
            Manner::Rigid => self.rigid(self.start, report),
            Manner::Soft => {
                let every: Vec<bool> = self.bodies.iter().map(may_deform).collect();
                self.soft(&every, 0, report)
            }
            Manner::Auto => self.auto(report),
        }
    }

    /// Rigid where no body must go far; those that must are soft.
    fn auto(&self, report: Report<'_>) -> Found {
        let found = self.rigid(self.start, report);
        let far = |body: usize| {
            let moved = self.start[body].first().zip(found.positions[body].first());
            let way = moved.map_or(0.0, |(from, to)| from.distance(*to));
            may_deform(&self.bodies[body]) && way > self.share * self.shapes[body].size
        };
        let soft: Vec<bool> = (0..self.bodies.len()).map(far).collect();
        if found.stopped || !soft.contains(&true) {
            return found;
        }
        self.soft(&soft, found.rounds, report)
    }

    /// Translations from some positions, m.
    fn rigid(&self, start: &[Vec<Vec3>], report: Report<'_>) -> Found {
        let inv_mass = |(body, shape): (&Body<'_>, &Shape)| match body.mobility {
            Mobility::Free | Mobility::Rigid => {
                let mass = body.mass.filter(|mass| mass.is_finite() && *mass > 0.0);
                mass.unwrap_or(shape.volume).recip()
            }
            Mobility::Fixed => 0.0,
        };
        let inv_masses: Vec<f64> = self.bodies.iter().zip(self.shapes).map(inv_mass).collect();
        let Search { shapes, nested, gap, .. } = *self;
        let task = rigid::Task { shapes, start, nested, inv_masses: &inv_masses, gap };
        let done = task.run(report);
        let moved = |(start, shift): (&Vec<Vec3>, &Vec3)| match *shift == Vec3::ZERO {
            true => start.clone(),
            false => start.iter().map(|p| *p + *shift).collect(),
        };
        Found {
            positions: start.iter().zip(&done.shifts).map(moved).collect(),
            manners: vec![Manner::Rigid; self.bodies.len()],
            rounds: done.rounds,
            stopped: done.stopped,
        }
    }

    /// Some bodies give way elastically; what they leave is translated apart.
    ///
    /// A body that comes out inverted or meets itself anew is tried again with less deformation,
    /// and at last moved as it is.
    fn soft(&self, soft: &[bool], rounds: usize, report: Report<'_>) -> Found {
        let mut rounds = rounds;
        // One more than the last attachment stands for a rigid body.
        let mut levels: Vec<usize> =
            soft.iter().map(|soft| if *soft { 0 } else { ATTACHMENTS.len() }).collect();
        loop {
            let bodies: Vec<SoftBody> =
                (0..self.bodies.len()).map(|body| self.soft_body(body, levels[body])).collect();
            let Search { shapes, start, nested, gap, .. } = *self;
            let task = SoftTask { shapes, start, nested, bodies: &bodies, gap };
            let before = rounds;
            let deformed = task.run(&mut |round, pairs| report(before + round, pairs));
            rounds += deformed.rounds;
            let is_elastic =
                |body: usize| matches!(bodies[body].compliance, Compliance::Elastic(_));
            if !deformed.stopped {
                let bad: Vec<usize> = (0..bodies.len())
                    .filter(|body| is_elastic(*body) && self.is_spoilt(*body, &deformed.positions))
                    .collect();
                if !bad.is_empty() {
                    bad.iter().for_each(|body| levels[*body] += 1);
                    continue;
                }
            }
            let manner = |body: usize| match is_elastic(body) {
                true => Manner::Soft,
                false => Manner::Rigid,
            };
            let manners = (0..bodies.len()).map(manner).collect();
            let (positions, stopped) = (deformed.positions, deformed.stopped);
            if stopped || self.is_separated(&positions) {
                return Found { positions, manners, rounds, stopped };
            }
            let rest = self.rigid(&positions, &mut |round, pairs| report(rounds + round, pairs));
            return Found { manners, rounds: rounds + rest.rounds, ..rest };
        }
    }

    fn is_separated(&self, positions: &[Vec<Vec3>]) -> bool {
        let placed = placed(self.shapes, positions, self.gap);
        let scene = Scene { shapes: self.shapes, placed: &placed, nested: self.nested };
        let judged = scene.judge(self.gap);
        let is_both_fixed = |pair: [usize; 2]| pair.iter().all(|b| is_fixed(&self.bodies[*b]));
        judged.iter().all(|judged| is_both_fixed(judged.pair))
    }

    /// A body of some softness; as it is where it cannot be filled or factored.
    fn soft_body(&self, body: usize, level: usize) -> SoftBody {
        let size = self.shapes[body].size;
        let rigid = || SoftBody { compliance: Compliance::Rigid(1.0 / size), carried: None };
        if is_fixed(&self.bodies[body]) {
            return SoftBody { compliance: Compliance::Fixed, carried: None };
        }
        let Some(attachment) = ATTACHMENTS.get(level) else { return rigid() };
        let start = &self.start[body];
        let (cage, is_own) = match self.bodies[body].mesh {
            Mesh::Tets(mesh) => {
                let mut used = vec![false; start.len()];
                mesh.tets().iter().flatten().for_each(|v| used[v.index()] = true);
                let cage = TetMesh::new(start.clone(), mesh.tets().to_vec(), Vec::new());
                (cage.ok(), !used.contains(&false))
            }
            Mesh::Surface(mesh) => (cage(mesh, start, size), false),
            Mesh::SpringNetwork(..) | Mesh::Particles(_) | Mesh::Outline(..) => (None, false),
        };
        let Some(cage) = cage else { return rigid() };
        let Some(elastic) = Elastic::new(&cage, size, *attachment) else { return rigid() };
        let carried = (!is_own).then(|| embed(&cage, start));
        SoftBody { compliance: Compliance::Elastic(Box::new(elastic)), carried }
    }

    /// Whether a body has an inverted or flat tet, or meets itself where it did not before.
    fn is_spoilt(&self, body: usize, positions: &[Vec<Vec3>]) -> bool {
        let (before, after) = (&self.start[body], &positions[body]);
        if before == after {
            return false;
        }
        if let Mesh::Tets(mesh) = self.bodies[body].mesh {
            let is_bad = |tet: &[VertexId; 4], at: &[Vec3]| {
                let [v0, v1, v2, v3] = tet.map(|v| at[v.index()]);
                orient3d(v0, v1, v2, v3) <= 0.0
            };
            if mesh.tets().iter().any(|tet| is_bad(tet, after) && !is_bad(tet, before)) {
                return true;
            }
        }
        let triangles = &self.shapes[body].triangles;
        let met = |at: &[Vec3]| meeting::meeting_pairs(at, triangles).found;
        let (old, new) = (met(before), met(after));
        new.iter().any(|pair| old.binary_search(pair).is_err())
    }
}

fn may_deform(body: &Body<'_>) -> bool {
    body.mobility == Mobility::Free
}

fn is_fixed(body: &Body<'_>) -> bool {
    body.mobility == Mobility::Fixed
}

/// Tets inside a surface at some positions, m.
fn cage(mesh: &Surface, start: &[Vec3], size: f64) -> Option<TetMesh> {
    let moved;
    let surface = if mesh.positions() == start {
        mesh
    } else {
        let raw = RawMesh {
            positions: start.to_vec(),
            triangles: mesh.triangles().to_vec(),
            ..Default::default()
        };
        moved = Surface::from_raw(raw).ok()?.0;
        &moved
    };
    stuffed(surface, StuffingSettings { size: CAGE * size }).ok().map(|stuffed| stuffed.mesh)
}
