//! How far and which way is out, for every vertex inside another body.
//!
//! The four stages of [Heidelberger04 §3]: `detect` finds the vertices (stage 1) and
//! where their edges leave (stage 2), `border` and `propagate` make depths of that
//! (stages 3 and 4). `nearest` is the closest-feature depth that they are measured by; `exits`
//! finds where vertices leave, where that is wanted, and `query` does it all in one line.

use crate::body::Bodies;
pub use crate::detect::Scope;
use crate::id::{BodyId, MismatchError, VertexId};
use crate::math::Vec3;
use crate::mesh::normals::Normals;

pub mod border;

pub mod propagate;

pub(crate) mod propagation_field;

pub mod fused;

pub mod nearest;

pub mod exits;

pub mod query;

/// How depths are computed; the default is the paper's choice.
///
/// - Deviates: [Heidelberger04 §3.3] leaves the kind of vertex normal open.
/// - Deviates: [Heidelberger04 §3.1] does not say whether n bodies are one scene or pairs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DepthSettings {
    /// Power of the distance in the weights of eq. 1 and 5.
    pub exponent: f64,
    /// Scene or pairs.
    pub scope: Scope,
    /// Normals at the corners of a triangle.
    pub normals: Normals,
}

impl Default for DepthSettings {
    fn default() -> DepthSettings {
        DepthSettings { exponent: 2.0, scope: Scope::Scene, normals: Normals::Area }
    }
}

/// How one vertex gets out of the body it penetrates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Penetration {
    /// Way to go along `direction`, m; can be negative, as interpolated normals tilt.
    pub depth: f64,
    /// Unit vector, world space.
    pub direction: Vec3,
}

/// A colliding vertex with its way out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Resolved {
    /// The vertex.
    pub vertex: VertexId,
    /// The bodies it is inside of: see [`Penetrations::bodies`].
    pub into: Span,
    /// Steps from the border: 0 has edges of its own that leave.
    pub ring: u32,
    /// How far and which way.
    pub penetration: Penetration,
}

/// A colliding vertex for which no way out is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unresolved {
    /// The vertex.
    pub vertex: VertexId,
    /// The bodies it is inside of: see [`Penetrations::bodies`].
    pub into: Span,
    /// Why.
    pub reason: Reason,
}

/// A range of entries of a separate array.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// First entry.
    pub start: u32,
    /// One past the last entry.
    pub end: u32,
}

/// Why a colliding vertex has no depth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Reason {
    /// It is connected to colliding vertices only: no edge leads out.
    Enclosed,
    /// The directions that edges or neighbours gave cancel.
    Cancelled,
    /// Edges lead out, but no crossing was found: by rounding, or out of an inverted tet.
    ///
    /// An edge that ends in an inverted tet can lead out without meeting the surface.
    Rounding,
}

impl Reason {
    /// The stable name, on which other programs may rely.
    pub fn name(self) -> &'static str {
        match self {
            Reason::Enclosed => "enclosed",
            Reason::Cancelled => "cancelled",
            Reason::Rounding => "rounding",
        }
    }
}

/// The penetration of every colliding vertex, or why none is known.
///
/// Both lists ascend by vertex, then by body; together they hold every colliding vertex
/// (in [`Scope::Pairs`] every pair of a vertex and a body) exactly once.
#[derive(Clone, Debug, Default)]
pub struct Penetrations {
    /// Vertices with a depth.
    pub resolved: Vec<Resolved>,
    /// Vertices without a known depth.
    pub unresolved: Vec<Unresolved>,
    /// Bodies that the entries of both lists point into.
    pub bodies: Vec<BodyId>,
    /// Number of edges from inside to outside of which no crossing was found.
    ///
    /// 0 while no tet is inverted: then every way out leads through the surface.
    pub missed_edges: usize,
    /// The first vertex of each body whose position is not finite; ascending.
    ///
    /// Nothing is known of these bodies, and they hold no vertex of another.
    pub non_finite: Vec<VertexId>,
}

