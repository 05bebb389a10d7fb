//! Fields of a recording as one number at every drawn vertex.
//!
//! Vectors become lengths, tensors of tets their invariants, averaged over the tets at a vertex:
//! von Mises stress, and the norm of Green strain. What is not known stays NaN.

use std::ops::Range;

use pliant_scene::loaded::{CarriedSurface, Recorded, RunInfo};
use pliant_scene::spec::Field;

use super::mesh::DrawnMesh;

/// Corners of the tet that carries a vertex of a fine surface.
pub type Carriers = [u32; 4];

/// What carries each vertex of the fine surfaces of a run with so many vertices, in their order.
pub fn carriers(info: &RunInfo, vertices: usize) -> Vec<Carriers> {
    let mut all = vec![[0; 4]; info.carried_vertices()];
    for (index, body) in info.bodies.iter().enumerate() {
        let owns = |surface: &&CarriedSurface| surface.bodies.contains(&(index as u32));
        let Some(surface) = info.carried.iter().find(owns) else { continue };
        let Some(range) = info.carried_range(index, vertices) else { continue };
        let first = body.vertices.start as u32;
        let own = all.iter_mut().skip(range.start.saturating_sub(vertices));
        for (place, corners) in own.zip(&surface.carriers) {
            *place = corners.map(|corner| first + corner);
        }
    }
    all
}

/// Reads the fields of frames.
#[derive(Clone, Debug, Default)]
pub struct VertexFields {
    /// Fields, and where their numbers are in a frame.
    fields: Vec<(Field, Range<usize>)>,
    /// Vertex of the recording, of each drawn vertex; beyond its vertices those that tets carry.
    source: Vec<u32>,
    /// Vertices of the recording.
    vertices: usize,
    /// What carries the vertices beyond those.
    carried: Vec<Carriers>,
    /// Where the tets of each drawn vertex begin in `tets`, and where the last ones end.
    starts: Vec<u32>,
    tets: Vec<u32>,
}

impl VertexFields {
    /// The fields that a recording of so many vertices, and those that `carried` says, has.
    pub fn new(
        recorded: &Recorded,
        mesh: &DrawnMesh,
        vertices: usize,
        carried: Vec<Carriers>,
    ) -> VertexFields {
        // Frames as read have numbers of carried vertices, too.
        let all = vertices + carried.len();
        let place = |field: &Field| Some((*field, recorded.range(*field, all)?));
        let fields: Vec<_> = recorded.fields.iter().filter_map(place).collect();
        let source = mesh.source.clone();
        let (starts, tets) = (Vec::new(), Vec::new());
        let mut all = VertexFields { fields, source, vertices, carried, starts, tets };
        if recorded.fields.iter().any(|field| field.is_of_tets()) {
            all.gather(&recorded.tets);
        }
        all
    }

    /// Lists the tets at each drawn vertex; of a carried one that which carries it.
    fn gather(&mut self, tets: &[[u32; 4]]) {
        let mut drawn = vec![usize::MAX; self.vertices];
        let mut pairs: Vec<(usize, u32)> = Vec::new();
        let mut by_corners: Vec<([u32; 4], u32)> =
            tets.iter().zip(0..).map(|(corners, tet)| (sorted(*corners), tet)).collect();
        by_corners.sort_unstable();
        for (number, vertex) in self.source.iter().enumerate() {
            match drawn.get_mut(*vertex as usize) {
                Some(place) => *place = number,
                None => {
                    let Some(corners) = self.carriers(*vertex) else { continue };
                    let found = by_corners.binary_search_by_key(&sorted(corners), |(key, _)| *key);
                    pairs.extend(found.ok().map(|at| (number, by_corners[at].1)));
                }
            }
        }
        let count = self.source.len();
        let number = |vertex: u32| drawn.get(vertex as usize).copied().filter(|at| *at < count);
        for (tet, corners) in tets.iter().enumerate() {
            pairs.extend(corners.iter().filter_map(|v| Some((number(*v)?, tet as u32))));
        }
        pairs.sort_unstable();
        let before = |vertex: usize| pairs.partition_point(|pair| pair.0 < vertex) as u32;
        self.starts = (0..=count).map(before).collect();
        self.tets = pairs.into_iter().map(|pair| pair.1).collect();
    }

    /// Names and units, in order.
    pub fn names(&self) -> impl Iterator<Item = (&'static str, &'static str)> + '_ {
        self.fields.iter().map(|(field, _)| match field {
            Field::Velocity => ("speed", "m/s"),
            Field::Stress => ("stress", "Pa (von Mises)"),
            Field::Strain => ("strain", "norm"),
            Field::Depth | Field::ContactPressure => (field.name(), field.unit()),
        })
    }

    /// The fields of a frame in the same order, from all its numbers.
    pub fn read(&self, numbers: &[f32]) -> Vec<Vec<f32>> {
        let read = |(field, range): &(Field, Range<usize>)| {
            let numbers = numbers.get(range.clone()).unwrap_or_default();
            match field.is_of_tets() {
                true => self.averages(&invariants(*field, numbers)),
                false => self.source.iter().map(|v| at_vertex(numbers, *v, *field)).collect(),
            }
        };
        self.fields.iter().map(read).collect()
    }

    /// What carries a vertex beyond those of the recording.
    fn carriers(&self, vertex: u32) -> Option<Carriers> {
        self.carried.get((vertex as usize).checked_sub(self.vertices)?).copied()
    }

    /// Means of the known values of tets at each drawn vertex.
    fn averages(&self, values: &[f32]) -> Vec<f32> {
        let mean = |ends: &[u32]| {
            let tets = &self.tets[ends[0] as usize..ends[1] as usize];
            let known = tets.iter().filter_map(|tet| values.get(*tet as usize));
            let known = known.filter(|value| value.is_finite());
            let (sum, count) = known.fold((0.0, 0), |(sum, n), v| (sum + f64::from(*v), n + 1));
            if count == 0 { f32::NAN } else { (sum / f64::from(count)) as f32 }
        };
        self.starts.windows(2).map(mean).collect()
    }
}

