//! Rigid bodies that move in the plane z = 0: thin sheets, and solids on it.
//!
//! Their body axes are turned about z alone and their centre lies in the plane, so that a force
//! in the plane neither lifts nor tilts them, not even by rounding.

use crate::body::rigid::mass::MassProperties;
use crate::body::rigid::{RigidError, RigidState, RigidTemplate, check_finite};
use crate::math::{Mat3, Quat, Vec2, Vec3, unit_quat};

/// An area below this share of the square of the size is rounding.
const NO_AREA: f64 = 1e-14;

impl MassProperties {
    /// Mass properties of a sheet in the plane z = 0 within rings, of a density, kg/m².
    ///
    /// Every ring counts with its sign: counter-clockwise adds, a hole subtracts.
    pub fn from_rings(rings: &[Vec<Vec2>], density: f64) -> Result<MassProperties, RigidError> {
        if !(density > 0.0 && density.is_finite()) {
            return Err(RigidError::SheetDensity { density });
        }
        let Some(&from) = rings.iter().flatten().next() else {
            return Err(RigidError::Nothing { what: "rings" });
        };
        let triangles = |about: Vec2| {
            rings.iter().flat_map(move |ring| {
                let next = ring.iter().cycle().skip(1);
                ring.iter().zip(next).map(move |(a, b)| [*a - about, *b - about])
            })
        };
        let size = rings.iter().flatten().fold(0.0_f64, |most, p| most.max(p.distance(from)));
        let area: f64 = triangles(from).map(|[a, b]| 0.5 * a.perp_dot(b)).sum();
        // NaN is rejected too.
        let is_sound = area > NO_AREA * size * size;
        if !is_sound {
            return Err(RigidError::NoArea { area });
        }
        let weighed = triangles(from).map(|[a, b]| (a.perp_dot(b) / 6.0) * (a + b));
        let centre = from + weighed.sum::<Vec2>() / area;
        // Σ x², y² and xy over a triangle with a corner at the centre.
        let (mut xx, mut yy, mut xy) = (0.0, 0.0, 0.0);
        for [a, b] in triangles(centre) {
            let twelfth = a.perp_dot(b) / 12.0;
            xx += twelfth * (a.x * a.x + a.x * b.x + b.x * b.x);
            yy += twelfth * (a.y * a.y + a.y * b.y + b.y * b.y);
            xy += twelfth * (a.x * a.y + 0.5 * (a.x * b.y + b.x * a.y) + b.x * b.y);
        }
        let inertia = Mat3::from_cols(
            Vec3::new(yy, -xy, 0.0),
            Vec3::new(-xy, xx, 0.0),
            Vec3::new(0.0, 0.0, xx + yy),
        );
        MassProperties::new(density * area, centre.extend(0.0), density * inertia)
    }
}

impl RigidTemplate {
    /// A body with these vertices that moves in the plane z = 0, and its state at rest.
    ///
    /// Only the mass, the centre in the plane and the moment about z matter to such a motion; the
    /// plane carries what a body that leans would exert. So the centre counts as in the plane and z
    /// as a principal axis, whatever the shape.
    pub fn in_plane(
        positions: &[Vec3],
        properties: MassProperties,
    ) -> Result<(RigidTemplate, RigidState), RigidError> {
        check_finite(positions)?;
        let MassProperties { mass, centre, inertia } = properties.check()?;
        let centre = Vec3::new(centre.x, centre.y, 0.0);
        let (xx, yy, xy) = (inertia.x_axis.x, inertia.y_axis.y, inertia.x_axis.y);
        let (mean, split) = (0.5 * (xx + yy), 0.5 * (xx - yy));
        let spread = (split * split + xy * xy).sqrt();
        // The axes turn by half the angle of (split, xy), the quaternion by half of that.
        let (sin, cos) =
            halved(halved(if spread > 0.0 { (xy / spread, split / spread) } else { (0.0, 1.0) }));
        let turn = unit_quat(Quat::from_xyzw(0.0, 0.0, sin, cos)).unwrap_or(Quat::IDENTITY);
        let moments = Vec3::new(mean + spread, mean - spread, inertia.z_axis.z);
        let body_from_world = turn.conjugate();
        let points = positions.iter().map(|&p| body_from_world * (p - centre)).collect();
        let body = RigidTemplate { mass, moments, points };
        let state = RigidState { centre, turn, velocity: Vec3::ZERO, spin: Vec3::ZERO };
        Ok((body, state))
    }
}