impl PartialEq for Penetrations {
    /// By content, not by where the lists of bodies lie.
    fn eq(&self, other: &Penetrations) -> bool {
        let resolved = |a: &Resolved, b: &Resolved| {
            (a.vertex, a.ring, self.bodies(a.into)) == (b.vertex, b.ring, other.bodies(b.into))
                && a.penetration == b.penetration
        };
        let unresolved = |a: &Unresolved, b: &Unresolved| {
            (a.vertex, self.bodies(a.into)) == (b.vertex, other.bodies(b.into))
                && a.reason == b.reason
        };
        self.resolved.len() == other.resolved.len()
            && self.unresolved.len() == other.unresolved.len()
            && self.missed_edges == other.missed_edges
            && self.non_finite == other.non_finite
            && self.resolved.iter().zip(&other.resolved).all(|(a, b)| resolved(a, b))
            && self.unresolved.iter().zip(&other.unresolved).all(|(a, b)| unresolved(a, b))
    }
}

/// The penetration of every overlapping vertex in one call, for other engines.
///
/// `positions` are in body order, one for each of [`Bodies::vertex_count`]; another number of
/// them is an error. A body with a position that is not finite is left out and named in
/// [`Penetrations::non_finite`]. Scratch memory is allocated at each call: where many steps follow each
/// other, keep a [`fused::Scratch`] and get the same numbers sooner.
///
/// ```
/// use pliant::body::Bodies;
/// use pliant::depth::{DepthSettings, penetrations};
/// use pliant::id::VertexId;
/// use pliant::math::Vec3;
///
/// // A tet standing with its tip, vertex 3, in the top of another, 0.25 m below its face.
/// let lower = [[0.0, 0.0, 0.0], [3.0, 0.0, 0.0], [0.0, 3.0, 0.0], [0.0, 0.0, -3.0]];
/// let upper = [[0.0, 0.0, 2.0], [0.0, 3.0, 2.0], [3.0, 0.0, 2.0], [0.75, 0.75, -0.25]];
/// let tet: &[_] = &[[0, 2, 1, 3].map(VertexId)];
/// let bodies = Bodies::from_tets(&[(4, tet), (4, tet)])?;
/// let positions: Vec<_> = lower.iter().chain(&upper).map(|&p| Vec3::from(p)).collect();
///
/// let found = penetrations(&positions, &bodies, DepthSettings::default())?;
/// assert_eq!(found.resolved.len(), 1);
/// assert_eq!(found.resolved[0].vertex, VertexId(7));
/// assert!(found.resolved[0].penetration.direction.z > 0.0);
/// assert!(found.unresolved.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn penetrations(
    positions: &[Vec3],
    bodies: &Bodies,
    settings: DepthSettings,
) -> Result<Penetrations, MismatchError> {
    let mut found = Penetrations::default();
    let mut scratch = fused::Scratch::new(positions, bodies)?;
    scratch.penetrations(positions, bodies, settings, &mut found)?;
    Ok(found)
}

impl Penetrations {
    /// The bodies of an entry, ascending; one in [`Scope::Pairs`], none of another list.
    #[inline]
    pub fn bodies(&self, into: Span) -> &[BodyId] {
        self.bodies.get(into.start as usize..into.end as usize).unwrap_or_default()
    }

    /// Stores a list of bodies for an entry.
    #[inline]
    pub fn keep(&mut self, into: &[BodyId]) -> Span {
        let start = self.bodies.len() as u32;
        self.bodies.extend_from_slice(into);
        Span { start, end: self.bodies.len() as u32 }
    }

    /// Adds what was found of later bodies.
    fn append(&mut self, later: &Penetrations) {
        let shift = self.bodies.len() as u32;
        let moved = |into: Span| Span { start: into.start + shift, end: into.end + shift };
        self.bodies.extend_from_slice(&later.bodies);
        self.resolved.extend(later.resolved.iter().map(|r| Resolved { into: moved(r.into), ..*r }));
        let unresolved = later.unresolved.iter();
        self.unresolved.extend(unresolved.map(|u| Unresolved { into: moved(u.into), ..*u }));
        self.missed_edges += later.missed_edges;
    }

