//! Edge–edge contact: two edges near each other, or passed through each other.
//!
//! The normal of such a contact is across both edges. It is a contact only if the normal lies
//! between the normals of the triangles beside each edge: otherwise a vertex or a face is nearer,
//! and flat meshes would be pulled into each other by their diagonals.

use crate::math::Vec3;

/// Sine of the angle between edges below which they are parallel, without a normal.
const PARALLEL: f64 = 0.05;

/// Cosine of the angle between two triangles above which their edge is flat.
pub(super) const FLAT: f64 = 0.999;

/// Height of a flat edge above its faces, in contact offsets, from which it is bent.
///
/// What rests on these faces has a tenth of an offset at least between it and them.
const BENT: f64 = 0.05;

/// How far an opposite corner may pass the normal's plane, per length of the edge.
pub(super) const BEYOND: f64 = 0.02;

/// The same of a flat edge, whose faces follow what they meet but roughly.
const BEYOND_FLAT: f64 = 0.1;

/// Way of a step, per length of the shorter edge, from which other edges may meet in it.
const SLIDING: f64 = 0.02;

/// One edge with the corners beside it, all in world space, m.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct EdgeGeometry {
    /// Its ends.
    pub ends: [Vec3; 2],
    /// The corners opposite to it.
    pub tips: [Vec3; 2],
    /// Sum of the unit normals of the two triangles.
    pub feature_edge: Vec3,
    /// How far an opposite corner may pass the normal's plane, per length of the edge.
    beyond: f64,
}

impl EdgeGeometry {
    /// An edge with the unit normals of its triangles.
    #[inline]
    pub(crate) fn new(
        ends: [Vec3; 2],
        tips: [Vec3; 2],
        [first, second]: [Vec3; 2],
    ) -> EdgeGeometry {
        let beyond = if first.dot(second) <= FLAT { BEYOND } else { BEYOND_FLAT };
        EdgeGeometry { ends, tips, feature_edge: first + second, beyond }
    }

    /// Whether its triangles lie in one plane.
    #[inline]
    pub(crate) fn is_flat(&self) -> bool {
        self.beyond == BEYOND_FLAT
    }

    /// Height of its middle above that of the corners beside it, m; negative in a hollow.
    ///
    /// Of a flat edge, half the sum of whose normals is a unit vector.
    pub(crate) fn rise(&self) -> f64 {
        let ([from, to], [left, right]) = (self.ends, self.tips);
        0.25 * self.feature_edge.dot(from + to - left - right)
    }

    /// The same elsewhere, moved by so many metres.
    pub(crate) fn moved(&self, by: Vec3) -> EdgeGeometry {
        let moved = |points: [Vec3; 2]| points.map(|point| point + by);
        EdgeGeometry { ends: moved(self.ends), tips: moved(self.tips), ..*self }
    }

    /// The same after these displacements of its ends, m; the corners beside it go along.
    fn after(&self, displacements: [Vec3; 2]) -> EdgeGeometry {
        let [from, to] = displacements;
        let mean = 0.5 * (from + to);
        let ends = [self.ends[0] + from, self.ends[1] + to];
        EdgeGeometry { ends, tips: self.tips.map(|tip| tip + mean), ..*self }
    }

    /// A point of it, by its parameter from 0 to 1.
    fn point(&self, s: f64) -> Vec3 {
        self.ends[0] + s * self.along()
    }

    #[inline]
    fn along(&self) -> Vec3 {
        self.ends[1] - self.ends[0]
    }
}

/// Whether a flat edge of this rise, m, may be crossed by edges that touch no vertex of its faces.
#[inline]
pub(super) fn is_bent(rise: f64, offset: f64) -> bool {
    rise > BENT * offset
}

/// Closest points, normal and gap of two edges.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EdgeEdgeGap {
    /// Parameter on the first edge, from 0 to 1.
    pub s: f64,
    /// Parameter on the second edge, from 0 to 1.
    pub t: f64,
    /// Unit, from the second edge to the first.
    pub normal: Vec3,
    /// Distance along the normal, m; negative when they have passed.
    pub gap: f64,
}

