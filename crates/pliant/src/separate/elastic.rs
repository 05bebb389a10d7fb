//! How a body gives way to pushes: rigid, or elastic with the tets of its cage.
//!
//! Displacements u of an elastic body minimise ½ uᵀ (K + ε M) u, small strain energy and a weak
//! attachment of every vertex to its place. Pushes p at vertices give u = (K + ε M)⁻¹ p.
//!
//! | here         | formula    | meaning                                              |
//! |--------------|------------|------------------------------------------------------|
//! | `attachment` | ε V / E L  | how much it costs to move a body beside squeezing it |
//! | `gradients`  | ∇Nₖ        | derivatives of the shape functions of a tet, 1/m     |
//! | `LAME`       | λ, μ       | of a Young's modulus of 1 Pa                         |

use crate::body::rigid::mass::MassProperties;
use crate::id::VertexId;
use crate::math::{Mat3, Vec3, outer, tet_volume};
use crate::mesh::tet::TetMesh;
use crate::mesh::topology::{self, Csr};
use crate::solve::factor::{Factor, FactorPattern, FactorScratch};

/// Lamé's constants for a Young's modulus of 1 Pa and a Poisson's ratio of 0.3.
const LAME: [f64; 2] = [0.576_923_076_923_076_9, 0.384_615_384_615_384_6];

/// How a body gives way.
pub(crate) enum Compliance {
    /// Not at all.
    Fixed,
    /// As a whole: 1 / resistance, m/N.
    Rigid(f64),
    /// As a whole, turning as well.
    Turning(Box<Turning>),
    /// Vertex by vertex.
    Elastic(Box<Elastic>),
}

/// How a body that turns gives way.
pub(crate) struct Turning {
    /// 1 / resistance, m/N.
    pub inv_mass: f64,
    /// Rotation per torque about the centre, rad/(N·m).
    pub inv_inertia: Mat3,
    /// Where it starts, m.
    pub centre: Vec3,
}

impl Turning {
    /// Of a closed surface with some resistance to movement, N/m, spread evenly over its inside;
    /// `None` where it has no inertia.
    pub(crate) fn new(
        positions: &[Vec3],
        triangles: &[[VertexId; 3]],
        resistance: f64,
    ) -> Option<Turning> {
        let unit = MassProperties::from_surface(positions, triangles, 1.0).ok()?;
        let MassProperties { mass, centre, inertia } = unit.with_mass(resistance).ok()?;
        let inv_inertia = inertia.inverse();
        inv_inertia.is_finite().then_some(Turning { inv_mass: mass.recip(), inv_inertia, centre })
    }
}

/// A factored body.
pub(crate) struct Elastic {
    pattern: FactorPattern,
    factor: Factor,
}

impl Elastic {
    /// Factors a body; `None` where its matrix cannot be.
    pub(crate) fn new(mesh: &TetMesh, size: f64, attachment: f64) -> Option<Elastic> {
        let positions = mesh.positions();
        let edges = topology::edges(positions.len(), mesh.tets());
        let both = edges.iter().flat_map(|[a, b]| [(a.0, b.0), (b.0, a.0)]);
        let diagonal = (0..positions.len() as u32).map(|v| (v, v));
        let mut pairs: Vec<(u32, u32)> = both.chain(diagonal).collect();
        pairs.sort_unstable();
        let rows = Csr::from_pairs(positions.len(), pairs.iter().copied());
        let columns: Vec<u32> = pairs.iter().map(|pair| pair.1).collect();
        let mut starts = vec![0_u32];
        starts.extend(rows.iter().scan(0, |sum, row| {
            *sum += row.len() as u32;
            Some(*sum)
        }));
        let mut blocks = vec![Mat3::ZERO; pairs.len()];
        let place = |a: VertexId, b: VertexId| pairs.binary_search(&(a.0, b.0)).ok();
        let (mut masses, mut volume) = (vec![0.0; positions.len()], 0.0);
        for tet in mesh.tets() {
            let corners = tet.map(|v| positions[v.index()]);
            let own = tet_volume(corners);
            volume += own;
            let gradients = gradients(corners)?;
            for (a, from) in tet.iter().enumerate() {
                masses[from.index()] += 0.25 * own;
                for (b, to) in tet.iter().enumerate() {
                    blocks[place(*from, *to)?] += own * stiffness(gradients[a], gradients[b]);
                }
            }
        }
        let epsilon = attachment * size / volume;
        for (v, mass) in masses.iter().enumerate() {
            let vertex = VertexId(v as u32);
            // Vertices of no tet are moved by nothing.
            let mass = if *mass > 0.0 { *mass } else { volume };
            blocks[place(vertex, vertex)?] += Mat3::from_diagonal(Vec3::splat(epsilon * mass));
        }
        let pattern = FactorPattern::new(&starts, &columns, positions);
        let mut factor = Factor::default();
        factor
            .fill(&pattern, &blocks, &mut FactorScratch::default())
            .then_some(Elastic { pattern, factor })
    }

