//! Contact impulses, and their warm start from step to step by feature.

use crate::contact::friction::friction;
use crate::contact::point_force::{self, PointForce};
use crate::contact::{Contact, Feature};
use crate::id::{BodyId, VertexId};
use crate::math::Vec3;
use crate::snapshot::{Snapshot, SnapshotError};

/// The impulse of one contact.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactImpulse {
    /// Along the normal, N·s; not negative.
    pub normal: f64,
    /// In the tangent plane, N·s; at most friction times `normal`.
    pub tangent: Vec3,
}

impl ContactImpulse {
    /// The whole impulse on the first side, N·s.
    #[inline]
    pub fn impulse(&self, normal: Vec3) -> Vec3 {
        self.normal * normal + self.tangent
    }
}

/// Contact impulses of the last step, as a warm start.
#[derive(Clone, Debug, Default)]
pub struct WarmStart {
    /// Ascending by feature.
    list: Vec<(Feature, ContactImpulse)>,
    /// Length of that step, s.
    dt: f64,
    /// Forces of the points of rigid bodies.
    points: Vec<PointForce>,
}

impl WarmStart {
    /// Warm start: fills `row_impulses` from the last step, with 0 for a new contact.
    ///
    /// Contacts ascend by feature. Tangential impulses are projected from the old tangent plane to
    /// the new one, and impulses scale with the length of the step.
    pub fn load(&self, contacts: &[Contact], dt: f64, row_impulses: &mut Vec<ContactImpulse>) {
        row_impulses.clear();
        let scale = if self.dt > 0.0 { dt / self.dt } else { 1.0 };
        let mut old = self.list.iter().peekable();
        for contact in contacts {
            while old.next_if(|(feature, _)| *feature < contact.feature).is_some() {}
            let known = old.next_if(|(feature, _)| *feature == contact.feature);
            let mut row_impulse =
                known.map_or_else(ContactImpulse::default, |(_, row_impulse)| *row_impulse);
            (row_impulse.normal, row_impulse.tangent) =
                (scale * row_impulse.normal, scale * row_impulse.tangent);
            row_impulse.tangent -= row_impulse.tangent.dot(contact.normal) * contact.normal;
            row_impulse.tangent =
                friction(row_impulse.tangent, row_impulse.normal, contact.friction);
            row_impulses.push(row_impulse);
        }
    }

    /// Stores the contact impulses of a step of `dt` seconds.
    pub fn store(&mut self, contacts: &[Contact], row_impulses: &[ContactImpulse], dt: f64) {
        self.dt = dt;
        self.list.clear();
        let all = contacts.iter().zip(row_impulses);
        let pressing = all.filter(|(_, row_impulse)| row_impulse.normal > 0.0);
        self.list.extend(pressing.map(|(contact, row_impulse)| (contact.feature, *row_impulse)));
    }

    /// Fills `points` with the forces of the last step.
    pub(crate) fn load_points(&self, points: &mut Vec<PointForce>) {
        points.clone_from(&self.points);
    }

    /// Stores the forces of a step.
    pub(crate) fn store_points(&mut self, points: &[PointForce]) {
        self.points.clear();
        self.points.extend_from_slice(points);
    }

    /// The same impulses where features have other numbers; those that are gone are left out.
    pub fn renumbered(&self, renumber: impl Fn(Feature) -> Option<Feature>) -> WarmStart {
        let known = self.list.iter();
        let mut list: Vec<_> =
            known.filter_map(|(feature, impulse)| Some((renumber(*feature)?, *impulse))).collect();
        list.sort_by_key(|(feature, _)| *feature);
        WarmStart { list, dt: self.dt, points: Vec::new() }
    }

    /// Writes all, for a run that is resumed.
    pub(crate) fn save(&self, memory: &mut Snapshot) {
        memory.write(self.list.len() as f64);
        memory.write(self.dt);
        for (feature, row_impulse) in &self.list {
            let [kind, a, b] = match *feature {
                Feature::VertexBody(vertex, body) => [0, vertex.0, body.0],
                Feature::EdgeEdge(a, b) => [1, a, b],
                Feature::VertexObstacle(vertex, obstacle) => [2, vertex.0, obstacle],
            };
            [kind, a, b].iter().for_each(|number| memory.write(f64::from(*number)));
            memory.write(row_impulse.normal);
            row_impulse.tangent.to_array().iter().for_each(|number| memory.write(*number));
        }
        point_force::save(&self.points, memory);
    }

