//! Area preservation of outlines in the plane z = 0, as of gas in a closed skin.
//!
//! | here        | formula                | meaning                                    |
//! |-------------|------------------------|--------------------------------------------|
//! | `rest`      | A₀                     | area at rest, m²                           |
//! | `area`      | A = ½ Σ xᵢ × xᵢ₊₁      | m², with sign: rings of holes take away    |
//! | `slope`     | ∂A/∂xᵢ                 | half the way between its neighbours, m     |
//! | `stiffness` | k in ½ k (A − A₀)²/A₀  | N/m: the tension of a strain of the area   |

use pliant::force::stiffness::{BlockMatrix, Form, Slot, Tangent};
use pliant::force::{Force, StateView, StepRejection, Store};
use pliant::id::VertexId;
use pliant::math::{Mat3, Vec2, Vec3};
use pliant::snapshot::{Snapshot, SnapshotError};

/// Why areas cannot be kept.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum AreaError {
    /// A stiffness that is negative or not finite.
    #[error("the area stiffness is {stiffness} N/m: it must be finite and not negative")]
    Stiffness {
        /// N/m.
        stiffness: f64,
    },
    /// Rings with nothing inside.
    #[error("outline {outline} has an area of {area} m² at rest: it must be positive")]
    Area {
        /// First such outline.
        outline: usize,
        /// m².
        area: f64,
    },
    /// A corner that does not exist.
    #[error("outline {outline} names vertex {vertex}, there are {count}")]
    NoSuchVertex {
        /// First such outline.
        outline: usize,
        /// The vertex.
        vertex: VertexId,
        /// Number of vertices of the scene.
        count: usize,
    },
}

/// One outline and its rest area.
#[derive(Clone, Debug)]
struct Patch {
    /// Vertices of all its rings.
    vertices: Vec<VertexId>,
    /// For each its neighbours in the ring, before and after, as places in `vertices`.
    neighbours: Vec<[u32; 2]>,
    /// m²; positive.
    rest: f64,
}

/// Outlines that keep their areas.
///
/// The area of an outline is one element of all its vertices: with implicit steps its block of
/// the matrix is full, so rings of thousands of vertices are slow.
#[derive(Clone, Debug)]
pub struct Areas {
    patches: Vec<Patch>,
    /// N/m; at least 0.
    stiffness: f64,
}

impl Areas {
    /// Outlines, each of some rings, at rest in `rest`, m; `stiffness` in N/m.
    pub fn new(
        rest: &[Vec3],
        outlines: &[Vec<Vec<VertexId>>],
        stiffness: f64,
    ) -> Result<Areas, AreaError> {
        if !(stiffness >= 0.0 && stiffness.is_finite()) {
            return Err(AreaError::Stiffness { stiffness });
        }
        let mut patches = Vec::with_capacity(outlines.len());
        for (outline, rings) in outlines.iter().enumerate() {
            let count = rest.len();
            if let Some(&vertex) = rings.iter().flatten().find(|v| v.index() >= count) {
                return Err(AreaError::NoSuchVertex { outline, vertex, count });
            }
            let mut patch = Patch::new(rings);
            let area = patch.area(rest);
            if !(area > 0.0 && area.is_finite()) {
                return Err(AreaError::Area { outline, area });
            }
            patch.rest = area;
            patches.push(patch);
        }
        Ok(Areas { patches, stiffness })
    }

    /// Derivative of the energy by the area, N/m.
    fn tension(&self, patch: &Patch, positions: &[Vec3]) -> f64 {
        self.stiffness * (patch.area(positions) - patch.rest) / patch.rest
    }

    /// Visits each block of the stiffness of an outline: row, column, N/m.
    fn visit_blocks(
        &self,
        patch: &Patch,
        positions: &[Vec3],
        form: Form,
        visit: &mut dyn FnMut(usize, usize, Mat3),
    ) {
        let (tension, factor) = (self.tension(patch, positions), self.stiffness / patch.rest);
        for i in 0..patch.vertices.len() {
            let slope = factor * patch.slope(i, positions);
            let [before, after] = patch.neighbours[i].map(|k| k as usize);
            for j in 0..patch.vertices.len() {
                let mut block = outer(slope, patch.slope(j, positions));
                if form == Form::Exact {
                    // The slope turns with the neighbours; without this nothing is negative.
                    let turning =
                        f64::from(u8::from(j == after)) - f64::from(u8::from(j == before));
                    block += turning * tension * QUARTER;
                }
                visit(i, j, block);
            }
        }
    }
}

/// Derivative of a slope by the next vertex of the ring: half a turn to the right by 90°.
const QUARTER: Mat3 =
    Mat3::from_cols(Vec3::new(0.0, -0.5, 0.0), Vec3::new(0.5, 0.0, 0.0), Vec3::ZERO);

fn outer(a: Vec2, b: Vec2) -> Mat3 {
    Mat3::from_cols((b.x * a).extend(0.0), (b.y * a).extend(0.0), Vec3::ZERO)
}

