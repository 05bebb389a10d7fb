//! Shape matching: groups of vertices keep their shape without forces.
//!
//! After any step of any integrator each group finds the pose of its rest shape that fits its
//! vertices best, and pulls them there. A group may be all of a set of unconnected points, or
//! some vertices of cloth: a button. [`cluster`] matches one group, [`modes`] are the quadratic
//! deformation modes of a group, [`matching`] is the post-step of an integrator, [`pull`] the
//! same as a force, which implicit steps solve together with contacts. It is among the
//! integrators because it overwrites positions, as [`crate::integrate::pbd`] does; a force would
//! have to be stiff and could not be rigid.
//!
//! Groups may overlap: a vertex in n of them contributes 1/n of its mass to each and moves to the
//! mean of its goals. With such masses every group's pull has no net force and no net torque, so
//! that momentum is kept whatever overlaps.

pub mod cluster;

pub(crate) mod modes;

pub mod matching;

pub mod pull;

#[cfg(test)]
mod tests;

use crate::body::pins::Pins;
use crate::body::soft::Masses;
use crate::id::VertexId;
use crate::integrate::shape_matching::cluster::Cluster;
use crate::math::Vec3;
use crate::math::polar::PolarMethod;
use crate::mesh::topology::Csr;

/// Weight of a pinned vertex over that of the rest of its group together.
///
/// Pinned vertices decide where the group is; it hangs from them. More would cost digits of the
/// rest.
const HELD: f64 = 1e4;

/// Which deformations of a rest shape a match allows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// None: rigid motion only.
    Rigid,
    /// Stretch and shear.
    Linear {
        /// Share β of the best linear match in the goal; the rest is rigid.
        blend: f64,
        /// Whether goals have the volume of the rest shape.
        volume: Volume,
    },
    /// Stretch, shear, bend and twist.
    Quadratic {
        /// Share β of the best quadratic match in the goal; the rest is rigid.
        blend: f64,
    },
}

/// Volume of goals; of a flat group the area, of a line the length.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Volume {
    /// That of the match.
    Free,
    /// That of the rest shape.
    #[default]
    Kept,
}

/// How far vertices move towards their goals in a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stiffness {
    /// All the way.
    Firm,
    /// This share α of the way in every step, whatever its length.
    Share(f64),
    /// As springs of this angular frequency of a vertex about its goal, rad/s.
    ///
    /// In a step of Δt the share is 1 − 1/(1 + ω²Δt²), that of implicit Euler: stable for any step,
    /// and the same motion for all that are short.
    Rate(f64),
}

impl Stiffness {
    /// Share of the way in a step of `dt` seconds, 0 to 1.
    pub(crate) fn share(self, dt: f64) -> f64 {
        match self {
            Stiffness::Firm => 1.0,
            Stiffness::Share(share) => share,
            Stiffness::Rate(rate) => {
                let square = (rate * dt) * (rate * dt);
                // Written so that an infinite rate is firm.
                if square > 1.0 { 1.0 / (1.0 + square.recip()) } else { square / (1.0 + square) }
            }
        }
    }
}

/// Plasticity of a group.
///
/// - Implements: [Muller05 §4.5].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plasticity {
    /// Yield strain: the largest principal stretch less one.
    pub yields_at: f64,
    /// Rate at which strain beyond the yield becomes plastic, 1/s.
    pub creep: f64,
    /// Largest plastic strain of the rest shape.
    pub most: f64,
}

/// A group of vertices that match a shape.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// Different vertices, counted in the scene, in any order.
    pub vertices: Vec<VertexId>,
    /// Deformations that a match allows.
    pub kind: Kind,
    /// How strongly they are pulled.
    pub stiffness: Stiffness,
    /// Plasticity, if any; the shape of a rigid group yields too.
    pub plasticity: Option<Plasticity>,
}

impl Group {
    /// A rigid group.
    pub fn rigid(vertices: Vec<VertexId>) -> Group {
        Group { vertices, kind: Kind::Rigid, stiffness: Stiffness::Firm, plasticity: None }
    }
}

/// Why a group is rejected.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum ShapeError {
    /// A group without vertices.
    #[error("group {group} has no vertices")]
    Empty {
        /// First such group.
        group: usize,
    },
    /// A vertex that does not exist.
    #[error("group {group} names vertex {vertex}, the scene has {count}")]
    NoSuchVertex {
        /// First such group.
        group: usize,
        /// The vertex.
        vertex: VertexId,
        /// Vertices of the scene.
        count: usize,
    },
    /// A vertex that is named twice.
    #[error("group {group} names vertex {vertex} twice")]
    Twice {
        /// First such group.
        group: usize,
        /// The vertex.
        vertex: VertexId,
    },
    /// A rest position that is not finite.
    #[error("group {group} has vertex {vertex} at {position} at rest: it must be finite")]
    NotFinite {
        /// First such group.
        group: usize,
        /// The vertex.
        vertex: VertexId,
        /// Its position at rest, m.
        position: Vec3,
    },
    /// A setting outside its range.
    #[error("the {what} of group {group} is {value}: it must be {rule}")]
    Setting {
        /// First such group.
        group: usize,
        /// Which setting.
        what: &'static str,
        /// Its value, in the setting's unit.
        value: f64,
        /// What it must be.
        rule: &'static str,
    },
    /// Arrays of different length.
    #[error("there are {count} rest positions and {masses} masses")]
    Count {
        /// Number of rest positions.
        count: usize,
        /// Number of masses.
        masses: usize,
    },
}

