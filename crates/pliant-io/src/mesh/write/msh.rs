//! Gmsh files, version 4.1, as text or as bytes in little-endian order.
//!
//! Every region becomes a volume whose physical group has the region's number, so
//! that Gmsh keeps all tets and other readers find the regions where they look.

use crate::mesh::write::Encoding;
use crate::mesh::write::text::{push_real, push_whole};
use pliant::id::VertexId;
use pliant::math::Vec3;

/// Dimension of a volume.
const VOLUME: i32 = 3;

/// Gmsh's number for tets with four nodes.
const TET: i32 = 4;

/// Tag of the volume that all nodes belong to; the others share its nodes.
const FIRST_VOLUME: i32 = 1;

/// A region that MSH files have no number for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("tet {tet} has region {region}, regions of MSH files go up to {}; .vtu keeps it", i32::MAX)]
pub struct RegionTooLarge {
    /// The first tet with such a region, from 0.
    pub tet: usize,
    /// Its region.
    pub region: u32,
}

/// Writes a tet mesh with one region per tet.
///
/// Reading gives the same vertices and tets in the same order, and bitwise equal values of
/// every number: a region that comes back after another one gets a further block.
/// Tets beyond the end of `regions` are in region 0. A region above `i32::MAX` is an error:
/// the format has signed numbers, and readers take negative ones for no region.
pub fn write(
    positions: &[Vec3],
    tets: &[[VertexId; 4]],
    regions: &[u32],
    encoding: Encoding,
) -> Result<Vec<u8>, RegionTooLarge> {
    let large = |(_, region): &(usize, &u32)| i32::try_from(**region).is_err();
    if let Some((tet, &region)) = regions.iter().take(tets.len()).enumerate().find(large) {
        return Err(RegionTooLarge { tet, region });
    }
    let regions: Vec<u32> =
        (0..tets.len()).map(|tet| regions.get(tet).copied().unwrap_or(0)).collect();
    let mut volumes = regions.clone();
    volumes.sort_unstable();
    volumes.dedup();

    let mut out = Out { bytes: Vec::new(), encoding };
    out.header();
    out.open("Entities");
    out.volumes(&volumes, &boxes(positions, tets, &regions, &volumes));
    out.close("Entities");
    out.open("Nodes");
    out.nodes(positions);
    out.close("Nodes");
    out.open("Elements");
    out.elements(tets, &regions, &volumes);
    out.close("Elements");
    Ok(out.bytes)
}

/// Lowest and highest corner of each volume, m; one empty box if there are none.
fn boxes(
    positions: &[Vec3],
    tets: &[[VertexId; 4]],
    regions: &[u32],
    volumes: &[u32],
) -> Vec<[Vec3; 2]> {
    let mut boxes = vec![None::<[Vec3; 2]>; volumes.len().max(1)];
    for (tet, region) in tets.iter().zip(regions) {
        let volume = volumes.partition_point(|v| v < region);
        for corner in tet.iter().filter_map(|vertex| positions.get(vertex.index())) {
            let [low, high] = boxes[volume].unwrap_or([*corner; 2]);
            boxes[volume] = Some([low.min(*corner), high.max(*corner)]);
        }
    }
    boxes.into_iter().map(Option::unwrap_or_default).collect()
}

/// The file as far as it is written.
struct Out {
    /// What is written so far.
    bytes: Vec<u8>,
    /// How numbers are written.
    encoding: Encoding,
}

impl Out {
    fn header(&mut self) {
        match self.encoding {
            Encoding::Ascii => self.text("$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"),
            Encoding::Binary => {
                self.text("$MeshFormat\n4.1 1 8\n");
                self.int(1);
                self.text("\n$EndMeshFormat\n");
            }
        }
    }