/// The contact between two edges, if they have one with a gap below `reach`.
///
/// Edges that have passed each other by more than `depth` m have none.
#[inline]
pub(crate) fn edge_edge_gap(
    a: &EdgeGeometry,
    b: &EdgeGeometry,
    reach: f64,
    depth: f64,
) -> Option<EdgeEdgeGap> {
    let (p, q) = (a.along(), b.along());
    let across = p.cross(q);
    // Most pairs fail here, before any root: out of one edge must be into the other.
    let (out_of_a, out_of_b) = (across.dot(a.feature_edge), across.dot(b.feature_edge));
    let opposed = (out_of_a < 0.0 && out_of_b > 0.0) || (out_of_a > 0.0 && out_of_b < 0.0);
    if !opposed {
        return None;
    }
    let (p_length, q_length, length) = (p.length(), q.length(), across.length());
    // NaN fails as well.
    if !(length >= PARALLEL * p_length * q_length && length > 0.0) {
        return None;
    }
    let normal = if out_of_b > 0.0 { across / length } else { -across / length };
    let from = b.ends[0] - a.ends[0];
    let gap = -from.dot(normal);
    if !(gap < reach && gap > -depth) {
        return None;
    }
    let square = length * length;
    let (s, t) = (from.cross(q).dot(across) / square, from.cross(p).dot(across) / square);
    if !((0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t)) {
        return None;
    }
    let in_arc = b.tips.iter().all(|tip| normal.dot(*tip - b.ends[0]) <= b.beyond * q_length)
        && a.tips.iter().all(|tip| normal.dot(*tip - a.ends[0]) >= -a.beyond * p_length);
    in_arc.then_some(EdgeEdgeGap { s, t, normal, gap })
}

/// The contact of two edges that slide into each other's way, m, within a step.
///
/// They have no contact now, and would have passed each other at the end of the step; the contact
/// is between the points that meet on the way, with the gap that these have now.
///
/// - Deviates: a contact is elsewhere between points that are nearest now. Here they are apart by
///   up to the way of the step across the normal, and its impulse turns soft bodies by that arm.
pub(crate) fn arriving_gap(
    a: &EdgeGeometry,
    b: &EdgeGeometry,
    displacements: [[Vec3; 2]; 2],
    reach: f64,
    depth: f64,
) -> Option<EdgeEdgeGap> {
    let now = |met: &EdgeEdgeGap| (a.point(met.s) - b.point(met.t)).dot(met.normal);
    let end = edge_edge_gap(&a.after(displacements[0]), &b.after(displacements[1]), 0.0, depth)?;
    let gap = now(&end);
    if !(0.0..reach).contains(&gap) {
        return None;
    }
    // Not beside each other, as what falls along a wall is when it passes the upper edge.
    let passing = gap / (gap - end.gap);
    let [one, other] = displacements.map(|ends| ends.map(|way| passing * way));
    let met = edge_edge_gap(&a.after(one), &b.after(other), reach, depth)?;
    let gap = now(&met);
    (0.0..reach).contains(&gap).then_some(EdgeEdgeGap { gap, ..met })
}