impl Patch {
    fn new(rings: &[Vec<VertexId>]) -> Patch {
        let (mut vertices, mut neighbours) = (Vec::new(), Vec::new());
        for ring in rings {
            let (start, count) = (vertices.len(), ring.len());
            vertices.extend_from_slice(ring);
            neighbours.extend(
                (0..count).map(|k| {
                    [(k + count - 1) % count, (k + 1) % count].map(|k| (start + k) as u32)
                }),
            );
        }
        Patch { vertices, neighbours, rest: 0.0 }
    }

    fn at(&self, k: usize, positions: &[Vec3]) -> Vec2 {
        positions[self.vertices[k].index()].truncate()
    }

    /// m²; measured from the first vertex, so that an outline far off keeps its digits.
    fn area(&self, positions: &[Vec3]) -> f64 {
        if self.vertices.is_empty() {
            return 0.0;
        }
        let from = self.at(0, positions);
        let corner = |k: usize| {
            let next = self.neighbours[k][1] as usize;
            (self.at(k, positions) - from).perp_dot(self.at(next, positions) - from)
        };
        0.5 * (0..self.vertices.len()).map(corner).sum::<f64>()
    }

    /// Derivative of the area by the position of a vertex, m.
    fn slope(&self, k: usize, positions: &[Vec3]) -> Vec2 {
        let [before, after] = self.neighbours[k].map(|k| self.at(k as usize, positions));
        -0.5 * (after - before).perp()
    }
}

impl Force for Areas {
    fn energy(&self, motion: StateView<'_>) -> f64 {
        self.visit_energies(motion, &mut |_, _| {})
    }

    fn visit_energies(&self, motion: StateView<'_>, visit: &mut dyn FnMut(VertexId, f64)) -> f64 {
        let of = |patch: &Patch| {
            let change = patch.area(motion.positions) - patch.rest;
            let energy = 0.5 * self.stiffness * change * change / patch.rest;
            patch.vertices.first().into_iter().for_each(|vertex| visit(*vertex, energy));
            energy
        };
        self.patches.iter().map(of).sum()
    }

    fn add_forces(&self, motion: StateView<'_>, forces: &mut [Vec3]) {
        for patch in &self.patches {
            let tension = self.tension(patch, motion.positions);
            for (k, vertex) in patch.vertices.iter().enumerate() {
                let slope = patch.slope(k, motion.positions);
                forces[vertex.index()] -= (tension * slope).extend(0.0);
            }
        }
    }

    fn visit_elements(&self, visit: &mut dyn FnMut(&[VertexId])) {
        self.patches.iter().for_each(|patch| visit(&patch.vertices));
    }

    fn answers(&self) -> bool {
        self.stiffness > 0.0
    }

    fn add_tangent(
        &self,
        motion: StateView<'_>,
        tangent: Tangent,
        slots: &[Slot],
        matrix: &mut BlockMatrix,
    ) {
        let (mut first, blocks) = (0, matrix.blocks_mut());
        for patch in &self.patches {
            let count = patch.vertices.len();
            self.visit_blocks(patch, motion.positions, tangent.form, &mut |i, j, block| {
                slots[first + i * count + j].add(&(tangent.stiffness * block), 0, blocks);
            });
            first += count * count;
        }
    }

    fn add_product(
        &self,
        motion: StateView<'_>,
        tangent: Tangent,
        x: &[Vec3],
        product: &mut [Vec3],
    ) {
        for patch in &self.patches {
            self.visit_blocks(patch, motion.positions, tangent.form, &mut |i, j, block| {
                let [i, j] = [i, j].map(|k| patch.vertices[k].index());
                product[i] += tangent.stiffness * (block * x[j]);
            });
        }
    }

    fn flow(&mut self, _motion: StateView<'_>, _dt: f64) {}

    fn flows(&self) -> bool {
        false
    }

    fn refusal(&self, _before: StateView<'_>, _after: StateView<'_>) -> Option<StepRejection> {
        None
    }

    fn save(&self, _snapshot: &mut Snapshot) {}

    fn restore(&mut self, _snapshot: &mut Snapshot) -> Result<(), SnapshotError> {
        Ok(())
    }

    fn store(&self) -> Store {
        Store::Elastic
    }

    fn damps_linearly(&self) -> bool {
        true
    }

    fn set_threads(&mut self, _threads: usize, _vertex_count: usize) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Step of central differences, m: their errors are its square and rounding over it.
    const STEP: f64 = 1e-5;

    /// Of differences of numbers near ten over `STEP`.
    const DIFFERENCE: f64 = 1e-8;

    /// A bent frame: five corners around, three of a hole, and a vertex beside it.
    fn frame() -> (Vec<Vec3>, Vec<Vec<Vec<VertexId>>>) {
        let places = [
            (0.0, 0.0),
            (3.0, 0.2),
            (3.5, 2.0),
            (1.5, 3.1),
            (-0.2, 2.2),
            (1.0, 1.0),
            (1.2, 2.0),
            (2.0, 1.1),
            (9.0, 9.0),
        ];
        let rings = vec![(0..5).map(VertexId).collect(), (5..8).map(VertexId).collect()];
        (places.map(|(x, y)| Vec3::new(x, y, 0.0)).to_vec(), vec![rings])
    }

    fn squeezed(rest: &[Vec3]) -> Vec<Vec3> {
        let bend = |(k, p): (usize, &Vec3)| {
            let k = k as f64;
            *p + 0.3 * Vec3::new(libm::sin(1.3 * k), libm::cos(2.1 * k + 1.0), 0.0)
        };
        rest.iter().enumerate().map(bend).collect()
    }

    fn motion(positions: &[Vec3]) -> StateView<'_> {
        StateView { positions, velocities: &[], time: 0.0 }
    }

