//! Polygons as triangles: a fan around the first corner of each.

use crate::mesh::parse::skipped::{POLYGON, counted};
use pliant::id::VertexId;

/// Fewest corners that enclose an area.
const CORNERS_NEEDED: usize = 3;

/// Triangles of all polygons of a file, taken in corner by corner.
///
/// For files of many triangles: gathering corners for [`fan`] first takes a third longer.
#[derive(Clone, Debug, Default)]
pub struct Fans {
    /// Finished triangles, in the order and the sense of turning of the polygons.
    pub triangles: Vec<[VertexId; 3]>,
    /// Polygons of more than three corners.
    pub polygons: usize,
    /// Corners of the open polygon.
    corners: usize,
    /// First corner of the open polygon, which its triangles share.
    first: VertexId,
    /// Latest corner of the open polygon.
    last: VertexId,
}

impl Fans {
    /// Adds a corner to the open polygon.
    #[inline]
    pub fn corner(&mut self, vertex: VertexId) {
        match self.corners {
            0 => self.first = vertex,
            1 => {}
            _ => self.triangles.push([self.first, self.last, vertex]),
        }
        self.last = vertex;
        self.corners += 1;
    }

    /// Ends the open polygon; what is wrong with it if it encloses no area.
    #[inline]
    pub fn close(&mut self) -> Result<(), String> {
        let corners = std::mem::take(&mut self.corners);
        self.polygons += usize::from(corners > CORNERS_NEEDED);
        if corners < CORNERS_NEEDED {
            return Err(format!("a face needs three corners, this one has {corners}"));
        }
        Ok(())
    }

    /// Says how many polygons were cut; `None` if all were triangles.
    pub fn notice(&self) -> Option<String> {
        let polygons = counted(self.polygons, POLYGON);
        let cut = format!("cut {polygons} with more than three corners into fans of triangles");
        (self.polygons > 0).then_some(cut)
    }
}

/// Cuts a polygon into triangles that share its first corner.
///
/// Adds nothing for fewer than three corners.
#[inline]
pub fn fan(corners: &[VertexId], triangles: &mut Vec<[VertexId; 3]>) {
    if let [v0, others @ ..] = corners {
        triangles.extend(others.windows(2).map(|pair| [*v0, pair[0], pair[1]]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fan_has_two_triangles_fewer_than_corners() {
        let corners = [4, 5, 6, 7, 8].map(VertexId);
        for count in 0..=corners.len() {
            let mut triangles = Vec::new();
            fan(&corners[..count], &mut triangles);
            assert_eq!(triangles.len(), count.saturating_sub(2));
            assert!(triangles.iter().all(|t| t[0] == VertexId(4) && t[1].0 + 1 == t[2].0));
        }
    }

    fn add(fans: &mut Fans, corners: &[u32]) -> Result<(), String> {
        corners.iter().for_each(|&corner| fans.corner(VertexId(corner)));
        fans.close()
    }

    #[test]
    fn a_polygon_turns_around_its_first_corner() {
        let mut fans = Fans::default();
        add(&mut fans, &[7, 8, 9]).unwrap();
        assert_eq!(fans.notice(), None);
        add(&mut fans, &[1, 2, 3, 4, 5]).unwrap();
        let expected = [[7, 8, 9], [1, 2, 3], [1, 3, 4], [1, 4, 5]];
        assert_eq!(fans.triangles, expected.map(|corners| corners.map(VertexId)));
        let notice = "cut 1 polygon with more than three corners into fans of triangles";
        assert_eq!(fans.notice().as_deref(), Some(notice));
    }

    #[test]
    fn two_corners_are_no_face() {
        let mut fans = Fans::default();
        let fault = "a face needs three corners, this one has 2";
        assert_eq!(add(&mut fans, &[1, 2]), Err(fault.to_string()));
        assert!(add(&mut fans, &[]).is_err());
        assert!(fans.triangles.is_empty());
    }
}
