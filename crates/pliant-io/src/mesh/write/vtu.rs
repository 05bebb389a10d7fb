//! Writes VTK's XML unstructured grids.
//!
//! Lengths are words of 64 bits, so that no mesh is too large. Arrays of bytes begin with
//! their length; packed ones with the count of blocks, the size of a block, the size of
//! the last block, and the packed size of each.

use std::borrow::Cow;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use miniz_oxide::deflate::compress_to_vec_zlib;

use crate::mesh::write::text::{push_point, push_whole};
use crate::mesh::write::vtk::{TETRAHEDRON, tells_regions};
use pliant::id::VertexId;
use pliant::math::Vec3;

/// Size of a block before it is packed, bytes; each is packed without the others.
const BLOCK: usize = 1 << 18;

/// How hard to pack, 0 to 10: beyond this, time grows much faster than files shrink.
const LEVEL: u8 = 4;

/// How the arrays of a file are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum VtuEncoding {
    /// As text, exact: reading is bitwise identical.
    Ascii,
    /// As base64 inside the XML.
    Base64,
    /// As bytes behind the XML: the fastest to write and to read.
    #[default]
    Appended,
    /// As base64 of bytes packed by zlib: the smallest.
    Zlib,
}

/// Writes tets as an unstructured grid of one piece.
///
/// `regions` has one number per tet, or is empty; it becomes the cell data `region`
/// unless every number is 0. Coordinates keep their bits.
pub fn write(
    positions: &[Vec3],
    tets: &[[VertexId; 4]],
    regions: &[u32],
    encoding: VtuEncoding,
) -> Vec<u8> {
    debug_assert!(regions.is_empty() || regions.len() == tets.len(), "{} regions", regions.len());
    let mut file = File::begin([positions.len(), tets.len()], encoding);
    file.push("<Points>\n");
    file.push_array(Column::Points(positions));
    file.push("</Points>\n<Cells>\n");
    file.push_array(Column::Connectivity(tets));
    file.push_array(Column::Offsets(tets.len()));
    file.push_array(Column::Types(tets.len()));
    file.push("</Cells>\n");
    if tells_regions(regions) {
        file.push("<CellData Scalars=\"region\">\n");
        file.push_array(Column::Regions(regions));
        file.push("</CellData>\n");
    }
    file.push("</Piece>\n</UnstructuredGrid>\n");
    file.finish()
}

/// Cells of any kind on points of 32 bits, with one number per point.
#[derive(Clone, Copy, Debug, Default)]
pub struct Grid<'a> {
    /// World space, m.
    pub points: &'a [[f32; 3]],
    /// Corners of all cells, one cell after the other.
    pub corners: &'a [u32],
    /// Where the corners of each cell end.
    pub ends: &'a [u64],
    /// VTK's number of each cell's kind, as many as `ends`.
    pub kinds: &'a [u8],
    /// Body of each point, as many as points: the point data `body`.
    pub bodies: &'a [u32],
    /// More point data.
    pub point_fields: &'a [GridField<'a>],
    /// Cell data.
    pub cell_fields: &'a [GridField<'a>],
}

/// Numbers on the points or cells of a grid.
#[derive(Clone, Debug, Default)]
pub struct GridField<'a> {
    /// Its name: letters, digits, `-` and `_`.
    pub name: &'a str,
    /// Numbers of each point or cell.
    pub components: usize,
    /// All of them, point by point or cell by cell.
    pub values: Vec<f32>,
}

