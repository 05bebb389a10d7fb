//! Gears with straight flanks that mesh with any other of the same module.
//!
//! | here       | meaning                                             |
//! |------------|-----------------------------------------------------|
//! | `module`   | diameter of the pitch circle over the teeth, m      |
//! | `backlash` | how much wider a gap is than a tooth there, m       |
//! | pitch circle | those of two gears touch where they mesh          |

use std::f64::consts::PI;

use super::{GenerateError, arc, around, check_count, check_length, check_range};
use pliant::math::Vec2;

/// How far teeth stand out of the pitch circle, over the module.
const ADDENDUM: f64 = 0.8;

/// How far gaps reach inside it, over the module.
const DEDENDUM: f64 = 1.0;

/// Half a tooth is so much narrower at its tip, and wider at its root, than between, over
/// the module.
const TAPER: f64 = 0.28;

/// Straight flanks pass each other with at least this backlash, over the module.
pub const LEAST_BACKLASH: f64 = 0.6;

/// With more backlash, over the module, teeth end in a point.
const MOST_BACKLASH: f64 = 1.8;

/// Largest bore over the distance of the gaps from the middle.
const WALL: f64 = 0.95;

/// Fewest teeth: two gears of six would jam.
const LEAST_TEETH: u32 = 7;

/// Parameters of a gear.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GearSettings {
    /// Number of teeth, at least 7.
    pub teeth: u32,
    /// Diameter of the pitch circle over the teeth, m.
    pub module: f64,
    /// How much wider gaps are than teeth at the pitch circle, m; 0.6 to 1.8 modules.
    pub backlash: f64,
    /// A hole in the middle, if any.
    pub bore: Option<Bore>,
}

/// A hole in the middle of a gear.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bore {
    /// From the middle to its points, m.
    pub radius: f64,
    /// Number of its points, at least 3.
    pub points: u32,
}

/// A gear about the origin with the first tooth on the x axis; a bore is a second ring.
pub fn gear(settings: &GearSettings) -> Result<Vec<Vec<Vec2>>, GenerateError> {
    let GearSettings { teeth, module, backlash, bore } = *settings;
    check_count("teeth of the gear", teeth, LEAST_TEETH, 4)?;
    check_length("the module of the gear", module)?;
    let room = [LEAST_BACKLASH, MOST_BACKLASH].map(|limit| limit * module);
    check_range("the backlash of the gear in m", backlash, room)?;
    let half = 0.25 * (PI * module - backlash);
    let radius = pitch_radius(teeth, module);
    let (tip, root) = (radius + ADDENDUM * module, radius - DEDENDUM * module);
    let width = |half: f64, radius: f64| half / (2.0 * PI * radius);
    let tip_turn = width(half - TAPER * module, tip);
    let root_turn = width(half + TAPER * module, root);
    let mut rings = vec![Vec::with_capacity(4 * teeth as usize)];
    for tooth in 0..teeth {
        let middle = f64::from(tooth) / f64::from(teeth);
        let corners = [(root, -root_turn), (tip, -tip_turn), (tip, tip_turn), (root, root_turn)];
        rings[0].extend(corners.map(|(radius, turns)| radius * around(middle + turns)));
    }
    if let Some(Bore { radius, points }) = bore {
        check_count("points of the bore", points, 3, 1)?;
        check_length("the radius of the bore", radius)?;
        // Roots are joined by straight lines, which come nearest halfway between two.
        let chord = around(0.5 / f64::from(teeth) - root_turn).x * root;
        check_range("the radius of the bore in m", radius, [0.0, WALL * chord])?;
        let last = 1.0 - 1.0 / f64::from(points);
        rings.push(arc(Vec2::ZERO, radius, [0.0, last], points).collect());
    }
    Ok(rings)
}

/// Radius of the pitch circle, m; the centres of two that mesh are both radii apart.
pub fn pitch_radius(teeth: u32, module: f64) -> f64 {
    0.5 * f64::from(teeth) * module
}