    /// Vertices of the cage.
    pub(crate) fn len(&self) -> usize {
        self.pattern.len()
    }

    /// Multiply–adds of one call of [`Elastic::displacements`].
    pub(crate) fn cost(&self) -> u64 {
        self.pattern.solve_cost()
    }

    /// Displacements under pushes at vertices.
    pub(crate) fn displacements(&self, pushes: &[(VertexId, Vec3)]) -> Vec<Vec3> {
        let count = self.pattern.len();
        let mut x = vec![0.0; 3 * count];
        for (vertex, push) in pushes {
            let at = 3 * self.pattern.place(vertex.index());
            for (value, part) in x[at..at + 3].iter_mut().zip(push.to_array()) {
                *value += part;
            }
        }
        self.factor.solve(&self.pattern, &mut x, &mut Vec::new());
        let at = |v: usize| 3 * self.pattern.place(v);
        (0..count).map(|v| Vec3::from_slice(&x[at(v)..at(v) + 3])).collect()
    }
}

/// Derivatives of the shape functions of a tet, 1/m; `None` where it is flat.
fn gradients([v0, v1, v2, v3]: [Vec3; 4]) -> Option<[Vec3; 4]> {
    let inverse = Mat3::from_cols(v1 - v0, v2 - v0, v3 - v0).inverse();
    let rows = inverse.transpose();
    let [b, c, d] = [rows.x_axis, rows.y_axis, rows.z_axis];
    let all = [-(b + c + d), b, c, d];
    all.iter().all(|gradient| gradient.is_finite()).then_some(all)
}

/// Stiffness between two corners of a tet of volume 1 m³, N/m.
fn stiffness(a: Vec3, b: Vec3) -> Mat3 {
    let [lambda, mu] = LAME;
    lambda * outer(a, b) + mu * outer(b, a) + Mat3::from_diagonal(Vec3::splat(mu * a.dot(b)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::generate::cuboid::cuboid;
    use crate::mesh::generate::lattice::TetSplit;

    fn block() -> TetMesh {
        TetMesh::from_raw(cuboid([3; 3], Vec3::ONE, TetSplit::Five).unwrap()).unwrap().0
    }

    #[test]
    fn a_uniform_push_moves_all_alike_by_the_attachment() {
        // Σ push = ε V u = attachment · size · u.
        let mesh = block();
        let elastic = Elastic::new(&mesh, 1.0, 0.5).unwrap();
        let mut masses = vec![0.0; mesh.positions().len()];
        for tet in mesh.tets() {
            let own = tet_volume(tet.map(|v| mesh.positions()[v.index()]));
            tet.iter().for_each(|v| masses[v.index()] += 0.25 * own);
        }
        let push = |(v, mass): (usize, &f64)| (VertexId(v as u32), *mass * Vec3::X);
        let pushes: Vec<_> = masses.iter().enumerate().map(push).collect();
        for moved in elastic.displacements(&pushes) {
            assert!(moved.distance(2.0 * Vec3::X) < 1e-9, "{moved}");
        }
    }

    #[test]
    fn opposite_pushes_stretch_by_the_modulus() {
        // 1 N over 1 m² at both ends of a cube of 1 Pa stretches it by 1, free of rotation.
        let mesh = block();
        let elastic = Elastic::new(&mesh, 1.0, 1e-6).unwrap();
        let mut areas = vec![Vec3::ZERO; mesh.positions().len()];
        for triangle in mesh.surface() {
            let [a, b, c] = triangle.map(|v| mesh.positions()[v.index()]);
            let area = 0.5 * (b - a).cross(c - a);
            if area.x.abs() > 1e-9 {
                triangle.iter().for_each(|v| areas[v.index()] += area / 3.0);
            }
        }
        let pushes: Vec<_> =
            areas.iter().enumerate().map(|(v, area)| (VertexId(v as u32), *area)).collect();
        let moved = elastic.displacements(&pushes);
        let end = |x: f64| {
            let at = mesh.positions().iter().position(|p| (p.x - x).abs() < 1e-9).unwrap();
            moved[at].x
        };
        assert!((end(0.5) - end(-0.5) - 1.0).abs() < 1e-5, "{} {}", end(0.5), end(-0.5));
    }
}
