//! Places of the copies that a pattern makes.

use std::collections::BTreeMap;

use pliant::math::{Quat, Vec3};

use super::{BuildError, vector};
use crate::diagnostic::DiagnosticKind;
use crate::random::Random;
use crate::spec::body::{Pattern, Turns};

/// Bodies of a scene at most.
pub const MOST_BODIES: f64 = 2e5;

/// Places tried for one body of a pile.
const MOST_TRIES: usize = 1000;

/// Where a copy goes, beside the place of the body itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Copy {
    /// m.
    pub shift: Vec3,
    /// Before the body's own rotation.
    pub turn: Quat,
}

impl Copy {
    /// The body itself.
    pub const PLAIN: Copy = Copy { shift: Vec3::ZERO, turn: Quat::IDENTITY };

    /// What is left of it in the plane z = 0: no height, and only the turn about z.
    pub fn in_plane(self) -> Copy {
        let (z, w) = (self.turn.z, self.turn.w);
        let length = (z * z + w * w).sqrt();
        let about_z = Quat::from_xyzw(0.0, 0.0, z / length, w / length);
        let turn = if length > 0.0 { about_z } else { Quat::IDENTITY };
        Copy { shift: Vec3::new(self.shift.x, self.shift.y, 0.0), turn }
    }
}

/// Copies that a pattern will make.
pub fn count(pattern: Option<&Pattern>) -> f64 {
    match pattern {
        None => 1.0,
        Some(Pattern::Grid { counts, count, .. }) => {
            let all: f64 = counts.iter().map(|n| f64::from(*n)).product();
            count.map_or(all, |most| all.min(f64::from(most)))
        }
        Some(Pattern::Pile { count, .. }) => f64::from(*count),
    }
}

/// All copies of a pattern; `radius` of the body around its origin, m, `stream` its number.
pub fn make(
    pattern: Option<&Pattern>,
    radius: f64,
    (scene_seed, stream): (u32, usize),
    path: &str,
) -> Result<Vec<Copy>, BuildError> {
    let copies = count(pattern);
    if copies == 0.0 {
        return Err(BuildError::value(path, "the pattern makes no copies"));
    }
    if copies > MOST_BODIES {
        let message = format!("the pattern makes {copies} copies: at most {MOST_BODIES}");
        return Err(BuildError::new(DiagnosticKind::TooLarge, path, message));
    }
    match pattern {
        None => Ok(vec![Copy::PLAIN]),
        Some(Pattern::Grid { counts, spacing, jitter, rotations, seed, .. }) => {
            if *jitter < 0.0 {
                let message = format!("the jitter is {jitter} m: it must be at least 0");
                return Err(BuildError::value(format!("{path}.jitter"), message));
            }
            let random = Random::new(seed.unwrap_or(scene_seed), stream);
            let all = grid(*counts, vector(*spacing), (*jitter, *rotations), random);
            Ok(all.take(copies as usize).collect())
        }
        Some(Pattern::Pile { count, size, seed }) => {
            let random = Random::new(seed.unwrap_or(scene_seed), stream);
            pile(*count as usize, vector(*size), radius, random)
                .map_err(|message| BuildError::value(path, message))
        }
    }
}

/// Places of a lattice one after the other, x fastest.
fn grid(
    [nx, ny, nz]: [u32; 3],
    spacing: Vec3,
    (jitter, turns): (f64, Turns),
    mut random: Random,
) -> impl Iterator<Item = Copy> {
    let middle = |k: u32, count: u32| f64::from(k) - 0.5 * f64::from(count - 1);
    let columns = move |k: u32| (0..ny).flat_map(move |j| (0..nx).map(move |i| [i, j, k]));
    (0..nz).flat_map(columns).map(move |[i, j, k]| {
        let place = Vec3::new(middle(i, nx), middle(j, ny), middle(k, nz));
        let shift = place * spacing + jitter * random.in_cube();
        let turn = match turns {
            Turns::Alike => Quat::IDENTITY,
            Turns::Random => random.rotation(),
        };
        Copy { shift, turn }
    })
}