/// How far a second gear is turned to mesh with a first, as a share of a whole turn.
///
/// `turned` is the first one's turn and `direction` the way from its centre to the second's,
/// both as shares of a whole turn: where the first has a tooth, the second has a gap.
pub fn meshing_turn(teeth: [u32; 2], turned: f64, direction: f64) -> f64 {
    let [first, second] = teeth.map(f64::from);
    // Teeth from the line between the centres to the first's first tooth.
    let phase = (direction - turned) * first;
    (direction + 0.5 - (0.5 - phase) / second).rem_euclid(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::tests::{check_simple, overlap, placed};

    fn usual(teeth: u32) -> GearSettings {
        GearSettings { teeth, module: 0.1, backlash: 0.062, bore: None }
    }

    #[test]
    fn gears_are_simple_with_and_without_a_bore() {
        for teeth in [7, 12, 100] {
            assert_eq!(check_simple(&gear(&usual(teeth)).unwrap()), 4 * teeth as usize);
            let bore = Some(Bore { radius: 0.1, points: 9 });
            let bored = gear(&GearSettings { bore, ..usual(teeth) }).unwrap();
            assert_eq!(check_simple(&bored), 4 * teeth as usize + 9);
        }
    }

    #[test]
    fn gears_that_mesh_are_free_at_every_angle_and_hold_each_other() {
        for teeth in [[7, 7], [11, 7], [7, 11], [8, 7], [40, 7], [30, 30]] {
            let [a, b] = teeth.map(|teeth| gear(&usual(teeth)).unwrap());
            let [radius_a, radius_b] = teeth.map(|teeth| pitch_radius(teeth, 0.1));
            let pitch = 1.0 / f64::from(teeth[1]);
            for step in 0..16 {
                let turned = f64::from(step) / 16.0 / f64::from(teeth[0]);
                let direction = 0.37 * f64::from(step);
                let by = (radius_a + radius_b) * around(direction);
                let meshing = meshing_turn(teeth, turned, direction);
                let a = placed(&a, turned, Vec2::ZERO);
                let meets = |more: f64| overlap(&a, &placed(&b, meshing + more * pitch, by));
                let free: Vec<bool> = (-20..=20).map(|k| !meets(f64::from(k) / 40.0)).collect();
                // Free somewhere near the right angle, and nowhere near half a pitch from it.
                assert!(free[14..=26].contains(&true), "{teeth:?} {step}: {free:?}");
                assert!(!free[..12].contains(&true), "{teeth:?} {step}: {free:?}");
                assert!(!free[29..].contains(&true), "{teeth:?} {step}: {free:?}");
            }
        }
    }

    #[test]
    fn a_gear_meshes_with_a_gap_where_the_other_has_a_tooth() {
        // Both unturned, side by side along x: the first has a tooth there, and so has the
        // second with an even number of teeth, hence half a pitch.
        assert_eq!(meshing_turn([8, 8], 0.0, 0.0), 0.5 - 0.0625);
        // A whole pitch of the first is a whole pitch back of the second.
        let [still, turned] = [0.0, 1.0 / 8.0].map(|turn| meshing_turn([8, 10], turn, 0.2));
        assert!((still - turned - 0.1).abs() < 1e-12);
    }

    #[test]
    fn numbers_without_a_gear_are_refused() {
        let refused = |settings| gear(&settings).is_err();
        assert!(refused(usual(6)));
        assert!(refused(usual(u32::MAX)));
        assert!(refused(GearSettings { module: 0.0, ..usual(8) }));
        assert!(refused(GearSettings { backlash: 0.05, ..usual(8) }));
        assert!(refused(GearSettings { bore: Some(Bore { radius: 0.3, points: 9 }), ..usual(8) }));
        assert!(refused(GearSettings { bore: Some(Bore { radius: 0.1, points: 2 }), ..usual(8) }));
    }
}
