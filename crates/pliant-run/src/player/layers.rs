//! What lies over the bodies of a packed run: fields as colours, arrows as overlays.

use pliant::math::Vec3;
use serde::Serialize;

use super::frames::Grid;
use super::penetration::Inside;
use super::varint;
use crate::report::text::number;
use crate::run::contacts::ContactRow;

/// Levels of depths between the least and the largest value.
const FINE: u16 = 65_535;

/// Levels of fields of the recording: more than colours show, in fewer bytes.
const COARSE: u16 = 4_095;

/// Length of the normals of contacts, relative to the diagonal of the bodies.
const NORMAL: f64 = 0.03;

/// Length of the arrow of a large force, relative to the diagonal of the bodies.
const FORCE: f64 = 0.15;

/// Of all forces, those above this part may have longer arrows.
const MOST: f64 = 0.99;

/// How the header describes a field.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HeaderField {
    name: &'static str,
    unit: &'static str,
    min: f64,
    max: f64,
    /// The level of `max`.
    levels: u16,
    /// Whether level 0 stands for values that are not known, and 1 for `min`.
    unknown: bool,
}

/// How the header describes an overlay.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HeaderOverlay {
    name: &'static str,
    /// What its arrows mean.
    note: String,
}

/// A number at every drawn vertex in every frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    name: &'static str,
    unit: &'static str,
    levels: u16,
    /// Frame by frame; as many as there are drawn vertices; NaN is not known.
    values: Vec<Vec<f32>>,
}

impl Field {
    /// Depth of every vertex, 0 outside; `recorded` ones where they are known.
    pub fn depth(
        inside: &[Vec<(Inside, Vec3)>],
        recorded: Option<Field>,
        vertices: usize,
    ) -> Field {
        let plain = || vec![vec![0.0; vertices]; inside.len()];
        let mut values = recorded.map_or_else(plain, |field| field.values);
        for (values, found) in values.iter_mut().zip(inside) {
            for (inside, _) in found {
                let value = &mut values[inside.vertex as usize];
                *value = if *value > 0.0 { *value } else { inside.depth as f32 };
            }
        }
        Field { name: "depth", unit: "m", levels: FINE, values }
    }

    /// A field of the recording.
    pub fn recorded((name, unit): (&'static str, &'static str)) -> Field {
        Field { name, unit, levels: COARSE, values: Vec::new() }
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Appends a frame.
    pub fn push(&mut self, values: Vec<f32>) {
        self.values.push(values);
    }

    /// Whether any value is known.
    pub fn is_known(&self) -> bool {
        self.values.iter().flatten().any(|value| value.is_finite())
    }

    /// Whether it is 0 everywhere.
    pub fn is_zero(&self) -> bool {
        self.values.iter().flatten().all(|value| *value == 0.0)
    }

    /// Writes levels as differences from frame to frame; returns its description.
    pub fn write(&self, bytes: &mut Vec<u8>) -> HeaderField {
        let all = || self.values.iter().flatten().copied();
        let finite = || all().filter(|value| value.is_finite()).map(f64::from);
        let [min, max] =
            [finite().fold(f64::INFINITY, f64::min), finite().fold(f64::NEG_INFINITY, f64::max)];
        let [min, max] = match max - min {
            size if size > 0.0 => [min, max],
            0.0 => [min, min + 1.0],
            _ => [0.0, 1.0],
        };
        let unknown = all().any(|value| !value.is_finite());
        let first = u16::from(unknown);
        let steps = f64::from(self.levels - first);
        let level = |value: f32| match (f64::from(value) - min) / (max - min) {
            part if part.is_finite() => i64::from(first) + (part * steps).round() as i64,
            _ => 0,
        };
        let mut last = vec![0; self.values.first().map_or(0, Vec::len)];
        for values in &self.values {
            for (last, value) in last.iter_mut().zip(values) {
                let level = level(*value);
                varint::signed(level - *last, bytes);
                *last = level;
            }
        }
        let Field { name, unit, levels, .. } = *self;
        HeaderField { name, unit, min, max, levels, unknown }
    }
}

/// Arrows: a place and a vector each, in every frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Overlay {
    name: &'static str,
    note: String,
    /// Frame by frame, world space, m.
    arrows: Vec<Vec<[Vec3; 2]>>,
}