/// Random places, each far enough from those before.
fn pile(count: usize, size: Vec3, radius: f64, mut random: Random) -> Result<Vec<Copy>, String> {
    let mut room = 0.5 * size - Vec3::splat(radius);
    if size.z == 0.0 {
        room.z = 0.0;
    }
    if !(room.min_element() >= 0.0 && room.is_finite()) {
        return Err(format!("a body of radius {radius} m does not fit into a box of {size} m"));
    }
    // Cells as wide as two radii: what is too near lies in a cell next door.
    let cell_of = |place: Vec3| (place / (2.0 * radius)).floor().to_array().map(|c| c as i64);
    let mut cells: BTreeMap<[i64; 3], Vec<Vec3>> = BTreeMap::new();
    let mut copies = Vec::with_capacity(count);
    for index in 0..count {
        let mut tries = (0..MOST_TRIES).map(|_| room * random.in_cube());
        let free = |place: &Vec3| {
            let [x, y, z] = cell_of(*place);
            let next_door = |c: i64| c.saturating_sub(1)..=c.saturating_add(1);
            let mut near = next_door(x)
                .flat_map(|i| next_door(y).flat_map(move |j| next_door(z).map(move |k| [i, j, k])));
            near.all(|cell| {
                let there = cells.get(&cell).into_iter().flatten();
                there.into_iter().all(|other| other.distance(*place) >= 2.0 * radius)
            })
        };
        let Some(shift) = tries.find(free) else {
            return Err(format!(
                "only {index} of {count} bodies of radius {radius} m found room in a box of {size} m"
            ));
        };
        cells.entry(cell_of(shift)).or_default().push(shift);
        copies.push(Copy { shift, turn: random.rotation() });
    }
    Ok(copies)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grid_lies_around_its_middle() {
        let spacing = Vec3::new(2.0, 5.0, 1.0);
        let lattice = |jitter: f64, turns: Turns| -> Vec<Copy> {
            grid([2, 1, 3], spacing, (jitter, turns), Random::new(0, 0)).collect()
        };
        let copies = lattice(0.0, Turns::Alike);
        let shifts: Vec<Vec3> = copies.iter().map(|copy| copy.shift).collect();
        assert_eq!(shifts.len(), 6);
        assert_eq!(shifts[0], Vec3::new(-1.0, 0.0, -1.0));
        assert_eq!(shifts[1], Vec3::new(1.0, 0.0, -1.0));
        assert_eq!(shifts[5], Vec3::new(1.0, 0.0, 1.0));
        let shaken = lattice(0.1, Turns::Alike);
        let off = shaken.iter().zip(&shifts).map(|(a, b)| (a.shift - *b).abs().max_element());
        let most = off.fold(0.0, f64::max);
        assert!(most > 0.01 && most <= 0.1, "{most}");
        assert!(copies.iter().all(|copy| copy.turn == Quat::IDENTITY));
        let turned = lattice(0.0, Turns::Random);
        assert!(turned.iter().zip(&shifts).all(|(copy, shift)| copy.shift == *shift));
        assert!(turned.windows(2).all(|pair| pair[0].turn != pair[1].turn));
    }

    #[test]
    fn a_grid_may_end_within_a_layer() {
        let some = |count: u32| Pattern::Grid {
            counts: [4, 4, u32::MAX],
            spacing: [1.0; 3],
            count: Some(count),
            jitter: 0.0,
            rotations: Turns::Alike,
            seed: None,
        };
        let copies = make(Some(&some(18)), 1.0, (0, 0), "p").unwrap();
        assert_eq!(copies.len(), 18);
        assert_eq!(copies[17].shift - copies[0].shift, Vec3::new(1.0, 0.0, 1.0));
        assert!(make(Some(&some(0)), 1.0, (0, 0), "p").unwrap_err().message.contains("no copies"));
    }

    #[test]
    fn bodies_of_a_pile_keep_apart_and_within() {
        let (size, radius) = (Vec3::new(2.0, 2.0, 4.0), 0.2);
        let copies = pile(60, size, radius, Random::new(3, 0)).unwrap();
        for (k, a) in copies.iter().enumerate() {
            assert!((a.shift.abs() + radius).cmple(0.5 * size).all(), "{a:?}");
            assert!(copies[..k].iter().all(|b| a.shift.distance(b.shift) >= 2.0 * radius));
        }
        assert_eq!(copies, pile(60, size, radius, Random::new(3, 0)).unwrap());
        assert_ne!(copies, pile(60, size, radius, Random::new(4, 0)).unwrap());
    }

    #[test]
    fn copies_in_the_plane_turn_about_z_alone() {
        let copies = pile(20, Vec3::new(4.0, 4.0, 0.0), 0.2, Random::new(3, 0)).unwrap();
        for copy in copies.iter().map(|copy| copy.in_plane()) {
            assert_eq!((copy.shift.z, (copy.turn * Vec3::X).z), (0.0, 0.0));
            assert!(copy.turn.is_normalized() && copy.turn.z != 0.0);
        }
    }

    #[test]
    fn what_does_not_fit_is_told() {
        let told = pile(1000, Vec3::ONE, 0.2, Random::new(0, 0)).unwrap_err();
        assert!(told.starts_with("only ") && told.contains("of 1000 bodies"), "{told}");
        assert!(pile(1, Vec3::ONE, 0.6, Random::new(0, 0)).unwrap_err().contains("does not fit"));
        let many = Pattern::Grid {
            counts: [u32::MAX; 3],
            spacing: [1.0; 3],
            count: None,
            jitter: 0.0,
            rotations: Turns::Alike,
            seed: None,
        };
        let told = make(Some(&many), 1.0, (0, 0), "p").unwrap_err();
        assert_eq!(told.kind, DiagnosticKind::TooLarge);
        assert!(told.message.contains("makes 79228162458924"), "{}", told.message);
    }
}