    /// Empties everything but keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.resolved.clear();
        self.unresolved.clear();
        self.bodies.clear();
        self.missed_edges = 0;
        self.non_finite.clear();
    }

    /// Puts the lists in order.
    pub fn sort(&mut self) {
        self.sort_from(0, 0);
    }

    /// Puts the lists in order from the given entries on.
    fn sort_from(&mut self, resolved: usize, unresolved: usize) {
        let bodies = &self.bodies;
        let first = |into: Span| bodies.get(into.start as usize).copied();
        self.resolved[resolved..].sort_by_key(|r| (r.vertex, first(r.into)));
        self.unresolved[unresolved..].sort_by_key(|u| (u.vertex, first(u.into)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TET: [VertexId; 4] = [VertexId(0), VertexId(1), VertexId(2), VertexId(3)];

    #[test]
    fn one_call_and_kept_memory_tell_the_same() {
        let bodies = Bodies::from_tets(&[(4, &[TET]), (4, &[TET])]).unwrap();
        let tet = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
        let positions: Vec<_> = tet.into_iter().chain(tet.map(|p| p + 0.1)).collect();
        let settings = DepthSettings::default();
        let mut kept = Penetrations::default();
        let mut scratch = fused::Scratch::new(&positions, &bodies).unwrap();
        for _ in 0..2 {
            scratch.penetrations(&positions, &bodies, settings, &mut kept).unwrap();
            assert_eq!(penetrations(&positions, &bodies, settings).as_ref(), Ok(&kept));
        }
        assert_eq!(kept.resolved.len(), 1);
    }

    #[test]
    fn a_position_that_is_not_finite_is_named_and_hides_no_other_body() {
        let tets: &[_] = &[TET];
        let bodies = Bodies::from_tets(&[(4, tets); 4]).unwrap();
        let tet = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
        let settings = DepthSettings::default();
        // The last two bodies overlap; the first two are near them, one of them is broken.
        let by = [3.0, 3.05, 0.0, 0.1];
        let sound: Vec<Vec3> = by.iter().flat_map(|by| tet.map(|p| p + *by)).collect();
        let expected = penetrations(&sound, &bodies, settings).unwrap();
        assert!(expected.non_finite.is_empty());
        let of_last = |found: &Penetrations| -> Vec<Resolved> {
            found.resolved.iter().filter(|r| r.vertex.0 >= 8).copied().collect()
        };
        let count = of_last(&expected).len();
        assert!(count > 0 && expected.resolved.len() > count);
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            for vertex in 0..8 {
                for axis in 0..3 {
                    let mut positions = sound.clone();
                    positions[vertex][axis] = bad;
                    let found = penetrations(&positions, &bodies, settings).unwrap();
                    assert_eq!(found.non_finite, [VertexId(vertex as u32)]);
                    assert_eq!(found.resolved.len(), count, "{bad} {vertex}");
                    for (a, b) in found.resolved.iter().zip(of_last(&expected)) {
                        assert_eq!((a.vertex, a.penetration), (b.vertex, b.penetration));
                    }
                    // Memory that was made for broken positions serves sound ones.
                    let (mut scratch, mut again) = (
                        fused::Scratch::new(&positions, &bodies).unwrap(),
                        Penetrations::default(),
                    );
                    scratch.penetrations(&sound, &bodies, settings, &mut again).unwrap();
                    assert_eq!(again, expected);
                }
            }
        }
    }

    #[test]
    fn positions_and_memory_of_other_bodies_are_refused() {
        let bodies = Bodies::from_tets(&[(4, &[TET])]).unwrap();
        let found = penetrations(&[Vec3::ZERO; 3], &bodies, DepthSettings::default());
        assert_eq!(found.unwrap_err().to_string(), "there are 3 positions, expected 4");
        let (places, settings) = ([Vec3::ZERO; 5], DepthSettings::default());
        let others = Bodies::from_tets(&[(5, &[TET])]).unwrap();
        let mut scratch = fused::Scratch::new(&places[..4], &bodies).unwrap();
        let found = scratch.penetrations(&places, &others, settings, &mut Default::default());
        let wanted = "the scratch memory was made for other bodies";
        assert_eq!(found.unwrap_err().to_string(), wanted);
    }
}
