//! The signed distance of a closed surface, sampled on a grid.
//!
//! Exact at the nodes, trilinear between them, with the derivatives of the interpolant. Between
//! nodes the value is off by at most half the diagonal of a cell: the distance is 1-Lipschitz,
//! and the weights average the distances to the nodes. Outside the grid the value is a lower
//! bound: the distance to the grid and the one there, at right angles. The surface lies in the
//! grid, beyond the nearest point of it.

use crate::body::obstacle::{DistanceBound, ObstacleError, SdfAccuracy, Shape, measure};
use crate::math::{Aabb, Mat3, Vec3, outer_square};
use crate::mesh::bvh::Bvh;
use crate::mesh::closest::closest_point;
use crate::mesh::overlap::winding;
use crate::mesh::surface::Surface;

/// Nodes of a grid at most: 128 MiB of distances.
pub(crate) const MOST_NODES: usize = 1 << 24;

/// How a surface is sampled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GridSettings {
    /// Between neighbouring nodes, m.
    pub spacing: f64,
    /// Padding around the surface, m; at least one spacing is used.
    pub margin: f64,
}

/// A signed distance known at the nodes of a grid.
#[derive(Clone, Debug, PartialEq)]
pub struct Grid {
    /// The first node, m.
    origin: Vec3,
    /// Between neighbouring nodes, m.
    spacing: f64,
    /// Nodes along each axis; at least 2.
    counts: [usize; 3],
    /// At each node, m; x runs fastest. Positive on the border.
    values: Vec<f64>,
}

impl Grid {
    /// Samples a closed surface; inside is what it winds around.
    ///
    /// Each node searches the tree of triangles. Its sign is its neighbour's where no surface can
    /// lie between; next to the surface all triangles are tested, so that the time grows with the
    /// nodes there times the triangles.
    pub fn new(surface: &Surface, settings: GridSettings) -> Result<Grid, ObstacleError> {
        let spacing = measure("grid", "spacing", settings.spacing)?;
        let margin = if settings.margin == 0.0 {
            spacing
        } else {
            measure("grid", "margin", settings.margin)?.max(spacing)
        };
        let used = surface.triangles().iter().flatten().map(|v| surface.positions()[v.index()]);
        let around = Aabb::around(used);
        let wanted = ((around.size() + 2.0 * margin) / spacing).ceil() + 1.0;
        let nodes = wanted.x * wanted.y * wanted.z;
        if nodes.is_nan() || nodes > MOST_NODES as f64 {
            return Err(ObstacleError::GridTooLarge {
                counts: wanted.to_array(),
                most: MOST_NODES,
            });
        }
        let counts = wanted.to_array().map(|count| count as usize);
        let grid = Grid { origin: around.min - margin, spacing, counts, values: Vec::new() };
        let values = grid.sample(surface);
        Ok(Grid { values, ..grid })
    }

    fn sample(&self, surface: &Surface) -> Vec<f64> {
        let corners: Vec<_> = surface
            .triangles()
            .iter()
            .map(|triangle| triangle.map(|v| surface.positions()[v.index()]))
            .collect();
        let tree = Bvh::new(&corners.iter().map(|c| Aabb::around(*c)).collect::<Vec<_>>());
        let strides = self.strides();
        let mut values: Vec<f64> = Vec::with_capacity(self.counts.iter().product());
        for node in 0..values.capacity() {
            let place = self.place(node);
            let point = self.origin + self.spacing * Vec3::from(place.map(|k| k as f64));
            let before = |axis: usize| (place[axis] > 0).then(|| values[node - strides[axis]]);
            let mut best = f64::INFINITY;
            // Not farther than the neighbour's nearest point, with a margin for rounding.
            let within = before(0)
                .map_or(f64::INFINITY, |d| crate::math::powi(d.abs() + 1.01 * self.spacing, 2));
            tree.near(point, within, |triangle| {
                let nearest = closest_point(point, corners[triangle as usize]);
                best = best.min((nearest - point).length_squared());
                best.min(within)
            });
            let distance = best.sqrt();
            let alike = |other: &f64| other.abs() + distance > 1.01 * self.spacing;
            let inside = match (0..3).filter_map(before).find(alike) {
                Some(other) => other < 0.0,
                None => winding(surface.positions(), surface.triangles(), point) > 0,
            };
            values.push(if inside { -distance } else { distance });
        }
        values
    }

    fn strides(&self) -> [usize; 3] {
        [1, self.counts[0], self.counts[0] * self.counts[1]]
    }

    fn place(&self, node: usize) -> [usize; 3] {
        let [x, y, _] = self.counts;
        [node % x, node / x % y, node / (x * y)]
    }

    /// The box of the grid, m.
    pub fn bounds(&self) -> Aabb {
        let steps = Vec3::from(self.counts.map(|count| (count - 1) as f64));
        Aabb { min: self.origin, max: self.origin + self.spacing * steps }
    }

    /// Nodes along each axis.
    pub fn counts(&self) -> [usize; 3] {
        self.counts
    }