    fn volumes(&mut self, volumes: &[u32], boxes: &[[Vec3; 2]]) {
        for count in [0, 0, 0, boxes.len()] {
            self.size(count);
        }
        self.end_line();
        for (tag, corners) in (FIRST_VOLUME..).zip(boxes) {
            self.int(tag);
            for corner in corners {
                self.point(*corner);
            }
            match volumes.get((tag - FIRST_VOLUME) as usize) {
                Some(&region) => {
                    self.size(1);
                    self.int(region as i32);
                }
                None => self.size(0),
            }
            self.size(0); // no bounding surfaces
            self.end_line();
        }
    }

    fn nodes(&mut self, positions: &[Vec3]) {
        self.totals(1, positions.len());
        self.block(FIRST_VOLUME, 0, positions.len());
        for tag in 1..=positions.len() {
            self.size(tag);
            self.end_line();
        }
        for &position in positions {
            self.point(position);
            self.end_line();
        }
    }

    fn elements(&mut self, tets: &[[VertexId; 4]], regions: &[u32], volumes: &[u32]) {
        self.totals(regions.chunk_by(|a, b| a == b).count(), tets.len());
        let mut tet = 0;
        for run in regions.chunk_by(|a, b| a == b) {
            let volume = volumes.partition_point(|volume| *volume < run[0]);
            self.block(FIRST_VOLUME + volume as i32, TET, run.len());
            for corners in &tets[tet..tet + run.len()] {
                tet += 1;
                self.size(tet);
                for vertex in corners {
                    self.size(vertex.index() + 1);
                }
                self.end_line();
            }
        }
    }

    /// Blocks, things in them, and the range of their tags.
    fn totals(&mut self, blocks: usize, count: usize) {
        for number in [blocks, count, count.min(1), count] {
            self.size(number);
        }
        self.end_line();
    }

    fn block(&mut self, volume: i32, detail: i32, count: usize) {
        for number in [VOLUME, volume, detail] {
            self.int(number);
        }
        self.size(count);
        self.end_line();
    }

    fn open(&mut self, section: &str) {
        self.text(&format!("${section}\n"));
    }

    fn close(&mut self, section: &str) {
        if self.encoding == Encoding::Binary {
            self.bytes.push(b'\n');
        }
        self.text(&format!("$End{section}\n"));
    }

    fn int(&mut self, number: i32) {
        match self.encoding {
            Encoding::Ascii => {
                if number < 0 {
                    self.bytes.push(b'-');
                }
                push_whole(&mut self.bytes, number.unsigned_abs().into());
                self.bytes.push(b' ');
            }
            Encoding::Binary => self.bytes.extend(number.to_le_bytes()),
        }
    }

    fn size(&mut self, number: usize) {
        match self.encoding {
            Encoding::Ascii => {
                push_whole(&mut self.bytes, number as u64);
                self.bytes.push(b' ');
            }
            Encoding::Binary => self.bytes.extend((number as u64).to_le_bytes()),
        }
    }

    fn point(&mut self, point: Vec3) {
        for number in point.to_array() {
            match self.encoding {
                Encoding::Ascii => {
                    push_real(&mut self.bytes, number);
                    self.bytes.push(b' ');
                }
                Encoding::Binary => self.bytes.extend(number.to_le_bytes()),
            }
        }
    }

    /// Turns the space behind the last number of a line of text into its end.
    fn end_line(&mut self) {
        if let (Encoding::Ascii, Some(last)) = (self.encoding, self.bytes.last_mut()) {
            *last = b'\n';
        }
    }