/// Sine and cosine of half an angle, within half a turn of zero, from the whole's.
fn halved((sin, cos): (f64, f64)) -> (f64, f64) {
    let half_cos = (0.5 * (1.0 + cos)).max(0.0).sqrt();
    if half_cos > 0.0 { (0.5 * sin / half_cos, half_cos) } else { (1.0, 0.0) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::integrate::free_motion::FreeMotion;

    /// Sums of a handful of products of numbers below a hundred.
    const TOLERANCE: f64 = 1e-12;

    fn rectangle(centre: [f64; 2], size: [f64; 2]) -> Vec<Vec2> {
        let corners = [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)];
        corners.map(|(x, y)| Vec2::from(centre) + Vec2::from(size) * Vec2::new(x, y)).to_vec()
    }

    #[test]
    fn a_plate_has_the_contexts_of_the_formulary() {
        for centre in [[0.0, 0.0], [30.0, -7.0]] {
            let plate = MassProperties::from_rings(&[rectangle(centre, [3.0, 2.0])], 0.5).unwrap();
            assert!((plate.mass - 3.0).abs() < TOLERANCE); // 0.5 kg/m² · 6 m²
            assert!(plate.centre.abs_diff_eq(Vec2::from(centre).extend(0.0), TOLERANCE));
            // m b²/12, m a²/12 and their sum.
            let expected = Mat3::from_diagonal(Vec3::new(1.0, 2.25, 3.25));
            assert!(plate.inertia.abs_diff_eq(expected, 1e-11), "{}", plate.inertia);
        }
    }

    #[test]
    fn a_hole_takes_its_share_away() {
        let mut hole = rectangle([0.5, 0.0], [1.0, 1.0]);
        hole.reverse();
        let frame = MassProperties::from_rings(&[rectangle([0.0; 2], [4.0, 2.0]), hole], 1.0);
        let frame = frame.unwrap();
        assert!((frame.mass - 7.0).abs() < TOLERANCE);
        assert!((frame.centre.x + 0.5 / 7.0).abs() < TOLERANCE); // (8 · 0 − 1 · 0.5) / 7
        // About its own centre: 8 (16 + 4)/12 − (1/6 + 0.25) − 7 (0.5/7)².
        let about_z = 160.0 / 12.0 - 1.0 / 6.0 - 0.25 - 0.25 / 7.0;
        assert!((frame.inertia.z_axis.z - about_z).abs() < TOLERANCE);
    }

    #[test]
    fn what_has_no_area_is_refused() {
        let message = |rings: &[Vec<Vec2>], density| {
            MassProperties::from_rings(rings, density).unwrap_err().to_string()
        };
        let mut inside_out = rectangle([0.0; 2], [1.0; 2]);
        inside_out.reverse();
        assert!(message(&[inside_out], 1.0).starts_with("the rings surround -1 m²"));
        assert!(message(&[rectangle([0.0; 2], [1.0, 0.0])], 1.0).starts_with("the rings surround"));
        assert!(message(&[rectangle([0.0; 2], [1.0; 2])], -1.0).contains("-1 kg/m²"));
        assert_eq!(message(&[], 1.0), "the body has no rings");
    }

    #[test]
    fn flight_in_the_plane_stays_there_to_the_last_bit() {
        let ring = vec![Vec2::ZERO, Vec2::new(2.0, 0.3), Vec2::new(1.7, 1.1), Vec2::new(0.1, 0.9)];
        let positions: Vec<Vec3> = ring.iter().map(|p| p.extend(0.0)).collect();
        let properties = MassProperties::from_rings(&[ring], 2.0).unwrap();
        let (body, mut state) = RigidTemplate::in_plane(&positions, properties).unwrap();
        let turned = state.inertia(&body);
        assert!(turned.abs_diff_eq(properties.inertia, TOLERANCE), "{turned}");
        let energy = |state: &RigidState| state.kinetic(&body);
        state.push(&body, positions[1], Vec3::new(0.3, -1.7, 0.0));
        let before = energy(&state);
        let (mut places, mut speeds) = (positions.clone(), positions.clone());
        for _ in 0..1000 {
            FreeMotion::default().step(&body, &mut state, 0.01);
            state.write(&body, &mut places, &mut speeds);
            assert_eq!((state.centre.z, state.turn.x, state.turn.y), (0.0, 0.0, 0.0));
            assert!(places.iter().chain(&speeds).all(|v| v.z == 0.0));
        }
        assert!((energy(&state) - before).abs() < TOLERANCE * before);
        assert!(state.spin.z != 0.0 && (state.spin.x, state.spin.y) == (0.0, 0.0));
    }
}