    /// Corner values of the cell around a point of the grid, and the point in the cell.
    fn cell(&self, point: Vec3) -> Cell {
        let steps = ((point - self.origin) / self.spacing).to_array();
        let first: [usize; 3] =
            std::array::from_fn(|k| (steps[k].floor() as usize).min(self.counts[k] - 2));
        let strides = self.strides();
        let base: usize = (0..3).map(|k| first[k] * strides[k]).sum();
        let corner = |c: usize| (0..3).map(|k| (c >> k & 1) * strides[k]).sum::<usize>();
        Cell {
            values: std::array::from_fn(|c| self.values[base + corner(c)]),
            share: std::array::from_fn(|k| steps[k] - first[k] as f64),
            spacing: self.spacing,
        }
    }

    /// Value, gradient and second derivative at a point of the grid or beyond.
    fn look(&self, point: Vec3) -> Look {
        let bounds = self.bounds();
        let nearest = point.clamp(bounds.min, bounds.max);
        let cell = self.cell(nearest);
        let (value, gradient, hessian) = (cell.value(), cell.gradient(), cell.hessian());
        if nearest == point {
            return Look { value, gradient, hessian };
        }
        // Only along the axes within the grid does the nearest point follow.
        let beyond = point - nearest;
        let out = Vec3::select(beyond.cmpne(Vec3::ZERO), Vec3::ONE, Vec3::ZERO);
        let follows = Mat3::from_diagonal(Vec3::ONE - out);
        let along = follows * gradient;
        let length = (beyond.length_squared() + value * value).sqrt();
        let slope = (beyond + value * along) / length;
        let bend =
            Mat3::from_diagonal(out) + outer_square(along) + value * (follows * hessian * follows);
        Look {
            value: length,
            gradient: slope,
            hessian: (bend - outer_square(slope)) * length.recip(),
        }
    }
}

/// Value and derivatives at a point.
struct Look {
    /// Signed distance, m.
    value: f64,
    /// Gradient.
    gradient: Vec3,
    /// Second derivative, 1/m.
    hessian: Mat3,
}

/// One cell of a grid with a point in it.
struct Cell {
    /// At the corners, m; bits of the number are the steps along x, y, z.
    values: [f64; 8],
    /// Where the point is, 0 to 1 along each axis.
    share: [f64; 3],
    /// Edge length, m.
    spacing: f64,
}

impl Cell {
    /// Sum over the corners, with weights per axis for its lower and upper end.
    fn sum(&self, weights: [[f64; 2]; 3]) -> f64 {
        let weight = |c: usize| (0..3).map(|k| weights[k][c >> k & 1]).product::<f64>();
        (0..8).map(|c| weight(c) * self.values[c]).sum()
    }

    fn mean(&self) -> [[f64; 2]; 3] {
        self.share.map(|share| [1.0 - share, share])
    }

    fn value(&self) -> f64 {
        self.sum(self.mean())
    }

    /// The weights with differences along the given axes.
    fn slope(&self, axes: &[usize]) -> f64 {
        let mut weights = self.mean();
        for &axis in axes {
            weights[axis] = [-1.0 / self.spacing, 1.0 / self.spacing];
        }
        self.sum(weights)
    }

    fn gradient(&self) -> Vec3 {
        Vec3::new(self.slope(&[0]), self.slope(&[1]), self.slope(&[2]))
    }

    fn hessian(&self) -> Mat3 {
        let (xy, yz, zx) = (self.slope(&[0, 1]), self.slope(&[1, 2]), self.slope(&[2, 0]));
        Mat3::from_cols(Vec3::new(0.0, xy, zx), Vec3::new(xy, 0.0, yz), Vec3::new(zx, yz, 0.0))
    }
}

impl Shape for Grid {
    fn distance(&self, point: Vec3) -> f64 {
        self.look(point).value
    }

    fn gradient(&self, point: Vec3) -> Vec3 {
        self.look(point).gradient
    }

    fn hessian(&self, point: Vec3) -> Mat3 {
        self.look(point).hessian
    }

    fn accuracy(&self) -> SdfAccuracy {
        let trust = DistanceBound::AtLeast { slack: 0.5 * 3_f64.sqrt() * self.spacing };
        SdfAccuracy { outside: trust, inside: trust }
    }