impl ShapeError {
    /// Index of the group concerned; `None` where it is not one group.
    pub fn group(&self) -> Option<usize> {
        match *self {
            ShapeError::Empty { group }
            | ShapeError::NoSuchVertex { group, .. }
            | ShapeError::Twice { group, .. }
            | ShapeError::NotFinite { group, .. }
            | ShapeError::Setting { group, .. } => Some(group),
            ShapeError::Count { .. } => None,
        }
    }
}

/// All groups of a scene, ready to be matched.
#[derive(Clone, Debug)]
pub struct Groups {
    clusters: Vec<Cluster>,
    /// Of each vertex: cluster, and index in it.
    members: Csr<(u32, u32)>,
}

impl Groups {
    /// Groups of the vertices of a scene, with the shape that these have in `rest`, m.
    ///
    /// Pinned vertices lead their group and are not moved by it.
    pub fn new(
        groups: &[Group],
        rest: &[Vec3],
        masses: &Masses,
        pins: &Pins,
    ) -> Result<Groups, ShapeError> {
        let (count, masses) = (rest.len(), masses.of());
        if count != masses.len() {
            return Err(ShapeError::Count { count, masses: masses.len() });
        }
        for (number, group) in groups.iter().enumerate() {
            check(number, group, rest)?;
        }
        let pairs = groups.iter().enumerate().flat_map(|(group, of)| {
            let place = move |(k, v): (usize, &VertexId)| (v.0, (group as u32, k as u32));
            of.vertices.iter().enumerate().map(place)
        });
        let members = Csr::from_pairs(count, pairs);
        let share = |v: VertexId| 1.0 / members.row(v.index()).len() as f64;
        let clusters = groups.iter().map(|group| {
            let lent = |v: VertexId| masses[v.index()] * share(v);
            let whole: f64 = group.vertices.iter().map(|v| lent(*v)).sum();
            let is_held = |v: VertexId| pins.vertices().binary_search(&v).is_ok();
            let weight = |v: VertexId| if is_held(v) { HELD * whole } else { lent(v) };
            Cluster::new(group, rest, weight)
        });
        Ok(Groups { clusters: clusters.collect(), members })
    }

    /// The same with rotations that are found in another way.
    ///
    /// A warm start begins at the last accepted match of [`matching::ShapeMatching`]; as a force,
    /// [`pull::Pull`], it begins at the rest pose in every evaluation.
    pub fn with_polar(mut self, polar: PolarMethod) -> Groups {
        self.clusters.iter_mut().for_each(|cluster| cluster.set_polar(polar));
        self
    }

    /// Vertices of the scene.
    pub(crate) fn vertex_count(&self) -> usize {
        self.members.len()
    }

    /// Every group as it was matched last.
    pub fn clusters(&self) -> &[Cluster] {
        &self.clusters
    }
}

/// Rejects a group that cannot be matched.
fn check(group: usize, of: &Group, rest: &[Vec3]) -> Result<(), ShapeError> {
    if of.vertices.is_empty() {
        return Err(ShapeError::Empty { group });
    }
    let mut sorted = of.vertices.clone();
    sorted.sort_unstable();
    if let Some(&vertex) = sorted.iter().find(|v| v.index() >= rest.len()) {
        return Err(ShapeError::NoSuchVertex { group, vertex, count: rest.len() });
    }
    if let Some(twice) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(ShapeError::Twice { group, vertex: twice[0] });
    }
    if let Some(&vertex) = sorted.iter().find(|v| !rest[v.index()].is_finite()) {
        return Err(ShapeError::NotFinite { group, vertex, position: rest[vertex.index()] });
    }
    let blend = match of.kind {
        Kind::Rigid => 0.0,
        Kind::Linear { blend, .. } | Kind::Quadratic { blend } => blend,
    };
    let (share, rate) = match of.stiffness {
        Stiffness::Firm => (1.0, 0.0),
        Stiffness::Share(share) => (share, 0.0),
        Stiffness::Rate(rate) => (1.0, rate),
    };
    let none = Plasticity { yields_at: 0.0, creep: 0.0, most: 0.0 };
    let Plasticity { yields_at, creep, most } = of.plasticity.unwrap_or(none);
    let unit = |value: f64| (0.0..=1.0).contains(&value);
    let not_negative = |value: f64| value >= 0.0 && value.is_finite();
    let list = [
        ("blend", blend, unit(blend), "between 0 and 1"),
        ("stiffness", share, unit(share), "between 0 and 1"),
        ("stiffness", rate, rate >= 0.0, "at least 0"),
        ("yield", yields_at, not_negative(yields_at), "at least 0 and finite"),
        ("creep", creep, not_negative(creep), "at least 0 and finite"),
        ("most plastic strain", most, (0.0..1.0).contains(&most), "at least 0 and below 1"),
    ];
    match list.iter().find(|(_, _, sound, _)| !sound) {
        Some(&(what, value, _, rule)) => Err(ShapeError::Setting { group, what, value, rule }),
        None => Ok(()),
    }
}
