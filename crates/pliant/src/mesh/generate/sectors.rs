//! Numbering of a plane mesh of rings around a middle point, in equal sectors.
//!
//! Ring r has r steps in each sector, so that triangles stay of one size. A disc and
//! a polygon differ only in where they put the points.

/// Triangles in rings around point 0.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sectors {
    /// Sectors around the middle, at least 3.
    pub count: u32,
    /// Rings around the middle, at least 1.
    pub rings: u32,
}

impl Sectors {
    /// Points in all rings and the middle.
    pub(crate) fn points(self) -> u32 {
        1 + self.count * self.rings * (self.rings + 1) / 2
    }

    /// Number of the point at a ring's step; steps wrap around, ring 0 is the middle.
    pub(crate) fn point(self, ring: u32, step: u32) -> u32 {
        if ring == 0 {
            return 0;
        }
        1 + self.count * ring * (ring - 1) / 2 + step % (self.count * ring)
    }

    /// Ring and step of every point, in the order of their numbers.
    pub(crate) fn places(self) -> impl Iterator<Item = (u32, u32)> {
        let ring = move |ring| (0..self.count * ring).map(move |step| (ring, step));
        std::iter::once((0, 0)).chain((1..=self.rings).flat_map(ring))
    }

    /// Corners of all triangles, in the direction in which steps run.
    pub(crate) fn triangles(self) -> Vec<[u32; 3]> {
        let mut triangles = Vec::new();
        for ring in 1..=self.rings {
            for sector in 0..self.count {
                let inner = |step| self.point(ring - 1, sector * (ring - 1) + step);
                let outer = |step| self.point(ring, sector * ring + step);
                for step in 0..ring {
                    triangles.push([inner(step), outer(step), outer(step + 1)]);
                }
                for step in 0..ring - 1 {
                    triangles.push([inner(step), outer(step + 1), inner(step + 1)]);
                }
            }
        }
        triangles
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_and_points_agree() {
        let sectors = Sectors { count: 5, rings: 4 };
        let numbers: Vec<u32> = sectors.places().map(|(r, s)| sectors.point(r, s)).collect();
        // 1 + 5·(1 + 2 + 3 + 4) points.
        assert_eq!(numbers, (0..51).collect::<Vec<_>>());
        assert_eq!(sectors.points(), 51);
    }

    #[test]
    fn one_ring_is_a_fan() {
        let fan = Sectors { count: 3, rings: 1 }.triangles();
        assert_eq!(fan, [[0, 1, 2], [0, 2, 3], [0, 3, 1]]);
    }

    #[test]
    fn two_rings_have_four_triangles_in_each_sector() {
        assert_eq!(Sectors { count: 6, rings: 2 }.triangles().len(), 6 * 4);
    }
}