    /// Along each axis the interpolation rises by at most 1, together by at most √3.
    fn lipschitz(&self) -> f64 {
        3_f64.sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::obstacle::check;
    use crate::body::obstacle::{Cuboid, Revolved};
    use crate::id::VertexId;
    use crate::mesh::generate::ball::ball;
    use crate::mesh::generate::cuboid::cuboid;
    use crate::mesh::generate::lattice::TetSplit;
    use crate::mesh::generate::torus::{TorusSettings, torus};
    use crate::mesh::raw::RawMesh;
    use crate::mesh::tet::TetMesh;

    fn skin(raw: RawMesh) -> Surface {
        let (mesh, _) = TetMesh::from_raw(raw).unwrap();
        let triangles: Vec<[VertexId; 3]> = mesh.surface().to_vec();
        let positions = mesh.positions().to_vec();
        Surface::from_raw(RawMesh { positions, triangles, ..RawMesh::default() }).unwrap().0
    }

    fn sampled(surface: &Surface, spacing: f64) -> Grid {
        Grid::new(surface, GridSettings { spacing, margin: 0.0 }).unwrap()
    }

    /// Largest error against a shape in a box of half this size, m.
    fn worst(grid: &Grid, exact: &impl Shape, half: f64) -> f64 {
        let points = check::points(3000, half).into_iter();
        points.map(|p| (grid.distance(p) - exact.distance(p)).abs()).fold(0.0, f64::max)
    }

    #[test]
    fn nodes_are_exact_and_the_rest_is_off_by_half_a_cell_at_most() {
        let size = Vec3::new(1.0, 1.4, 0.8);
        let grid = sampled(&skin(cuboid([2, 2, 2], size, TetSplit::Six).unwrap()), 0.15);
        let exact = Cuboid::new(size).unwrap();
        for node in 0..grid.values.len() {
            let point = grid.origin + grid.spacing * Vec3::from(grid.place(node).map(|k| k as f64));
            let error = (grid.values[node] - exact.distance(point)).abs();
            assert!(error < 1e-12, "node {node} off by {error}");
        }
        let (error, half_diagonal) = (worst(&grid, &exact, 0.55), 0.15 * 0.75_f64.sqrt());
        assert!(error < half_diagonal && error > 0.1 * half_diagonal, "{error}");
        assert_eq!(grid.accuracy().outside, DistanceBound::AtLeast { slack: half_diagonal });
        check::lipschitz(&grid);
        check::derivatives(&grid, 200);
    }

    #[test]
    fn outside_the_grid_it_is_never_too_far() {
        let grid = sampled(&skin(cuboid([1, 1, 1], Vec3::ONE, TetSplit::Six).unwrap()), 0.25);
        let exact = Cuboid::new(Vec3::ONE).unwrap();
        let (mut far, mut nearest) = (0, f64::INFINITY);
        for point in check::points(2000, 4.0).into_iter().filter(|p| !grid.bounds().contains(*p)) {
            let (found, exact) = (grid.distance(point), exact.distance(point));
            assert!(found <= exact + 0.25 * 0.75_f64.sqrt(), "{found} > {exact} at {point}");
            nearest = f64::min(nearest, found / exact);
            far += 1;
        }
        assert!(far > 1000 && nearest > 0.7, "{far} {nearest}");
        // Straight beyond a face: 2 m − 0.75 m to the grid, 0.25 m from there to the box.
        let found = grid.distance(2.0 * Vec3::X);
        assert!((found - libm::hypot(1.25, 0.25)).abs() < 1e-12, "{found}");
    }

    #[test]
    fn a_finer_mesh_and_grid_come_nearer_to_the_sphere() {
        let exact = Revolved::sphere(1.0).unwrap();
        let error = |layers: u32| {
            let grid = sampled(&skin(ball(1.0, layers).unwrap()), 0.8 / f64::from(layers));
            let near = check::points(8000, 1.1).into_iter();
            let near = near.filter(|p| p.length() > 0.7 && grid.bounds().contains(*p));
            near.map(|p| (grid.distance(p) - exact.distance(p)).abs()).fold(0.0, f64::max)
        };
        let errors = [2, 4, 8].map(error);
        let slopes = [errors[0] / errors[1], errors[1] / errors[2]].map(libm::log2);
        assert!(slopes.iter().all(|slope| (1.7..2.4).contains(slope)), "{errors:?} {slopes:?}");
        assert!(errors[2] < 0.015, "{errors:?}");
    }

    #[test]
    fn the_sign_is_right_in_hollows_and_holes() {
        let ring = TorusSettings { ring_radius: 1.0, tube_radius: 0.4, around: 16, rings: 2 };
        let surface = skin(torus(&ring).unwrap());
        let grid = sampled(&surface, 0.1);
        assert!(grid.distance(Vec3::ZERO) > 0.5);
        let slack = 0.1 * 0.75_f64.sqrt();
        let mut reported = [0, 0];
        for point in check::points(2000, 1.5) {
            let distance = grid.distance(point);
            if distance.abs() > slack {
                let inside = winding(surface.positions(), surface.triangles(), point) > 0;
                assert_eq!(distance < 0.0, inside, "{distance} at {point}");
                reported[usize::from(inside)] += 1;
            }
        }
        assert!(reported[0] > 1000 && reported[1] > 100, "{reported:?}");
    }

    #[test]
    fn a_grid_beyond_memory_is_refused() {
        let surface = skin(cuboid([1, 1, 1], Vec3::ONE, TetSplit::Six).unwrap());
        let message = |spacing: f64, margin: f64| {
            Grid::new(&surface, GridSettings { spacing, margin }).unwrap_err().to_string()
        };
        assert!(message(1e-3, 0.0).starts_with("a grid of 1003 × 1003 × 1003 nodes is too large"));
        assert!(message(0.0, 0.0).starts_with("a grid has spacing 0 m"));
        assert!(message(1.0, f64::NAN).starts_with("a grid has margin NaN m"));
        assert!(message(1e-300, 0.0).contains("too large"));
    }
}
