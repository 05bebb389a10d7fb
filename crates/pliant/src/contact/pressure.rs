//! The impulses of contacts, remembered from step to step by what is in contact.

use crate::contact::friction::friction;
use crate::contact::{Contact, Feature};
use crate::id::{BodyId, VertexId};
use crate::math::Vec3;
use crate::memory::{Memory, MemoryError};

/// The impulse of one contact.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pressure {
    /// Along the normal, N·s; not negative.
    pub normal: f64,
    /// Along the plane of contact, N·s; at most friction times `normal`.
    pub along: Vec3,
}

impl Pressure {
    /// The whole impulse on the first side, N·s.
    #[inline]
    pub fn impulse(&self, normal: Vec3) -> Vec3 {
        self.normal * normal + self.along
    }
}

/// What contacts pressed with in the last step.
#[derive(Clone, Debug, Default)]
pub struct Remembered {
    /// Ascending by feature.
    list: Vec<(Feature, Pressure)>,
    /// Length of the step they are of, s.
    dt: f64,
}

impl Remembered {
    /// Fills `pressures` with what each contact pressed with, 0 for a new one.
    ///
    /// Contacts ascend by feature. What lay along the old plane is laid into the new one, and
    /// a step of another length has impulses in proportion.
    pub fn recall(&self, contacts: &[Contact], dt: f64, pressures: &mut Vec<Pressure>) {
        pressures.clear();
        let scale = if self.dt > 0.0 { dt / self.dt } else { 1.0 };
        let mut old = self.list.iter().peekable();
        for contact in contacts {
            while old.next_if(|(feature, _)| *feature < contact.feature).is_some() {}
            let known = old.next_if(|(feature, _)| *feature == contact.feature);
            let mut pressure = known.map_or_else(Pressure::default, |(_, pressure)| *pressure);
            (pressure.normal, pressure.along) = (scale * pressure.normal, scale * pressure.along);
            pressure.along -= pressure.along.dot(contact.normal) * contact.normal;
            pressure.along = friction(pressure.along, pressure.normal, contact.friction);
            pressures.push(pressure);
        }
    }

    /// Keeps what contacts press with in a step of `dt` seconds.
    pub fn keep(&mut self, contacts: &[Contact], pressures: &[Pressure], dt: f64) {
        self.dt = dt;
        self.list.clear();
        let all = contacts.iter().zip(pressures);
        let pressing = all.filter(|(_, pressure)| pressure.normal > 0.0);
        self.list.extend(pressing.map(|(contact, pressure)| (contact.feature, *pressure)));
    }

    /// Writes all, for a run that is taken up again.
    pub fn save(&self, memory: &mut Memory) {
        memory.write(self.list.len() as f64);
        memory.write(self.dt);
        for (feature, pressure) in &self.list {
            let [kind, a, b] = match *feature {
                Feature::VertexBody(vertex, body) => [0, vertex.0, body.0],
                Feature::EdgeEdge(a, b) => [1, a, b],
                Feature::VertexObstacle(vertex, obstacle) => [2, vertex.0, obstacle],
            };
            [kind, a, b].iter().for_each(|number| memory.write(f64::from(*number)));
            memory.write(pressure.normal);
            pressure.along.to_array().iter().for_each(|number| memory.write(*number));
        }
    }

    /// Reads what [`Remembered::save`] wrote.
    pub fn restore(&mut self, memory: &mut Memory) -> Result<(), MemoryError> {
        self.list.clear();
        let count = memory.read("contacts")?;
        if !(count >= 0.0 && count.fract() == 0.0) {
            return Err(MemoryError { part: "contacts" });
        }
        self.dt = memory.read("contacts")?;
        let mut left = count;
        while left > 0.0 {
            let mut number = || memory.read("contacts");
            let (kind, a, b) = (number()?, number()? as u32, number()? as u32);
            let normal = number()?;
            let along = Vec3::new(number()?, number()?, number()?);
            let feature = match kind as u32 {
                0 => Feature::VertexBody(VertexId(a), BodyId(b)),
                1 => Feature::EdgeEdge(a, b),
                _ => Feature::VertexObstacle(VertexId(a), b),
            };
            self.list.push((feature, Pressure { normal, along }));
            left -= 1.0;
        }
        Ok(())
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

    fn pressing(normal: f64, along: Vec3) -> Pressure {
        Pressure { normal, along }
    }

    #[test]
    fn contacts_are_known_again_by_what_they_are_between() {
        let mut remembered = Remembered::default();
        let before = [1, 3, 4].map(|vertex| contact(vertex, Vec3::Z));
        let pressures = [1.0, 0.0, 4.0].map(|normal| pressing(normal, Vec3::ZERO));
        remembered.keep(&before, &pressures, DT);
        let mut recalled = Vec::new();
        remembered.recall(&[0, 1, 2, 4, 5].map(|v| contact(v, Vec3::Z)), DT, &mut recalled);
        assert_eq!(
            recalled.iter().map(|p| p.normal).collect::<Vec<_>>(),
            [0.0, 1.0, 0.0, 4.0, 0.0]
        );
    }

    #[test]
    fn friction_is_laid_into_the_new_plane_and_cut_to_its_cone() {
        let mut remembered = Remembered::default();
        remembered.keep(&[contact(0, Vec3::Z)], &[pressing(2.0, Vec3::new(3.0, 0.0, 0.0))], DT);
        let mut recalled = Vec::new();
        // 0.5 · 2 N·s of the 3 are allowed.
        remembered.recall(&[contact(0, Vec3::Z)], DT, &mut recalled);
        assert_eq!(recalled, [pressing(2.0, Vec3::X)]);
        remembered.recall(&[contact(0, Vec3::X)], DT, &mut recalled);
        assert_eq!(recalled, [pressing(2.0, Vec3::ZERO)]);
        // In half the time half as much.
        remembered.recall(&[contact(0, Vec3::Z)], 0.5 * DT, &mut recalled);
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
        let pressures = [1.0, 2.0, 3.0].map(|normal| pressing(normal, 0.1 * normal * Vec3::X));
        let mut remembered = Remembered::default();
        remembered.keep(&contacts, &pressures, DT);
        let mut memory = Memory::default();
        remembered.save(&mut memory);
        let numbers = memory.numbers().to_vec();
        let mut again = Remembered::default();
        again.restore(&mut Memory::from_numbers(numbers.clone())).unwrap();
        assert_eq!(again.list, remembered.list);
        for cut in 0..numbers.len() {
            let short = &mut Memory::from_numbers(numbers[..cut].to_vec());
            assert!(again.restore(short).is_err(), "{cut}");
        }
    }
}
