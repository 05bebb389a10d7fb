//! The three manners: rigid, soft, and rigid where that is enough.

mod translate;

use std::ops::ControlFlow;

use crate::body::Mesh;
use crate::id::{TriangleId, VertexId};
use crate::math::{Vec3, orient3d};
use crate::mesh::embed::embed;
use crate::mesh::generate::stuffing::{StuffingSettings, stuffed};
use crate::mesh::meeting;
use crate::mesh::raw::RawMesh;
use crate::mesh::surface::Surface;
use crate::mesh::tet::TetMesh;
use crate::separate::change::{strain, volume_change};
use crate::separate::elastic::{Compliance, Elastic, Turning};
use crate::separate::judge::{Judged, Scene};
use crate::separate::relax::{self, RelaxTask};
use crate::separate::shape::Shape;
use crate::separate::soft::{self, SoftTask};
use crate::separate::soft_body::SoftBody;
use crate::separate::undeformed::Undeformed;
use crate::separate::{Body, Manner, Mobility, placed};

/// How much it costs to move a soft body, beside squeezing it by as much: first, and after each
/// time that it came out inverted or met itself.
const ATTACHMENTS: [f64; 3] = [1.0, 0.1, 0.01];

/// Attempts after which bodies that come out badly are moved as they are.
const ATTEMPTS: usize = 3;

/// Multiply–adds of all soft attempts together, after which bodies are moved as they are.
///
/// Some seconds of a core; a count, and not a clock, so that results are the same everywhere.
const BUDGET: u64 = 1_500_000_000;

/// The same of pulling bodies back from where they are free.
const RELAX_BUDGET: u64 = 2_500_000_000;

/// Bodies are turned where that leaves at most this share of the movement.
const MOST_OF: f64 = 0.98;

/// Bodies are deformed where that leaves at most this share of what movement costs, with
/// [`Manner::Auto`].
const WORTH_STRAIN: f64 = 0.9;

/// Strain from which on a body is deformed less, as small strains no longer describe it.
const MOST_STRAIN: f64 = 0.6;

/// Strain up to which a body counts as moved as it is: what rounding leaves of a movement.
const LEAST_STRAIN: f64 = 1e-9;

/// Size of the tets of a cage, in sizes of the body.
const CAGE: f64 = 0.1;

/// Vertices of a tet mesh from which on it is carried by a coarser cage.
const LARGE: usize = 2500;

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
    /// Change of its volume, over the volume, up to which a body may be deformed.
    pub most_volume_change: f64,
}

/// What a search found.
#[derive(Clone)]
pub(crate) struct Found {
    /// Vertices of each body, m.
    pub positions: Vec<Vec<Vec3>>,
    /// How each body was changed.
    pub manners: Vec<Manner>,
    /// Why each body that was to be deformed was moved as it is.
    pub undeformed: Vec<Option<Undeformed>>,
    /// Iterations done, of all searches together.
    pub iterations: usize,
    /// Whether it was stopped by the caller.
    pub stopped: bool,
}

/// What is called in each iteration, with its number and the pairs that are left.
pub(crate) type Report<'a> = &'a mut dyn FnMut(usize, usize) -> ControlFlow<()>;