/// Whether edges slide by enough to meet others than now; `length` is that of the shorter, m.
#[inline]
pub(crate) fn slides([a, b]: [[Vec3; 2]; 2], length: f64) -> bool {
    let most = (SLIDING * length) * (SLIDING * length);
    a.iter().any(|one| b.iter().any(|other| one.distance_squared(*other) > most))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::normals::face_normal;

    /// A roof along an axis, its ridge at a height, its sides falling (or rising) away.
    fn roof(along: Vec3, height: f64, fall: f64) -> EdgeGeometry {
        let aside = along.cross(Vec3::Z);
        let (from, to) = (height * Vec3::Z - along, height * Vec3::Z + along);
        let tips = [aside, -aside].map(|side| (height - fall) * Vec3::Z + side);
        // Outward, which is up for a roof and down for a keel.
        let out = |tri: [Vec3; 3]| {
            let [a, b, c] = tri;
            if (b - a).cross(c - a).z * fall > 0.0 { [a, b, c] } else { [a, c, b] }
        };
        let normals = tips.map(|tip| face_normal(out([from, to, tip])).unwrap());
        EdgeGeometry::new([from, to], tips, normals)
    }

    #[test]
    fn a_keel_above_a_roof_is_a_contact_along_the_height() {
        let (keel, roof) = (roof(Vec3::X, 0.3, -1.0), roof(Vec3::Y, 0.0, 1.0));
        let found = edge_edge_gap(&keel, &roof, 1.0, 1.0).unwrap();
        assert_eq!((found.s, found.t), (0.5, 0.5));
        assert!((found.gap - 0.3).abs() < 1e-15 && found.normal.abs_diff_eq(Vec3::Z, 1e-15));
        assert_eq!(edge_edge_gap(&keel, &roof, 0.2, 1.0), None); // too far
    }

    #[test]
    fn edges_that_have_passed_have_a_negative_gap() {
        let (keel, roof) = (roof(Vec3::X, -0.3, -1.0), roof(Vec3::Y, 0.0, 1.0));
        let found = edge_edge_gap(&keel, &roof, 1.0, 1.0).unwrap();
        assert!((found.gap + 0.3).abs() < 1e-15, "{found:?}");
        assert_eq!(edge_edge_gap(&keel, &roof, 1.0, 0.2), None); // too deep
    }

    #[test]
    fn the_wrong_sides_do_not_meet() {
        let (one, other) = (roof(Vec3::X, 0.3, 1.0), roof(Vec3::Y, 0.0, 1.0));
        assert_eq!(edge_edge_gap(&one, &other, 1.0, 1.0), None); // the upper faces up
        let beside = EdgeGeometry { ends: other.ends.map(|p| p + 5.0 * Vec3::Y), ..other };
        assert_eq!(edge_edge_gap(&roof(Vec3::X, 0.3, -1.0), &beside, 1.0, 1.0), None);
    }

    #[test]
    fn edges_that_slide_over_each_other_within_a_step_are_met_where_they_pass() {
        // A keel along x from 0.5 to 2.5 m, 0.1 m above a ridge along y, flies across it, falling.
        let (keel, ridge) = (roof(Vec3::X, 0.1, -1.0), roof(Vec3::Y, 0.0, 1.0));
        let beside = keel.moved(1.5 * Vec3::X);
        assert_eq!(edge_edge_gap(&beside, &ridge, 1.0, 1.0), None);
        let falling = |by: f64| [[Vec3::new(-2.0, 0.0, -by); 2], [Vec3::ZERO; 2]];
        assert!(slides(falling(0.2), 2.0) && !slides([falling(0.2)[0]; 2], 2.0));
        // Halfway, from −0.5 to 1.5 m: a quarter of its length is past the ridge.
        let found = arriving_gap(&beside, &ridge, falling(0.2), 1.0, 1.0).unwrap();
        assert!((found.s - 0.25).abs() < 1e-15 && found.t == 0.5, "{found:?}");
        assert!((found.gap - 0.1).abs() < 1e-15 && found.normal.abs_diff_eq(Vec3::Z, 1e-15));
        // It stays above; it is too far; it is below the ridge before it comes there.
        assert_eq!(arriving_gap(&beside, &ridge, falling(0.05), 1.0, 1.0), None);
        assert_eq!(arriving_gap(&beside, &ridge, falling(0.2), 0.05, 1.0), None);
        assert_eq!(arriving_gap(&beside, &ridge, falling(0.5), 1.0, 1.0), None);
    }

    #[test]
    fn parallel_edges_have_no_normal() {
        let (keel, roof_side) = (roof(Vec3::X, 0.3, -1.0), roof(Vec3::X, 0.0, 1.0));
        assert_eq!(edge_edge_gap(&keel, &roof_side, 1.0, 1.0), None);
    }

    #[test]
    fn a_keel_above_a_flat_edge_is_a_contact_from_above_only() {
        let ends = [-Vec3::Y, Vec3::Y];
        let flat = EdgeGeometry::new(ends, [Vec3::X, -Vec3::X], [Vec3::Z; 2]);
        assert!(flat.is_flat() && !roof(Vec3::X, 0.3, -1.0).is_flat());
        let met = edge_edge_gap(&roof(Vec3::X, 0.3, -1.0), &flat, 1.0, 1.0).unwrap();
        assert!(met.normal.abs_diff_eq(Vec3::Z, 1e-15) && (met.gap - 0.3).abs() < 1e-15);
        let below = EdgeGeometry { feature_edge: -flat.feature_edge, ..flat };
        assert_eq!(edge_edge_gap(&roof(Vec3::X, 0.3, -1.0), &below, 1.0, 1.0), None);
    }

    #[test]
    fn an_edge_rises_by_the_height_above_the_corners_beside_it() {
        // Sides fall by 0.02 m over 1 m: half the sum of the normals is shorter than 1 by 2e-4.
        let ridge = roof(Vec3::X, 0.3, 0.02);
        assert!(ridge.is_flat() && (ridge.rise() - 0.02).abs() < 1e-5, "{}", ridge.rise());
        let hollow = EdgeGeometry { feature_edge: -ridge.feature_edge, ..ridge };
        assert_eq!(hollow.rise(), -ridge.rise());
        let plane = EdgeGeometry::new([-Vec3::Y, Vec3::Y], [Vec3::X, -Vec3::X], [Vec3::Z; 2]);
        assert_eq!(plane.rise(), 0.0);
        assert!(is_bent(0.02, 0.3) && !is_bent(0.02, 0.5) && !is_bent(0.0, 0.5));
    }

    #[test]
    fn swapping_the_edges_turns_the_normal() {
        let (keel, roof) = (roof(Vec3::X, 0.3, -1.0), roof(Vec3::Y, 0.0, 1.0));
        let there = edge_edge_gap(&keel, &roof, 1.0, 1.0).unwrap();
        let back = edge_edge_gap(&roof, &keel, 1.0, 1.0).unwrap();
        assert_eq!((back.s, back.t, back.gap), (there.t, there.s, there.gap));
        assert_eq!(back.normal, -there.normal);
    }
}