/// Writes a grid of one piece; numbers keep their bits.
pub fn write_grid(grid: &Grid, encoding: VtuEncoding) -> Vec<u8> {
    debug_assert_eq!(grid.ends.len(), grid.kinds.len());
    debug_assert_eq!(grid.points.len(), grid.bodies.len());
    let mut file = File::begin([grid.points.len(), grid.ends.len()], encoding);
    file.push("<PointData Scalars=\"body\">\n");
    file.push_array(Column::Bodies(grid.bodies));
    grid.point_fields.iter().for_each(|field| file.push_array(Column::Field(field)));
    if !grid.cell_fields.is_empty() {
        file.push("</PointData>\n<CellData>\n");
        grid.cell_fields.iter().for_each(|field| file.push_array(Column::Field(field)));
        file.push("</CellData>\n<Points>\n");
    } else {
        file.push("</PointData>\n<Points>\n");
    }
    file.push_array(Column::ShortPoints(grid.points));
    file.push("</Points>\n<Cells>\n");
    file.push_array(Column::Corners(grid.corners));
    file.push_array(Column::Ends(grid.ends));
    file.push_array(Column::Kinds(grid.kinds));
    file.push("</Cells>\n</Piece>\n</UnstructuredGrid>\n");
    file.finish()
}

/// One array of the file.
#[derive(Clone, Copy)]
enum Column<'a> {
    Points(&'a [Vec3]),
    Connectivity(&'a [[VertexId; 4]]),
    /// Ends of so many tets.
    Offsets(usize),
    /// Types of so many tets.
    Types(usize),
    Regions(&'a [u32]),
    ShortPoints(&'a [[f32; 3]]),
    Corners(&'a [u32]),
    Ends(&'a [u64]),
    Kinds(&'a [u8]),
    Bodies(&'a [u32]),
    Field(&'a GridField<'a>),
}

impl Column<'_> {
    /// The attributes that say what the numbers are.
    fn attributes(self) -> Cow<'static, str> {
        let fixed = match self {
            Column::Field(field) => {
                return Cow::Owned(format!(
                    "type=\"Float32\" Name=\"{}\" NumberOfComponents=\"{}\"",
                    field.name, field.components
                ));
            }
            Column::Points(_) => "type=\"Float64\" Name=\"Points\" NumberOfComponents=\"3\"",
            Column::ShortPoints(_) => "type=\"Float32\" Name=\"Points\" NumberOfComponents=\"3\"",
            Column::Bodies(_) => "type=\"UInt32\" Name=\"body\"",
            Column::Connectivity(_) | Column::Corners(_) => "type=\"UInt32\" Name=\"connectivity\"",
            Column::Offsets(_) | Column::Ends(_) => "type=\"Int64\" Name=\"offsets\"",
            Column::Types(_) | Column::Kinds(_) => "type=\"UInt8\" Name=\"types\"",
            Column::Regions(_) => "type=\"UInt32\" Name=\"region\"",
        };
        Cow::Borrowed(fixed)
    }

    fn push_text(self, out: &mut Vec<u8>) {
        let push_line = |out: &mut Vec<u8>, number: u64| {
            push_whole(out, number);
            out.push(b'\n');
        };
        match self {
            Column::Points(points) => points.iter().for_each(|&point| push_point(out, point)),
            Column::Connectivity(tets) => {
                for tet in tets {
                    for (k, corner) in tet.iter().enumerate() {
                        push_whole(out, u64::from(corner.0));
                        out.push(if k < 3 { b' ' } else { b'\n' });
                    }
                }
            }
            Column::Offsets(tets) => (1..=tets as u64).for_each(|tet| push_line(out, 4 * tet)),
            Column::Types(tets) => (0..tets).for_each(|_| push_line(out, u64::from(TETRAHEDRON))),
            Column::Regions(numbers) | Column::Corners(numbers) | Column::Bodies(numbers) => {
                numbers.iter().for_each(|&number| push_line(out, u64::from(number)));
            }
            Column::ShortPoints(points) => {
                let wide = points.iter().map(|p| Vec3::from(p.map(f64::from)));
                wide.for_each(|point| push_point(out, point));
            }
            Column::Ends(ends) => ends.iter().for_each(|&end| push_line(out, end)),
            Column::Kinds(kinds) => kinds.iter().for_each(|&kind| push_line(out, kind.into())),
            Column::Field(field) => {
                let texts = field.values.iter().map(|number| format!("{number:?}\n"));
                texts.for_each(|text| out.extend(text.as_bytes()));
            }
        }
    }

    fn bytes(self) -> Vec<u8> {
        match self {
            Column::Points(points) => {
                points.iter().flat_map(|p| p.to_array()).flat_map(f64::to_le_bytes).collect()
            }
            Column::Connectivity(tets) => {
                tets.iter().flatten().flat_map(|corner| corner.0.to_le_bytes()).collect()
            }
            Column::Offsets(tets) => {
                (1..=tets as u64).flat_map(|tet| (4 * tet).to_le_bytes()).collect()
            }
            Column::Types(tets) => vec![TETRAHEDRON; tets],
            Column::Regions(numbers) | Column::Corners(numbers) | Column::Bodies(numbers) => {
                numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
            }
            Column::ShortPoints(points) => {
                points.iter().flatten().flat_map(|number| number.to_le_bytes()).collect()
            }
            Column::Ends(ends) => ends.iter().flat_map(|end| end.to_le_bytes()).collect(),
            Column::Kinds(kinds) => kinds.to_vec(),
            Column::Field(field) => {
                field.values.iter().flat_map(|number| number.to_le_bytes()).collect()
            }
        }
    }
}

/// A file while it is written.
struct File {
    out: Vec<u8>,
    /// What comes behind the XML.
    appended: Vec<u8>,
    encoding: VtuEncoding,
}

impl File {
    /// A file of one piece with so many points and cells.
    fn begin([points, cells]: [usize; 2], encoding: VtuEncoding) -> File {
        let packing = match encoding {
            VtuEncoding::Zlib => " compressor=\"vtkZLibDataCompressor\"",
            _ => "",
        };
        let mut file = File { out: Vec::new(), appended: Vec::new(), encoding };
        file.push(&format!(
            "<?xml version=\"1.0\"?>\n\
             <VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" \
             header_type=\"UInt64\"{packing}>\n\
             <UnstructuredGrid>\n\
             <Piece NumberOfPoints=\"{points}\" NumberOfCells=\"{cells}\">\n"
        ));
        file
    }

    fn push(&mut self, text: &str) {
        self.out.extend(text.as_bytes());
    }

    fn push_array(&mut self, column: Column) {
        let attributes = column.attributes();
        match self.encoding {
            VtuEncoding::Ascii => {
                self.push(&format!("<DataArray {attributes} format=\"ascii\">\n"));
                column.push_text(&mut self.out);
                self.push("</DataArray>\n");
            }
            VtuEncoding::Appended => {
                let offset = self.appended.len();
                self.push(&format!(
                    "<DataArray {attributes} format=\"appended\" offset=\"{offset}\"/>\n"
                ));
                let bytes = column.bytes();
                self.appended.extend((bytes.len() as u64).to_le_bytes());
                self.appended.extend(bytes);
            }
            VtuEncoding::Base64 | VtuEncoding::Zlib => {
                let text = match self.encoding {
                    VtuEncoding::Zlib => packed(&column.bytes()),
                    _ => plain(&column.bytes()),
                };
                self.push(&format!("<DataArray {attributes} format=\"binary\">\n"));
                self.push(&text);
                self.push("\n</DataArray>\n");
            }
        }
    }

    fn finish(mut self) -> Vec<u8> {
        if self.encoding == VtuEncoding::Appended {
            self.push("<AppendedData encoding=\"raw\">\n_");
            self.out.append(&mut self.appended);
            self.push("\n</AppendedData>\n");
        }
        self.push("</VTKFile>\n");
        self.out
    }
}

/// Length and bytes in one stream of base64.
fn plain(bytes: &[u8]) -> String {
    let mut whole = Vec::with_capacity(8 + bytes.len());
    whole.extend((bytes.len() as u64).to_le_bytes());
    whole.extend(bytes);
    STANDARD.encode(whole)
}

/// Sizes and packed blocks, each in a stream of base64 of its own.
fn packed(bytes: &[u8]) -> String {
    let blocks = bytes.chunks(BLOCK);
    let mut sizes = vec![blocks.len() as u64, BLOCK as u64, (bytes.len() % BLOCK) as u64];
    let mut data = Vec::new();
    for block in blocks {
        let block = compress_to_vec_zlib(block, LEVEL);
        sizes.push(block.len() as u64);
        data.extend(block);
    }
    let header: Vec<u8> = sizes.into_iter().flat_map(u64::to_le_bytes).collect();
    let mut text = STANDARD.encode(header);
    STANDARD.encode_string(data, &mut text);
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::parse::vtu::parse;

    const ALL: [VtuEncoding; 4] =
        [VtuEncoding::Ascii, VtuEncoding::Base64, VtuEncoding::Appended, VtuEncoding::Zlib];

    /// A fan of tets around an edge, with coordinates that use all their bits.
    fn fan(count: u32) -> (Vec<Vec3>, Vec<[VertexId; 4]>, Vec<u32>) {
        let point = |k: u32| Vec3::new(1.0 / f64::from(k + 1), (f64::from(k)).sqrt(), -0.0);
        let positions = (0..count + 3).map(point).collect();
        let tets = (0..count).map(|k| [0, 1, k + 2, k + 3].map(VertexId)).collect();
        (positions, tets, (0..count).map(|k| k % 5).collect())
    }

    #[track_caller]
    fn check(count: u32) {
        let (positions, tets, regions) = fan(count);
        for encoding in ALL {
            let mesh = parse(&write(&positions, &tets, &regions, encoding)).unwrap();
            let bits = |points: &[Vec3]| -> Vec<_> {
                points.iter().flat_map(|p| p.to_array().map(f64::to_bits)).collect()
            };
            assert_eq!(bits(&mesh.positions), bits(&positions), "{encoding:?}");
            assert!(mesh.tets == tets && mesh.regions == regions, "{encoding:?}");
            assert_eq!(mesh.notices, [""; 0], "{encoding:?}");
        }
    }

    #[test]
    fn what_is_written_reads_back_to_the_same_bits() {
        check(0);
        check(1);
        check(1000);
    }

    #[test]
    fn full_blocks_and_several_blocks_read_back() {
        // Corners of 16 bytes a tet: exactly one block of them, then one tet more.
        let tets = (BLOCK / 16) as u32;
        check(tets);
        check(tets + 1);
    }

    #[test]
    fn numbers_that_are_not_finite_survive_in_every_encoding() {
        let point = Vec3::new(f64::NAN, f64::INFINITY, f64::NEG_INFINITY);
        for encoding in ALL {
            let mesh = parse(&write(&[point], &[], &[], encoding)).unwrap();
            let found = mesh.positions[0].to_array().map(f64::to_bits);
            assert_eq!(found, point.to_array().map(f64::to_bits), "{encoding:?}");
        }
    }

    #[test]
    fn cells_of_several_kinds_read_back() {
        // A triangle, a line and a point: kinds 5, 3 and 1.
        let grid = Grid {
            points: &[[0.0; 3], [0.1, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
            corners: &[0, 1, 2, 2, 3, 3],
            ends: &[3, 5, 6],
            kinds: &[5, 3, 1],
            bodies: &[0, 0, 0, 1],
            point_fields: &[],
            cell_fields: &[],
        };
        for encoding in ALL {
            let mesh = parse(&write_grid(&grid, encoding)).unwrap();
            assert_eq!(mesh.positions[1].x, f64::from(0.1_f32), "{encoding:?}");
            assert_eq!(mesh.triangles, [[0, 1, 2].map(VertexId)], "{encoding:?}");
            assert_eq!(mesh.notices.len(), 1, "{:?}", mesh.notices);
        }
    }

    #[test]
    fn no_regions_are_written_when_all_are_zero() {
        let (positions, tets, _) = fan(2);
        for encoding in ALL {
            let plain = write(&positions, &tets, &[], encoding);
            assert_eq!(write(&positions, &tets, &[0, 0], encoding), plain);
        }
    }
}