impl Search<'_> {
    /// Separates in a manner.
    pub(crate) fn run(&self, manner: Manner, report: Report<'_>) -> Found {
        match manner {
            Manner::Rigid => {
                let found = self.rigid(self.start, report);
                self.turned(found, report)
            }
            Manner::Soft => self.deforming(0.0, 1.0, report),
            Manner::Auto => self.deforming(self.share, WORTH_STRAIN, report),
        }
    }

    /// Rigid first; bodies that move farther than a share of their size are then soft.
    ///
    /// Deformed from where they start, if that succeeds and the vertices of no body go farther on
    /// average than those of the body that had to go farthest as it was; otherwise from where
    /// they are free, back towards their places. What leaves more than a share of the movement of
    /// bodies as they are is not worth its strain.
    fn deforming(&self, share: f64, worth: f64, report: Report<'_>) -> Found {
        let found = self.rigid(self.start, report);
        let is_far = |body: usize| {
            let way = self.farthest(body, &found.positions);
            may_deform(&self.bodies[body]) && way > share * self.shapes[body].size
        };
        let soft: Vec<bool> = (0..self.bodies.len()).map(is_far).collect();
        let turned = self.turned(found.clone(), report);
        if turned.stopped || !soft.contains(&true) {
            return turned;
        }
        let is_worth = |found: &Found| {
            let worth = if found.manners.contains(&Manner::Soft) { worth } else { 1.0 };
            self.resistance(&found.positions) <= worth * self.resistance(&turned.positions)
        };
        let found = Found { iterations: turned.iterations, ..found };
        // Where there is no room for rows of all pairs, bodies are not made elastic in vain.
        let overlapping = self.judged(self.start).len();
        let deformed = match soft::are_too_many(overlapping) {
            true => found.clone(),
            false => self.soft(&soft, found.iterations, report),
        };
        let most = |positions: &[Vec<Vec3>]| {
            let sizes = self.shapes.iter().map(|shape| shape.size).enumerate();
            sizes.map(|(k, size)| self.mean(k, positions) / size).fold(0.0, f64::max)
        };
        let is_sound = (0..self.bodies.len()).all(|body| {
            deformed.manners[body] != Manner::Soft
                || self.defect(body, &deformed.positions[body]).is_none()
        });
        let is_better = is_sound
            && deformed.manners.contains(&Manner::Soft)
            && is_worth(&deformed)
            && most(&deformed.positions) <= most(&found.positions)
            && self.is_separated(&deformed.positions);
        if deformed.stopped || is_better {
            return deformed;
        }
        let found = Found { iterations: deformed.iterations, ..found };
        let relaxed = self.relaxed(found, &soft, report);
        if relaxed.stopped || !self.is_separated(&turned.positions) || is_worth(&relaxed) {
            return relaxed;
        }
        // What could not be deformed keeps its reason; to deform the others does not help.
        let both = relaxed.undeformed.iter().zip(&relaxed.manners).zip(&soft);
        let why = |((why, manner), soft): ((&Option<Undeformed>, &Manner), &bool)| {
            let is_deformed = *soft && *manner == Manner::Soft;
            if is_deformed { Some(Undeformed::NoGain) } else { *why }
        };
        let undeformed = both.map(why).collect();
        Found { undeformed, iterations: relaxed.iterations, ..turned }
    }

    /// Rigid bodies that turn as well, where they move less that way.
    fn turned(&self, found: Found, report: Report<'_>) -> Found {
        let none = vec![false; self.bodies.len()];
        if found.stopped || !self.is_separated(&found.positions) {
            return found;
        }
        let turned = self.relaxed(found.clone(), &none, report);
        let gain = MOST_OF * self.movement(&found.positions);
        if turned.stopped || self.movement(&turned.positions) < gain { turned } else { found }
    }

    /// Bodies pulled back from where they were translated, some of them deforming.
    fn relaxed(&self, found: Found, soft: &[bool], report: Report<'_>) -> Found {
        if found.stopped || !self.is_separated(&found.positions) {
            return found;
        }
        let shifts: Vec<Vec3> = self.start.iter().zip(&found.positions).map(shift).collect();
        if self.are_too_many(&found.positions) {
            let why = |soft: &bool| soft.then_some(Undeformed::TooMany);
            return Found { undeformed: soft.iter().map(why).collect(), ..found };
        }
        let (bodies, mut undeformed): (Vec<SoftBody>, Vec<Option<Undeformed>>) = (0..soft.len())
            .map(|body| match soft[body] {
                true => self.soft_body(body, 0),
                false => (self.turning_body(body, soft), None),
            })
            .unzip();
        let met: Vec<Vec<[TriangleId; 2]>> = (0..self.bodies.len())
            .map(|body| if soft[body] { self.met(body, &self.start[body]) } else { Vec::new() })
            .collect();
        let is_elastic = |body: usize| matches!(bodies[body].compliance, Compliance::Elastic(_));
        let defect = |body: usize, at: &[Vec3]| {
            is_elastic(body).then(|| self.defect_beside(body, at, &met[body])).flatten()
        };
        let Search { shapes, start, nested, gap, .. } = *self;
        let (bodies, defect, budget) = (&bodies, &defect, RELAX_BUDGET);
        let given = SoftTask { shapes, start, nested, bodies, gap, budget };
        let task = RelaxTask { given, defect };
        let before = found.iterations;
        let done = task.run(&shifts, &mut |iteration, pairs| report(before + iteration, pairs));
        let is_deformed =
            |body: usize| is_elastic(body) && self.is_strained(body, &done.positions[body]);
        let deformed: Vec<bool> = (0..self.bodies.len()).map(is_deformed).collect();
        for (body, why) in undeformed.iter_mut().enumerate() {
            if soft[body] && !deformed[body] && why.is_none() {
                *why = done.stopped_by[body];
            }
        }
        let manner = |deformed: &bool| if *deformed { Manner::Soft } else { Manner::Rigid };
        Found {
            manners: deformed.iter().map(manner).collect(),
            undeformed,
            iterations: before + done.iterations,
            stopped: done.stopped,
            positions: done.positions,
        }
    }

    /// Mass times mean square of the way of the vertices, of all bodies, kg·m².
    fn movement(&self, positions: &[Vec<Vec3>]) -> f64 {
        let bodies = 0..self.bodies.len();
        bodies.map(|body| self.mass(body) * self.mean_square(body, positions)).sum()
    }

    /// Size times mean square of the way of the vertices, of all bodies, m³: what movement costs
    /// beside bodies that give way.
    fn resistance(&self, positions: &[Vec<Vec3>]) -> f64 {
        let bodies = 0..self.bodies.len();
        bodies.map(|body| self.shapes[body].size * self.mean_square(body, positions)).sum()
    }

    /// Mean square of the way of the vertices of a body, m².
    fn mean_square(&self, body: usize, positions: &[Vec<Vec3>]) -> f64 {
        let both = self.start[body].iter().zip(&positions[body]);
        let sum: f64 = both.map(|(from, to)| from.distance_squared(*to)).sum();
        sum / self.start[body].len() as f64
    }

    /// What movement is shared by, kg or m³.
    fn mass(&self, body: usize) -> f64 {
        let mass = self.bodies[body].mass.filter(|mass| mass.is_finite() && *mass > 0.0);
        mass.unwrap_or(self.shapes[body].volume)
    }

    /// Largest movement of a vertex of a body, m.
    fn farthest(&self, body: usize, positions: &[Vec<Vec3>]) -> f64 {
        let both = self.start[body].iter().zip(&positions[body]);
        both.map(|(from, to)| from.distance(*to)).fold(0.0, f64::max)
    }

    /// Mean movement of the vertices of a body, m.
    fn mean(&self, body: usize, positions: &[Vec<Vec3>]) -> f64 {
        let both = self.start[body].iter().zip(&positions[body]);
        both.map(|(from, to)| from.distance(*to)).sum::<f64>() / self.start[body].len() as f64
    }

    /// Some bodies give way elastically; what they leave is translated apart.
    ///
    /// A body that comes out inverted or meets itself anew is tried again with less deformation,
    /// and at last moved as it is.
    fn soft(&self, soft: &[bool], iterations: usize, report: Report<'_>) -> Found {
        let mut iterations = iterations;
        // One more than the last attachment stands for a rigid body.
        let mut levels: Vec<usize> =
            soft.iter().map(|soft| if *soft { 0 } else { ATTACHMENTS.len() }).collect();
        let (mut attempt, mut work) = (0, 0);
        let mut defects: Vec<Option<Undeformed>> = vec![None; self.bodies.len()];
        loop {
            attempt += 1;
            let (bodies, mut undeformed): (Vec<SoftBody>, Vec<Option<Undeformed>>) =
                (0..levels.len()).map(|body| self.soft_body(body, levels[body])).unzip();
            let Search { shapes, start, nested, gap, .. } = *self;
            let budget = BUDGET.saturating_sub(work);
            let task = SoftTask { shapes, start, nested, bodies: &bodies, gap, budget };
            let before = iterations;
            let deformed = task.run(&mut |iteration, pairs| report(before + iteration, pairs));
            iterations += deformed.iterations;
            work += deformed.work;
            let is_elastic =
                |body: usize| matches!(bodies[body].compliance, Compliance::Elastic(_));
            let is_over = deformed.stopped || work > BUDGET;
            if !is_over {
                let mut is_bad = false;
                for body in (0..bodies.len()).filter(|body| is_elastic(*body)) {
                    if let Some(defect) = self.defect(body, &deformed.positions[body]) {
                        (is_bad, defects[body]) = (true, Some(defect));
                        levels[body] += if attempt < ATTEMPTS { 1 } else { ATTACHMENTS.len() };
                    }
                }
                if is_bad {
                    continue;
                }
            }
            for body in 0..levels.len() {
                if levels[body] >= ATTACHMENTS.len() {
                    undeformed[body] = defects[body];
                } else if is_elastic(body) && !self.is_strained(body, &deformed.positions[body]) {
                    let why = if is_over { Undeformed::Exhausted } else { Undeformed::Unpressed };
                    undeformed[body] = Some(why);
                }
            }
            let is_deformed = |body: usize| is_elastic(body) && undeformed[body].is_none();
            let manner = |body: usize| if is_deformed(body) { Manner::Soft } else { Manner::Rigid };
            let manners = (0..bodies.len()).map(manner).collect();
            let (positions, stopped) = (deformed.positions, deformed.stopped);
            if stopped || self.is_separated(&positions) {
                return Found { positions, manners, undeformed, iterations, stopped };
            }
            let rest = self
                .rigid(&positions, &mut |iteration, pairs| report(iterations + iteration, pairs));
            let iterations = iterations + rest.iterations;
            return Found { manners, undeformed, iterations, ..rest };
        }
    }

    /// Whether too many bodies that were moved are near others to be pulled back.
    fn are_too_many(&self, positions: &[Vec<Vec3>]) -> bool {
        let placed = placed(self.shapes, positions, self.gap);
        let scene = Scene { shapes: self.shapes, placed: &placed, nested: self.nested };
        let mut pairs = scene.pairs(relax::reach(self.shapes, self.gap));
        pairs.retain(|pair| pair.iter().any(|body| self.start[*body] != positions[*body]));
        relax::are_too_many(pairs.len())
    }

    /// Pairs that overlap or are too near at some positions, m.
    fn judged(&self, positions: &[Vec<Vec3>]) -> Vec<Judged> {
        let placed = placed(self.shapes, positions, self.gap);
        Scene { shapes: self.shapes, placed: &placed, nested: self.nested }.judge(self.gap)
    }

    fn is_separated(&self, positions: &[Vec<Vec3>]) -> bool {
        let judged = self.judged(positions);
        let is_both_fixed = |pair: [usize; 2]| pair.iter().all(|b| is_fixed(&self.bodies[*b]));
        judged.iter().all(|judged| is_both_fixed(judged.pair))
    }

    /// A body of some softness; as it is, and why, where it cannot be filled or factored.
    fn soft_body(&self, body: usize, level: usize) -> (SoftBody, Option<Undeformed>) {
        let size = self.shapes[body].size;
        if is_fixed(&self.bodies[body]) {
            return (SoftBody { compliance: Compliance::Fixed, carried: None }, None);
        }
        let rigid = SoftBody { compliance: Compliance::Rigid(1.0 / size), carried: None };
        let Some(attachment) = ATTACHMENTS.get(level) else { return (rigid, None) };
        match self.elastic_body(body, *attachment) {
            Ok(elastic) => (elastic, None),
            Err(why) => (rigid, Some(why)),
        }
    }

    /// A body on tets of its own, or on a cage.
    fn elastic_body(&self, body: usize, attachment: f64) -> Result<SoftBody, Undeformed> {
        let (start, size) = (&self.start[body], self.shapes[body].size);
        let (cage, is_own) = match self.bodies[body].mesh {
            Mesh::Tets(mesh) if start.len() > LARGE => {
                let positions = start.clone();
                let triangles = mesh.surface().to_vec();
                let raw = RawMesh { positions, triangles, ..RawMesh::default() };
                let (surface, _) = Surface::from_raw(raw).map_err(|_| Undeformed::NotFilled)?;
                (cage(&surface, start, size)?, false)
            }
            Mesh::Tets(mesh) => {
                let mut used = vec![false; start.len()];
                mesh.tets().iter().flatten().for_each(|v| used[v.index()] = true);
                let cage = TetMesh::new(start.clone(), mesh.tets().to_vec(), Vec::new());
                (cage.map_err(|_| Undeformed::FlatTets)?, !used.contains(&false))
            }
            Mesh::Surface(mesh) => (cage(mesh, start, size)?, false),
            Mesh::SpringNetwork(..) | Mesh::Particles(_) | Mesh::Outline(..) => {
                return Err(Undeformed::NotFilled);
            }
        };
        let elastic = Elastic::new(&cage, size, attachment).ok_or(Undeformed::FlatTets)?;
        let carried = (!is_own).then(|| embed(&cage, start));
        Ok(SoftBody { compliance: Compliance::Elastic(Box::new(elastic)), carried })
    }

    /// A body that moves as a whole and turns; that only moves where it has no inertia.
    fn turning_body(&self, body: usize, soft: &[bool]) -> SoftBody {
        // Beside soft bodies movement costs what it costs these.
        let resistance = match soft.contains(&true) {
            true => self.shapes[body].size,
            false => self.mass(body),
        };
        let triangles = &self.shapes[body].triangles;
        let compliance = match is_fixed(&self.bodies[body]) {
            true => Compliance::Fixed,
            false => match Turning::new(&self.start[body], triangles, resistance) {
                Some(turning) => Compliance::Turning(Box::new(turning)),
                None => Compliance::Rigid(resistance.recip()),
            },
        };
        SoftBody { compliance, carried: None }
    }

    /// Whether a body is deformed at some positions, m, and not only moved.
    fn is_strained(&self, body: usize, at: &[Vec3]) -> bool {
        strain(&self.bodies[body], &self.shapes[body], at) > LEAST_STRAIN
    }

    /// What is wrong with a body at some positions, m, that was right before.
    fn defect(&self, body: usize, after: &[Vec3]) -> Option<Undeformed> {
        match self.start[body] == after {
            true => None,
            false => self.defect_beside(body, after, &self.met(body, &self.start[body])),
        }
    }

    /// The same, with the triangles that met each other before: an inverted or flat tet, too much
    /// strain, too much volume lost or gained, or a surface that meets itself.
    fn defect_beside(
        &self,
        body: usize,
        after: &[Vec3],
        met: &[[TriangleId; 2]],
    ) -> Option<Undeformed> {
        if let Mesh::Tets(mesh) = self.bodies[body].mesh {
            let is_bad = |tet: &[VertexId; 4], at: &[Vec3]| {
                let [v0, v1, v2, v3] = tet.map(|v| at[v.index()]);
                orient3d(v0, v1, v2, v3) <= 0.0
            };
            let before = &self.start[body];
            if mesh.tets().iter().any(|tet| is_bad(tet, after) && !is_bad(tet, before)) {
                return Some(Undeformed::Inverted);
            }
        }
        let shape = &self.shapes[body];
        if strain(&self.bodies[body], shape, after) > MOST_STRAIN {
            return Some(Undeformed::Strain);
        }
        if volume_change(shape, after).abs() > self.most_volume_change {
            return Some(Undeformed::Volume);
        }
        let is_new = |pair: &[TriangleId; 2]| met.binary_search(pair).is_err();
        self.met(body, after).iter().any(is_new).then_some(Undeformed::MeetsItself)
    }

    /// Triangles of a body that meet each other at some positions, m.
    fn met(&self, body: usize, at: &[Vec3]) -> Vec<[TriangleId; 2]> {
        meeting::meeting_pairs(at, &self.shapes[body].triangles).found
    }
}

/// How far a body was translated, m.
fn shift((from, to): (&Vec<Vec3>, &Vec<Vec3>)) -> Vec3 {
    match (from == to, from.first(), to.first()) {
        (false, Some(from), Some(to)) => *to - *from,
        _ => Vec3::ZERO,
    }
}

fn may_deform(body: &Body<'_>) -> bool {
    body.mobility == Mobility::Free
}

fn is_fixed(body: &Body<'_>) -> bool {
    body.mobility == Mobility::Fixed
}

/// Tets inside a surface at some positions, m.
fn cage(mesh: &Surface, start: &[Vec3], size: f64) -> Result<TetMesh, Undeformed> {
    let moved;
    let surface = if mesh.positions() == start {
        mesh
    } else {
        let raw = RawMesh {
            positions: start.to_vec(),
            triangles: mesh.triangles().to_vec(),
            ..Default::default()
        };
        moved = Surface::from_raw(raw).map_err(|_| Undeformed::NotFilled)?.0;
        &moved
    };
    let filled = stuffed(surface, StuffingSettings { size: CAGE * size });
    filled.map(|stuffed| stuffed.mesh).map_err(|error| Undeformed::of_filling(&error))
}

#[cfg(test)]
mod tests;