    fn text(&mut self, text: &str) {
        self.bytes.extend(text.as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;
    use crate::mesh::parse::msh::parse;

    const TETS: [[VertexId; 4]; 3] = [
        [VertexId(0), VertexId(1), VertexId(2), VertexId(3)],
        [VertexId(4), VertexId(2), VertexId(1), VertexId(3)],
        [VertexId(3), VertexId(1), VertexId(2), VertexId(0)],
    ];

    fn positions() -> Vec<Vec3> {
        let odd = Vec3::new(0.1 + 0.2, -1.0 / 3.0, f64::MIN_POSITIVE / 4.0);
        vec![Vec3::ZERO, Vec3::X, Vec3::NEG_Y, Vec3::new(1e300, -0.0, 5e-324), odd, Vec3::ONE]
    }

    /// The mesh comes back in both encodings, bit for bit and without notices.
    #[track_caller]
    fn check(positions: &[Vec3], tets: &[[VertexId; 4]], regions: &[u32]) {
        for encoding in [Encoding::Ascii, Encoding::Binary] {
            let mesh = parse(&write(positions, tets, regions, encoding).unwrap()).unwrap();
            let bits = |p: &Vec3| p.to_array().map(f64::to_bits);
            assert!(mesh.positions.iter().map(bits).eq(positions.iter().map(bits)));
            assert_eq!(mesh.tets, tets);
            assert_eq!(mesh.regions, regions);
            assert_eq!(mesh.notices, [""; 0]);
        }
    }

    #[test]
    fn meshes_come_back_bit_for_bit() {
        check(&positions(), &TETS, &[0, 0, 0]);
        check(&positions(), &TETS, &[9, 4, 9]);
        check(&positions(), &TETS, &[0, i32::MAX as u32, 1]);
        check(&positions(), &[], &[]);
        check(&[], &[], &[]);
    }

    #[test]
    fn numbers_that_are_none_come_back_too() {
        let positions = [Vec3::new(f64::NAN, f64::INFINITY, f64::NEG_INFINITY)];
        for encoding in [Encoding::Ascii, Encoding::Binary] {
            let mesh = parse(&write(&positions, &[], &[], encoding).unwrap()).unwrap();
            let [x, y, z] = mesh.positions[0].to_array();
            assert!(x.is_nan() && y == f64::INFINITY && z == f64::NEG_INFINITY);
        }
    }

    #[test]
    fn a_region_beyond_the_format_is_refused_with_its_tet() {
        for encoding in [Encoding::Ascii, Encoding::Binary] {
            let refused = write(&positions(), &TETS, &[1, 1 << 31, 2], encoding).unwrap_err();
            let expected = "tet 1 has region 2147483648, regions of MSH files go up to 2147483647; \
                            .vtu keeps it";
            assert_eq!(refused.to_string(), expected);
            // Regions of no tet are not written.
            assert!(write(&positions(), &TETS[..1], &[1, u32::MAX], encoding).is_ok());
        }
    }

    proptest! {
        #[test]
        fn any_mesh_comes_back_bit_for_bit(
            points in vec(any::<[f64; 3]>(), 1..9),
            tets in vec((any::<[u32; 4]>(), 0_u32..3), 0..9),
        ) {
            let points: Vec<Vec3> = points.into_iter().map(Vec3::from).collect();
            let count = points.len() as u32;
            let (tets, regions): (Vec<_>, Vec<_>) = tets.into_iter().unzip();
            let tets: Vec<_> = tets.iter().map(|t| t.map(|v| VertexId(v % count))).collect();
            check(&points, &tets, &regions);
        }
    }

    #[test]
    fn a_text_file_reads_as_the_format_describes_it() {
        let positions = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::new(0.0, 0.5, 1e-7)];
        let text = write(&positions, &TETS[..1], &[7], Encoding::Ascii).unwrap();
        let expected = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n\
            $Entities\n0 0 0 1\n1 0.0 0.0 0.0 1.0 1.0 1e-7 1 7 0\n$EndEntities\n\
            $Nodes\n1 4 1 4\n3 1 0 4\n1\n2\n3\n4\n\
            0.0 0.0 0.0\n1.0 0.0 0.0\n0.0 1.0 0.0\n0.0 0.5 1e-7\n$EndNodes\n\
            $Elements\n1 1 1 1\n3 1 4 1\n1 1 2 3 4\n$EndElements\n";
        assert_eq!(String::from_utf8(text).unwrap(), expected);
    }
}
