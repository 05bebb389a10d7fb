//! Which tets are inverted now, computed body by body on demand.
//!
//! Four tets at once are tested in f32; only those that may be inverted are decided
//! exactly. With u = 2⁻²⁴, coordinates up to R from the origin and edges up to s: a
//! coordinate of an edge is the difference of two rounded numbers and off by
//! d = 2uR + us. The determinant of three edges sums six products of three such
//! coordinates, each off by 3ds² and by the rounding of two products and three sums,
//! 5us³: 18ds² + 30us³ = 36uRs² + 48us³ in all, which the constants below exceed by a
//! third. What an operation loses below the smallest f32 does not count while s is at
//! least [`SMALLEST`] and R above s: then the doubt is more than 2⁻¹⁰⁵.

use crate::body::Bodies;
use crate::detect::clusters::Fit;
use crate::id::{BodyId, TetId, VertexId};
use crate::math::{Mat4, Vec3, Vec4, orient3d};

/// Doubt about a determinant, relative to Rs²: 48u.
const PLACE_DOUBT: f32 = 24.0 * f32::EPSILON;

/// Doubt about a determinant, relative to s³: 64u.
const SIZE_DOUBT: f32 = 32.0 * f32::EPSILON;

/// Smaller tets are decided exactly, m.
const SMALLEST: f32 = 1.0 / (1_u64 << 28) as f32;

/// Tets looked at together.
const LANES: usize = 4;

/// The inverted tets of the bodies that were queried in this step.
#[derive(Clone, Debug, Default)]
pub(crate) struct Inverted {
    /// Step in which each body was last queried.
    stamps: Vec<u32>,
    /// First and one past the last entry of `tets` of each body, in that step.
    spans: Vec<[u32; 2]>,
    tets: Vec<TetId>,
    step: u32,
}

impl Inverted {
    /// Invalidates everything, as the vertices have moved.
    pub(crate) fn start(&mut self, body_count: usize) {
        self.step = self.step.wrapping_add(1);
        self.tets.clear();
        if self.stamps.len() != body_count || self.step == 0 {
            self.stamps = vec![0; body_count];
            self.spans = vec![[0; 2]; body_count];
            self.step = 1;
        }
    }

    /// Every tet of a body with negative volume, exactly; ascending.
    ///
    /// Visits every tet of the body at its first query in a step.
    pub(crate) fn of_body(
        &mut self,
        body: BodyId,
        positions: &[Vec3],
        bodies: &Bodies,
        fit: &Fit,
    ) -> &[TetId] {
        if self.stamps[body.index()] != self.step {
            self.stamps[body.index()] = self.step;
            let start = self.tets.len() as u32;
            self.look(body, positions, bodies, fit);
            self.spans[body.index()] = [start, self.tets.len() as u32];
        }
        let [start, end] = self.spans[body.index()];
        &self.tets[start as usize..end as usize]
    }

    fn look(&mut self, body: BodyId, positions: &[Vec3], bodies: &Bodies, fit: &Fit) {
        let range = bodies.tets_of(body);
        let all = &bodies.tets()[range.clone()];
        let place_doubt = PLACE_DOUBT * fit.bodies[body.index()].reach();
        let (fours, rest) = all.as_chunks::<LANES>();
        for (index, four) in fours.iter().enumerate() {
            let mut mask = doubtful(four, &fit.points, place_doubt);
            while mask != 0 {
                let place = index * LANES + mask.trailing_zeros() as usize;
                self.decide(range.start + place, all[place], positions);
                mask &= mask - 1;
            }
        }
        for (place, &tet) in (fours.len() * LANES..).zip(rest) {
            self.decide(range.start + place, tet, positions);
        }
    }

    fn decide(&mut self, index: usize, tet: [VertexId; 4], positions: &[Vec3]) {
        let [v0, v1, v2, v3] = tet.map(|v| positions[v.index()]);
        if orient3d(v0, v1, v2, v3) < 0.0 {
            self.tets.push(TetId(index as u32));
        }
    }
}