    /// Reads what [`WarmStart::save`] wrote.
    pub(crate) fn restore(&mut self, memory: &mut Snapshot) -> Result<(), SnapshotError> {
        self.list.clear();
        let count = memory.read("contacts")?;
        if !(count >= 0.0 && count.fract() == 0.0) {
            return Err(SnapshotError { part: "contacts" });
        }
        self.dt = memory.read("contacts")?;
        let mut left = count;
        while left > 0.0 {
            let mut number = || memory.read("contacts");
            let (kind, a, b) = (number()?, number()? as u32, number()? as u32);
            let normal = number()?;
            let tangent = Vec3::new(number()?, number()?, number()?);
            let feature = match kind as u32 {
                0 => Feature::VertexBody(VertexId(a), BodyId(b)),
                1 => Feature::EdgeEdge(a, b),
                _ => Feature::VertexObstacle(VertexId(a), b),
            };
            self.list.push((feature, ContactImpulse { normal, tangent }));
            left -= 1.0;
        }
        point_force::restore(&mut self.points, memory)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::resting;

    const DT: f64 = 0.25;

    fn contact(vertex: u32, normal: Vec3) -> Contact {
        let feature = Feature::VertexObstacle(VertexId(vertex), 0);
        Contact { feature, normal, friction: 0.5, ..resting(VertexId(vertex)) }
    }

    fn pressing(normal: f64, tangent: Vec3) -> ContactImpulse {
        ContactImpulse { normal, tangent }
    }

    #[test]
    fn contacts_are_known_again_by_what_they_are_between() {
        let mut remembered = WarmStart::default();
        let before = [1, 3, 4].map(|vertex| contact(vertex, Vec3::Z));
        let row_impulses = [1.0, 0.0, 4.0].map(|normal| pressing(normal, Vec3::ZERO));
        remembered.store(&before, &row_impulses, DT);
        let mut recalled = Vec::new();
        remembered.load(&[0, 1, 2, 4, 5].map(|v| contact(v, Vec3::Z)), DT, &mut recalled);
        assert_eq!(
            recalled.iter().map(|p| p.normal).collect::<Vec<_>>(),
            [0.0, 1.0, 0.0, 4.0, 0.0]
        );
    }

    #[test]
    fn friction_is_laid_into_the_new_plane_and_cut_to_its_cone() {
        let mut remembered = WarmStart::default();
        remembered.store(&[contact(0, Vec3::Z)], &[pressing(2.0, Vec3::new(3.0, 0.0, 0.0))], DT);
        let mut recalled = Vec::new();
        // 0.5 · 2 N·s of the 3 are allowed.
        remembered.load(&[contact(0, Vec3::Z)], DT, &mut recalled);
        assert_eq!(recalled, [pressing(2.0, Vec3::X)]);
        remembered.load(&[contact(0, Vec3::X)], DT, &mut recalled);
        assert_eq!(recalled, [pressing(2.0, Vec3::ZERO)]);
        // Half the step, half the impulse.
        remembered.load(&[contact(0, Vec3::Z)], 0.5 * DT, &mut recalled);
        assert_eq!(recalled, [pressing(1.0, 0.5 * Vec3::X)]);
    }

    #[test]
    fn what_was_saved_is_read_again_and_a_cut_is_told() {
        let features = [
            Feature::VertexBody(VertexId(7), BodyId(2)),
            Feature::EdgeEdge(3, 9),
            Feature::VertexObstacle(VertexId(1), 4),
        ];
        let contacts = features.map(|feature| Contact { feature, ..contact(0, Vec3::Z) });
        let row_impulses = [1.0, 2.0, 3.0].map(|normal| pressing(normal, 0.1 * normal * Vec3::X));
        let mut remembered = WarmStart::default();
        remembered.store(&contacts, &row_impulses, DT);
        let mut memory = Snapshot::default();
        remembered.save(&mut memory);
        let numbers = memory.numbers().to_vec();
        let mut again = WarmStart::default();
        again.restore(&mut Snapshot::from_numbers(numbers.clone())).unwrap();
        assert_eq!(again.list, remembered.list);
        for cut in 0..numbers.len() {
            let short = &mut Snapshot::from_numbers(numbers[..cut].to_vec());
            assert!(again.restore(short).is_err(), "{cut}");
        }
    }
}