impl Overlay {
    /// The way out of each vertex inside another body.
    pub fn exits(inside: &[Vec<(Inside, Vec3)>]) -> Overlay {
        let arrow = |(inside, place): &(Inside, Vec3)| [*place, inside.depth * inside.direction];
        let arrows = inside.iter().map(|frame| frame.iter().map(arrow).collect()).collect();
        let note = "from vertices inside other bodies to the nearest way out".to_owned();
        Overlay { name: "way out", note, arrows }
    }

    /// Unit normals at places, for bodies of this diagonal, m.
    pub fn contacts(normals: Vec<Vec<[Vec3; 2]>>, diagonal: f64, note: String) -> Overlay {
        let mut arrows = normals;
        for [_, normal] in arrows.iter_mut().flatten() {
            *normal *= NORMAL * diagonal;
        }
        Overlay { name: "contacts", note, arrows }
    }

    /// Forces of contacts, frame by frame, for bodies of this diagonal, m.
    pub fn forces(rows: &[&[ContactRow]], diagonal: f64) -> Overlay {
        let mut sizes: Vec<f64> =
            rows.iter().copied().flatten().map(|r| r.force.length()).collect();
        sizes.sort_by(f64::total_cmp);
        let large = sizes.get((MOST * sizes.len() as f64) as usize).copied().unwrap_or(1.0);
        let large = if large > 0.0 && large.is_finite() { large } else { 1.0 };
        let length = FORCE * diagonal;
        let arrow = |row: &ContactRow| [row.point, row.force * (length / large)];
        let arrows = rows.iter().map(|frame| frame.iter().map(arrow).collect()).collect();
        let note = format!(
            "on the first body of each contact; an arrow of {} m is {} N",
            number(length),
            number(large)
        );
        Overlay { name: "contact forces", note, arrows }
    }

    /// Whether there is an arrow in any frame.
    pub fn has_arrows(&self) -> bool {
        self.arrows.iter().any(|frame| !frame.is_empty())
    }

    /// Writes its arrows; returns its description.
    pub fn write(&self, grid: &Grid, bytes: &mut Vec<u8>) -> HeaderOverlay {
        for arrows in &self.arrows {
            varint::unsigned(arrows.len() as u64, bytes);
            for [place, vector] in arrows {
                let place = grid.rounded(*place).unwrap_or([0; 3]);
                let steps = place.into_iter().chain(grid.vector(*vector));
                steps.for_each(|step| varint::signed(i64::from(step), bytes));
            }
        }
        HeaderOverlay { name: self.name, note: self.note.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(values: &[f32], expected: (f64, f64, bool), bytes: &[u8]) {
        let mut field = Field { name: "a", unit: "Pa", levels: 100, values: Vec::new() };
        field.push(values.to_vec());
        let mut written = Vec::new();
        let header = field.write(&mut written);
        assert_eq!((header.min, header.max, header.unknown), expected);
        assert_eq!(written, bytes);
    }

    #[test]
    fn levels_count_from_the_least_value_and_0_may_be_unknown() {
        check(&[2.0, 4.0, 3.0], (2.0, 4.0, false), &[0, 200, 1, 100]); // 0, 100, 50
        check(&[2.0, f32::NAN], (2.0, 3.0, true), &[2, 0]); // 1, unknown
        check(&[f32::NAN], (0.0, 1.0, true), &[0]);
        check(&[7.0, 7.0], (7.0, 8.0, false), &[0, 0]);
    }

    #[test]
    fn a_large_force_has_an_arrow_of_known_length() {
        let row = |newtons: f64| ContactRow {
            time: 0.0,
            point: Vec3::ZERO,
            normal: Vec3::Z,
            force: newtons * Vec3::Z,
        };
        let rows = [row(10.0), row(20.0)];
        let overlay = Overlay::forces(&[&rows, &[]], 2.0);
        // 20 N are 0.15 · 2 m.
        let lengths: Vec<f64> = overlay.arrows[0].iter().map(|arrow| arrow[1].z).collect();
        assert!((lengths[0] - 0.15).abs() < 1e-12 && (lengths[1] - 0.3).abs() < 1e-12);
        assert!(overlay.note.ends_with("an arrow of 0.3 m is 20 N"), "{}", overlay.note);
        assert!(!Overlay::forces(&[&[], &[]], 2.0).has_arrows());
    }
}