    fn forces(areas: &Areas, positions: &[Vec3]) -> Vec<Vec3> {
        let mut forces = vec![Vec3::ZERO; positions.len()];
        areas.add_forces(motion(positions), &mut forces);
        forces
    }

    #[test]
    fn a_square_under_pressure_is_pushed_apart_by_hand() {
        let corners = [(0.0, 0.0), (2.0, 0.0), (2.0, 2.0), (0.0, 2.0)];
        let rest: Vec<Vec3> = corners.map(|(x, y)| Vec3::new(x, y, 0.0)).to_vec();
        let areas = Areas::new(&rest, &[vec![(0..4).map(VertexId).collect()]], 8.0).unwrap();
        let half: Vec<Vec3> = rest.iter().map(|p| 0.5 * *p).collect();
        // A = 1, A₀ = 4: ½ · 8 · 9/4 J, and tension −6 N/m on half a diagonal of the square.
        assert_eq!(areas.energy(motion(&half)), 9.0);
        assert_eq!(forces(&areas, &half)[0], Vec3::new(-3.0, -3.0, 0.0));
        assert_eq!(forces(&areas, &rest), [Vec3::ZERO; 4]);
    }

    #[test]
    fn forces_are_the_slope_of_energy_and_the_tangent_that_of_forces() {
        let (rest, outlines) = frame();
        let areas = Areas::new(&rest, &outlines, 3.0).unwrap();
        let bent = squeezed(&rest);
        let found = forces(&areas, &bent);
        let exact = Tangent { stiffness: 1.0, damping: 0.0, form: Form::Exact };
        for v in 0..rest.len() {
            for axis in Vec3::AXES {
                let moved = |step: f64| {
                    let mut moved = bent.clone();
                    moved[v] += step * axis;
                    moved
                };
                let [ahead, behind] = [STEP, -STEP].map(moved);
                let slope = areas.energy(motion(&ahead)) - areas.energy(motion(&behind));
                let lacking = found[v].dot(axis) + slope / (2.0 * STEP);
                assert!(lacking.abs() < DIFFERENCE, "force {v} {axis}: {lacking}");
                let mut unit = vec![Vec3::ZERO; rest.len()];
                unit[v] = axis;
                let mut product = vec![Vec3::ZERO; rest.len()];
                areas.add_product(motion(&bent), exact, &unit, &mut product);
                let (above, below) = (forces(&areas, &ahead), forces(&areas, &behind));
                for (k, column) in product.iter().enumerate() {
                    let lacking = *column + (above[k] - below[k]) / (2.0 * STEP);
                    assert!(lacking.length() < DIFFERENCE, "tangent {k} {v} {axis}: {lacking}");
                }
            }
        }
    }

    #[test]
    fn momentum_stays_and_the_definite_form_never_pulls_the_wrong_way() {
        let (rest, outlines) = frame();
        let areas = Areas::new(&rest, &outlines, 3.0).unwrap();
        let bent = squeezed(&rest);
        let found = forces(&areas, &bent);
        let torque: Vec3 = bent.iter().zip(&found).map(|(p, f)| p.cross(*f)).sum();
        assert!(found.iter().sum::<Vec3>().length() < 1e-14 && torque.length() < 1e-13);
        assert!(found.iter().all(|force| force.z == 0.0) && found[8] == Vec3::ZERO);
        let definite = Tangent { stiffness: 1.0, damping: 0.0, form: Form::Definite };
        for shift in 0..20 {
            let way: Vec<Vec3> = (0..rest.len())
                .map(|k| {
                    Vec3::new(libm::sin((k + shift) as f64), libm::cos((3 * k + shift) as f64), 0.0)
                })
                .collect();
            let mut product = vec![Vec3::ZERO; rest.len()];
            areas.add_product(motion(&bent), definite, &way, &mut product);
            let power: f64 = product.iter().zip(&way).map(|(a, b)| a.dot(*b)).sum();
            assert!(power >= -1e-12, "{power}");
        }
    }

    #[test]
    fn what_has_no_area_is_named() {
        let (rest, outlines) = frame();
        let message = |outlines: &[Vec<Vec<VertexId>>], stiffness| {
            Areas::new(&rest, outlines, stiffness).unwrap_err().to_string()
        };
        assert!(message(&outlines, -1.0).contains("-1 N/m"));
        let mut turned = outlines.clone();
        turned[0].truncate(1);
        turned[0][0].reverse();
        assert!(message(&turned, 1.0).starts_with("outline 0 has an area of -"));
        turned[0][0][0] = VertexId(40);
        assert_eq!(message(&turned, 1.0), "outline 0 names vertex 40, there are 9");
    }
}
