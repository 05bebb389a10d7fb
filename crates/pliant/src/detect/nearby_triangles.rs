//! The triangles of one body near another, arranged for quick box tests.

use crate::detect::boxes::{Bounds, Hits, Layers, Query};
use crate::detect::edge_filter::FilterTriangle;
use crate::id::{TriangleId, VertexId};
use crate::math::Vec4;

/// A direction along a coordinate axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ray {
    /// 0, 1 or 2.
    pub axis: usize,
    /// Which way.
    pub sense: Sense,
}

/// One of the two ways along an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sense {
    /// Towards larger coordinates.
    Up,
    /// Towards smaller coordinates.
    Down,
}

impl Ray {
    /// The axis ray along which points of `overlap` leave the box `its` soonest.
    pub(crate) fn shortest(overlap: Bounds, its: Bounds) -> Ray {
        let up = (its.high - overlap.low).to_array();
        let down = (overlap.high - its.low).to_array();
        let mut best = (f32::INFINITY, Ray { axis: 0, sense: Sense::Up });
        for axis in 0..3 {
            for (length, sense) in [(up[axis], Sense::Up), (down[axis], Sense::Down)] {
                if length < best.0 {
                    best = (length, Ray { axis, sense });
                }
            }
        }
        best.1
    }

    /// A box, drawn out without end along the ray.
    #[inline]
    pub(crate) fn sweep(self, from: Bounds) -> Bounds {
        let along = Vec4::from_array(
            [0, 1, 2, 3].map(
                |axis| {
                    if axis == self.axis { f32::INFINITY } else { f32::NEG_INFINITY }
                },
            ),
        );
        match self.sense {
            Sense::Up => Bounds { high: from.high.max(along), ..from },
            Sense::Down => Bounds { low: from.low.min(-along), ..from },
        }
    }
}

/// A list of triangles with their boxes.
#[derive(Clone, Debug, Default)]
pub(crate) struct NearbyTriangles {
    triangles: Vec<Triangle>,
    boxes: Layers,
}

/// A triangle of the list.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Triangle {
    /// Its number in the scene.
    pub id: TriangleId,
    /// Its corners, copied here so that they need not be looked up elsewhere.
    pub corners: [VertexId; 3],
    /// Where its corners are, rounded.
    pub facet: FilterTriangle,
}

impl NearbyTriangles {
    /// Empties the list but keeps its memory.
    pub(crate) fn clear(&mut self) {
        self.triangles.clear();
        self.boxes.clear();
    }

    /// Adds a triangle and its box; [`NearbyTriangles::close`] must follow before the next query.
    #[inline]
    pub(crate) fn push(&mut self, triangle: Triangle, around: Bounds) {
        self.triangles.push(triangle);
        self.boxes.push(around);
    }

    /// Closes the list, so that it can be queried.
    pub(crate) fn close(&mut self) {
        self.boxes.close();
    }

    /// A triangle by its place in the list.
    #[inline]
    pub(crate) fn triangle(&self, place: u32) -> &Triangle {
        &self.triangles[place as usize]
    }

    /// The places of all triangles whose boxes meet the query, ascending.
    #[inline]
    pub(crate) fn meeting<'a>(&self, bounds: Bounds, hits: &'a mut Hits) -> &'a [u32] {
        self.boxes.meeting(&Query::new(bounds), hits)
    }
}