/// One bit for each tet that is not certainly positive.
#[inline]
fn doubtful(tets: &[[VertexId; 4]; LANES], points: &[Vec4], place_doubt: f32) -> u32 {
    let [t0, t1, t2, t3] = tets;
    let corner = |tet: &[VertexId; 4], end: usize| points[tet[end].index()];
    let (o0, o1, o2, o3) = (corner(t0, 0), corner(t1, 0), corner(t2, 0), corner(t3, 0));
    // Lanes are tets: the first coordinates of an edge of all four, then the second.
    let edge = |end: usize| {
        let (a, b) = (corner(t0, end) - o0, corner(t1, end) - o1);
        let (c, d) = (corner(t2, end) - o2, corner(t3, end) - o3);
        let lanes = Mat4::from_cols(a, b, c, d).transpose();
        (lanes.x_axis, lanes.y_axis, lanes.z_axis)
    };
    let ((ax, ay, az), (bx, by, bz), (cx, cy, cz)) = (edge(1), edge(2), edge(3));
    let det = ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx);
    let size = |x: Vec4, y: Vec4, z: Vec4| x.abs().max(y.abs()).max(z.abs());
    let size = size(ax, ay, az).max(size(bx, by, bz)).max(size(cx, cy, cz));
    let doubt = (size * size) * (size * SIZE_DOUBT + place_doubt);
    let certain = det.cmpgt(doubt) & size.cmpge(Vec4::splat(SMALLEST));
    !certain.bitmask() & 0b1111
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detect::clusters::Clusters;
    use crate::math::random::Random;

    /// Inverted tets of one body.
    fn inverted(positions: &[Vec3], tets: &[[u32; 4]]) -> Vec<u32> {
        let tets: Vec<_> = tets.iter().map(|tet| tet.map(VertexId)).collect();
        let bodies = Bodies::from_tets(&[(positions.len(), &tets)]).unwrap();
        let (mut fit, mut found) = (Fit::default(), Inverted::default());
        Clusters::new(positions, &bodies).refit(positions, &mut fit);
        found.start(1);
        let first = found.of_body(BodyId(0), positions, &bodies, &fit).to_vec();
        assert_eq!(found.of_body(BodyId(0), positions, &bodies, &fit), first);
        first.iter().map(|tet| tet.0).collect()
    }

    #[test]
    fn signs_are_exact_where_rounding_hides_them() {
        for (z, expected) in [(1.0, 0), (f64::EPSILON, 0), (0.0, 0), (-f64::EPSILON, 1), (-1.0, 1)]
        {
            let lift = Vec3::new(0.3, 0.3, 1e3 * z);
            let positions =
                [Vec3::ZERO, Vec3::X, Vec3::Y, lift].map(|p| p + Vec3::new(7.0, 5.0, 0.0));
            assert_eq!(inverted(&positions, &[[0, 1, 2, 3]]).len(), expected, "{z}");
        }
    }

    #[test]
    fn four_at_once_are_found_like_one_at_any_size_and_place() {
        // A fan of tets over one edge; the apexes of some are pushed through the floor.
        for (scale, centre) in [(1.0, 0.0), (1e-9, 0.0), (1e-9, 1.0), (1e-30, 0.0), (1e9, 1e15)] {
            for step in [1.0, 1e-3, 1e-7, 1e-9] {
                let (mut positions, mut tets, mut expected) = (Vec::new(), Vec::new(), Vec::new());
                for tet in 0..23_u32 {
                    let tip = step * if tet % 3 == 1 { -1.0 } else { 1.0 };
                    let away = Vec3::X * f64::from(5 * tet);
                    let tip = Vec3::new(0.3, 0.3, tip);
                    let own = [Vec3::ZERO, Vec3::X, Vec3::Y, tip];
                    positions.extend(own.map(|p| centre + scale * (p + away)));
                    let tet = [0, 1, 2, 3].map(|corner| 4 * tet + corner);
                    let [v0, v1, v2, v3] = tet.map(|v| positions[v as usize]);
                    if orient3d(v0, v1, v2, v3) < 0.0 {
                        expected.push(tet[0] / 4);
                    }
                    tets.push(tet);
                }
                assert_eq!(inverted(&positions, &tets), expected, "{scale} {centre} {step}");
            }
        }
    }

    #[test]
    fn flat_tets_are_told_apart_however_they_lie() {
        let mut random = Random::new(1);
        for (place, flat) in [(0.0, 1e-7), (0.0, 1e-6), (300.0, 1e-5), (3e4, 1e-3), (3e4, 1e-12)] {
            // The first vertex is the origin; the tets are elsewhere.
            let mut positions = vec![Vec3::ZERO];
            let mut tets = Vec::new();
            for tet in 0..2000 {
                let mut point = || random.point() + place;
                let (a, b, c, d) = (point(), point(), point(), point());
                positions.extend([a, b, c, (a + b + c) / 3.0 + flat * (d - a)]);
                tets.push([1, 2, 3, 4].map(|corner| 4 * tet + corner));
            }
            let is_negative = |tet: &u32| {
                let [v0, v1, v2, v3] = tets[*tet as usize].map(|v: u32| positions[v as usize]);
                orient3d(v0, v1, v2, v3) < 0.0
            };
            let expected: Vec<u32> = (0..2000).filter(is_negative).collect();
            assert!((500..1500).contains(&expected.len()));
            assert_eq!(inverted(&positions, &tets), expected, "{place} {flat}");
        }
    }

    #[test]
    fn a_volume_that_rounds_to_the_wrong_side_is_seen_through() {
        let mut random = Random::new(5);
        let mut wrong = 0;
        for _ in 0..2000 {
            let [a, b, c] = [(); 3].map(|()| random.point());
            // In the plane of the others but for rounding.
            let d = a + random.unit() * (b - a) + random.unit() * (c - a);
            let positions = [a, b, c, d];
            let exact = orient3d(a, b, c, d);
            wrong += usize::from(exact < 0.0 && (b - a).dot((c - a).cross(d - a)) > 0.0);
            let found = inverted(&positions, &[[0, 1, 2, 3]]).len();
            assert_eq!(found, usize::from(exact < 0.0), "{positions:?}");
        }
        assert!(wrong > 10, "{wrong}");
    }
}