/// The length of a field's numbers at a vertex; NaN where there are none.
fn at_vertex(numbers: &[f32], vertex: u32, field: Field) -> f32 {
    let width = field.components();
    match numbers.get(width * vertex as usize..width * (vertex as usize + 1)) {
        Some([value]) => *value,
        Some(vector) => vector.iter().map(|part| part * part).sum::<f32>().sqrt(),
        None => f32::NAN,
    }
}

fn sorted(mut corners: [u32; 4]) -> [u32; 4] {
    corners.sort_unstable();
    corners
}

/// One number for each tet from six: xx, yy, zz, xy, yz, zx.
fn invariants(field: Field, numbers: &[f32]) -> Vec<f32> {
    let invariant = |parts: &[f32]| {
        let [xx, yy, zz, xy, yz, zx] = [0, 1, 2, 3, 4, 5].map(|k| f64::from(parts[k]));
        let shear = xy * xy + yz * yz + zx * zx;
        let squared = |difference: f64| difference * difference;
        let square = match field {
            Field::Stress => {
                0.5 * (squared(xx - yy) + squared(yy - zz) + squared(zz - xx)) + 3.0 * shear
            }
            _ => xx * xx + yy * yy + zz * zz + 2.0 * shear,
        };
        square.sqrt() as f32
    };
    numbers.chunks_exact(field.components()).map(invariant).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two tets that share the face 1, 2, 3; vertex 5 is in none, vertex 0 is not drawn.
    fn fields(names: &[Field]) -> VertexFields {
        let recorded = Recorded {
            contacts: false,
            tets: vec![[0, 1, 2, 3], [1, 2, 3, 4]],
            fields: names.to_vec(),
        };
        let mesh = DrawnMesh { source: vec![1, 4, 5], bodies: vec![] };
        VertexFields::new(&recorded, &mesh, 6, Vec::new())
    }

    #[track_caller]
    fn check(field: Field, numbers: &[f32], expected: [f32; 3]) {
        let read = fields(&[field]).read(numbers);
        let same = |(a, b): (&f32, &f32)| a == b || (a.is_nan() && b.is_nan());
        assert!(read[0].iter().zip(&expected).all(same), "{read:?}");
    }

    #[test]
    fn stress_at_a_vertex_is_the_mean_of_its_tets() {
        // Tension of 6 Pa: 6. Shear of 2 Pa: √3·2, so the square is 12; in the mean with
        // pressure alone, which is 0: vertex 1 has both tets, vertex 4 the second.
        let tension = [6.0, 0.0, 0.0, 0.0, 0.0, 0.0, 4.0, 4.0, 4.0, 0.0, 0.0, 0.0];
        check(Field::Stress, &tension, [3.0, 0.0, f32::NAN]);
        let shear = [0.0, 0.0, 0.0, 2.0, 0.0, 0.0];
        assert_eq!(invariants(Field::Stress, &shear), [12_f32.sqrt()]);
        // As E has xy and yx: 2·2².
        assert_eq!(invariants(Field::Strain, &shear), [8_f32.sqrt()]);
    }

    #[test]
    fn what_is_unknown_is_left_out_of_means_and_stays_unknown_alone() {
        let mut one = [f32::NAN; 12];
        one[..6].copy_from_slice(&[6.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        check(Field::Stress, &one, [6.0, f32::NAN, f32::NAN]);
        let pressure = [0.0, 2.0, 0.0, 0.0, f32::NAN, 3.0];
        check(Field::ContactPressure, &pressure, [2.0, f32::NAN, 3.0]);
        // A frame without all of its numbers says nothing.
        check(Field::ContactPressure, &pressure[..4], [f32::NAN; 3]);
    }

    #[test]
    fn velocities_become_speeds_and_fields_follow_each_other() {
        let mut numbers = vec![0.0; 18 + 6];
        numbers[3..6].copy_from_slice(&[2.0, 3.0, 6.0]); // 4 + 9 + 36 = 7²
        numbers[18 + 4] = 0.5;
        let all = fields(&[Field::Velocity, Field::Depth]);
        assert_eq!(all.names().collect::<Vec<_>>(), [("speed", "m/s"), ("depth", "m")]);
        assert_eq!(all.read(&numbers), [[7.0, 0.0, 0.0], [0.0, 0.5, 0.0]]);
    }

    #[test]
    fn a_vertex_of_a_fine_surface_has_what_its_tet_carries() {
        let tets = vec![[0, 1, 2, 3], [1, 2, 3, 4]];
        let fields = vec![Field::Stress, Field::Velocity];
        let recorded = Recorded { contacts: false, tets, fields };
        // Vertex 6 is the first beyond the recording: halfway between 1 and 4.
        let mesh = DrawnMesh { source: vec![1, 6], bodies: vec![] };
        let carried = vec![[4, 1, 2, 3]];
        let all = VertexFields::new(&recorded, &mesh, 6, carried);
        let mut numbers = vec![0.0; 12 + 21];
        numbers[6] = 8.0; // the second tet, along x
        numbers[12 + 3] = 2.0; // vertex 1, along x
        numbers[12 + 18] = 1.0; // vertex 6, as frames are read
        let read = all.read(&numbers);
        // Mean of both tets at vertex 1, the second alone at vertex 6.
        assert_eq!(read, [[4.0, 8.0], [2.0, 1.0]]);
    }
}
