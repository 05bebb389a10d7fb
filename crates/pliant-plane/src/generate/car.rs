//! Cars: closed surfaces whose shadow on the plane is a convex outline.
//!
//! Rings of one shape lie above each other: the sill, the belt as wide, then the cabin's
//! foot and its narrower roof. Nothing reaches over the sill, so that the outline of the
//! lowest ring is the whole car's.

use super::{GenerateError, around, check_count, check_length};
use pliant::id::VertexId;
use pliant::math::{Vec2, Vec3};
use pliant::mesh::raw::RawMesh;

/// Heights of the rings over the car's.
const HEIGHTS: [f64; 4] = [0.12, 0.6, 0.62, 1.0];

/// Length and width of the rings over the car's.
const SCALES: [[f64; 2]; 4] = [[1.0, 1.0], [0.97, 0.96], [0.68, 0.86], [0.44, 0.7]];

/// Where the rings' middles lie behind the car's, over its length.
const BACK: [f64; 4] = [0.0, 0.0, 0.08, 0.1];

/// Fewest points that have a nose and a tail.
const LEAST_POINTS: u32 = 6;

/// Parameters of a car.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CarSettings {
    /// Length along x, width along y and height along z, m.
    pub size: [f64; 3],
    /// Points of the outline, at least 6.
    pub points: u32,
}

/// The outline of a car that looks along x, around the origin; convex.
pub fn outline(settings: &CarSettings) -> Result<Vec<Vec2>, GenerateError> {
    let CarSettings { size: [length, width, height], points } = *settings;
    check_count("points of the car", points, LEAST_POINTS, 1)?;
    check_length("the length of the car", length)?;
    check_length("the width of the car", width)?;
    check_length("the height of the car", height)?;
    let point = |k: u32| {
        // From a corner of the tail around the nose: a box with round corners.
        let way = around((f64::from(k) + 0.5) / f64::from(points) - 0.5);
        let fourth = |x: f64| (x * x) * (x * x);
        let reach = (fourth(way.x) + fourth(way.y)).sqrt().sqrt();
        Vec2::new(0.5 * length, 0.5 * width) * way / reach
    };
    Ok((0..points).map(point).collect())
}

/// The surface of a car that stands on the plane z = 0 and looks along x.
///
/// Its first vertices are those of [`outline`], in order, at the height of the sill.
pub fn car(settings: &CarSettings) -> Result<RawMesh, GenerateError> {
    let outline = outline(settings)?;
    let [length, _, height] = settings.size;
    let mut mesh = RawMesh::default();
    for ((up, scale), back) in HEIGHTS.into_iter().zip(SCALES).zip(BACK) {
        let place =
            |p: &Vec2| Vec3::new(scale[0] * p.x - back * length, scale[1] * p.y, up * height);
        mesh.positions.extend(outline.iter().map(place));
    }
    let count = settings.points;
    let at = |ring: u32, k: u32| VertexId(ring * count + k % count);
    for ring in 0..HEIGHTS.len() as u32 - 1 {
        for k in 0..count {
            let (a, b, c, d) = (at(ring, k), at(ring, k + 1), at(ring + 1, k + 1), at(ring + 1, k));
            mesh.triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    let roof = HEIGHTS.len() as u32 - 1;
    for k in 1..count - 1 {
        mesh.triangles.push([at(0, 0), at(0, k + 1), at(0, k)]);
        mesh.triangles.push([at(roof, 0), at(roof, k), at(roof, k + 1)]);
    }
    Ok(mesh)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::tests::check_simple;
    use crate::segment::surrounds;
    use pliant::math::orient2d;
    use pliant::mesh::surface::Surface;

    const USUAL: CarSettings = CarSettings { size: [4.2, 1.8, 1.4], points: 15 };

    #[test]
    fn outlines_are_convex_and_as_large_as_asked() {
        for points in [6, 14, 15, 40] {
            let ring = outline(&CarSettings { points, ..USUAL }).unwrap();
            assert_eq!(check_simple(std::slice::from_ref(&ring)), points as usize);
            let at = |k: usize| ring[k % ring.len()];
            assert!((0..ring.len()).all(|k| orient2d(at(k), at(k + 1), at(k + 2)) > 0.0));
            assert!(ring.iter().all(|p| p.x.abs() <= 2.1 && p.y.abs() <= 0.9));
        }
    }

    #[test]
    fn a_car_is_a_closed_surface_above_its_outline() {
        for points in [14, 15] {
            let settings = CarSettings { points, ..USUAL };
            let (mesh, outline) = (car(&settings).unwrap(), outline(&settings).unwrap());
            for (vertex, point) in mesh.positions.iter().zip(&outline) {
                assert_eq!(vertex.truncate(), *point);
            }
            // Just within, as points on the border may be classified either way.
            let held = |p: &Vec3| surrounds(&outline, (1.0 - 1e-9) * p.truncate());
            assert!(mesh.positions.iter().all(held));
            assert!(matches!(Surface::from_raw(mesh), Ok((_, None))));
        }
    }

    #[test]
    fn numbers_without_a_car_are_refused() {
        assert!(car(&CarSettings { points: 5, ..USUAL }).is_err());
        for axis in 0..3 {
            let mut size = USUAL.size;
            size[axis] = 0.0;
            assert!(car(&CarSettings { size, ..USUAL }).is_err());
        }
    }
}
