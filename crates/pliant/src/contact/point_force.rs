//! Forces of contact points at the end of a step, matched by place in the next.
//!
//! Features are no names for the points of rigid bodies: where edges lie on edges, which two are
//! nearest changes by rounding. Places do not.

use crate::contact::{Contact, Feature};
use crate::id::BodyId;
use crate::math::Vec3;
use crate::snapshot::{Snapshot, SnapshotError};

/// Part of a snapshot.
const PART: &str = "contact points";

/// Which two sides a contact is between: two bodies, ascending, or a body and an obstacle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PairKey {
    pub first: BodyId,
    pub second: Option<BodyId>,
    /// 0 between bodies.
    pub obstacle: u32,
}

impl PairKey {
    /// The pair of a contact.
    pub fn of(contact: &Contact) -> PairKey {
        let (a, b) = contact.bodies;
        match (b, contact.feature) {
            (Some(b), _) => PairKey { first: a.min(b), second: Some(a.max(b)), obstacle: 0 },
            (None, Feature::VertexObstacle(_, obstacle)) => {
                PairKey { first: a, second: None, obstacle }
            }
            (None, _) => PairKey { first: a, second: None, obstacle: 0 },
        }
    }
}

/// Force of one point of a pair of rigid bodies, or of one and an obstacle, on the first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointForce {
    pub pair: PairKey,
    /// From the centre of the first body at the end of the step, world axes, m.
    pub arm: Vec3,
    /// Along the normal, N; positive.
    pub normal: f64,
    /// In the plane, world axes, N.
    pub tangent: Vec3,
    /// Share of the moment about the normal, N·m.
    pub twist: f64,
    /// How long the pair has pressed here, s.
    pub age: f64,
    /// Whether its patch did anything but stick in the step.
    pub has_slipped: bool,
}

/// Writes a list.
pub(crate) fn save(list: &[PointForce], memory: &mut Snapshot) {
    memory.write(list.len() as f64);
    for point in list {
        let PointForce { pair, arm, normal, tangent, twist, age, has_slipped } = *point;
        memory.write(f64::from(pair.first.0));
        memory.write(pair.second.map_or(-1.0, |body| f64::from(body.0)));
        memory.write(f64::from(pair.obstacle));
        [arm, tangent].iter().flat_map(|v| v.to_array()).for_each(|number| memory.write(number));
        [normal, twist, age].iter().for_each(|number| memory.write(*number));
        memory.write(f64::from(u8::from(has_slipped)));
    }
}

/// Reads what [`save`] wrote.
pub(crate) fn restore(
    list: &mut Vec<PointForce>,
    memory: &mut Snapshot,
) -> Result<(), SnapshotError> {
    list.clear();
    let count = memory.read(PART)?;
    if !(count >= 0.0 && count.fract() == 0.0 && count <= memory.left() as f64) {
        return Err(SnapshotError { part: PART });
    }
    for _ in 0..count as usize {
        let mut read = || memory.read(PART);
        let (first, second, obstacle) = (read()?, read()?, read()?);
        let pair = PairKey {
            first: BodyId(first as u32),
            second: (second >= 0.0).then_some(BodyId(second as u32)),
            obstacle: obstacle as u32,
        };
        let arm = Vec3::new(read()?, read()?, read()?);
        let tangent = Vec3::new(read()?, read()?, read()?);
        let (normal, twist, age) = (read()?, read()?, read()?);
        let has_slipped = read()? != 0.0;
        list.push(PointForce { pair, arm, normal, tangent, twist, age, has_slipped });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_saved_is_read_again_and_a_cut_is_reported() {
        let pair = PairKey { first: BodyId(3), second: Some(BodyId(7)), obstacle: 0 };
        let point = PointForce {
            pair,
            arm: Vec3::new(0.1, 0.2, 0.3),
            normal: 4.0,
            tangent: Vec3::X,
            twist: -0.5,
            age: 1.5,
            has_slipped: true,
        };
        let on_floor = PairKey { second: None, obstacle: 2, ..pair };
        let list = vec![point, PointForce { pair: on_floor, has_slipped: false, ..point }];
        let mut memory = Snapshot::default();
        save(&list, &mut memory);
        let numbers = memory.numbers().to_vec();
        let mut again = Vec::new();
        restore(&mut again, &mut Snapshot::from_numbers(numbers.clone())).unwrap();
        assert_eq!(again, list);
        for cut in 0..numbers.len() {
            let short = &mut Snapshot::from_numbers(numbers[..cut].to_vec());
            assert!(restore(&mut again, short).is_err(), "{cut}");
        }
    }
}
