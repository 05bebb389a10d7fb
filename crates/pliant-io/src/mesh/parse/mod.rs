//! Mesh files: bytes in, a [`RawMesh`](pliant::mesh::raw::RawMesh) or the place of the first
//! error out.
//!
//! A reader takes what the file says and no more: memory stays within a constant
//! times the bytes handed in, whatever counts the file announces.

use std::fmt;

use crate::printable;

pub mod text;

pub mod binary;

pub(crate) mod scalar;

pub mod encoding;

pub mod skipped;

pub mod fan;

pub mod region;

#[cfg(test)]
mod damage;

pub mod lines;

pub mod vtk;

pub mod vtu;

pub mod msh;

pub mod medit;

pub mod tetgen;

pub mod veg;

pub mod obj;

pub mod stl;

pub mod ply;

pub mod off;

/// A mesh file format that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Legacy VTK, ascii or binary.
    Vtk,
    /// VTK's XML unstructured grid.
    Vtu,
    /// Gmsh 1.0, 2.x, 4.1.
    Msh,
    /// MEDIT ascii.
    Medit,
    /// TetGen's pair of .node and .ele.
    TetGen,
    /// VegaFEM.
    Veg,
    /// Wavefront OBJ.
    Obj,
    /// STL, ascii or binary.
    Stl,
    /// PLY, ascii or binary.
    Ply,
    /// OFF, ascii.
    Off,
}

/// Where in a file an error was found, and what it is.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{}", printable::message(&format!("{place}: {fault}")))]
pub struct ParseError {
    /// Where.
    pub place: Place,
    /// What.
    pub fault: Fault,
}

/// A place in a file that a person can go to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// Line of a text file, counted from 1.
    Line(usize),
    /// Offset into a binary file, counted from 0, bytes.
    Byte(usize),
    /// A named part of the file, such as an XML element.
    Part(String),
    /// The file as a whole.
    Whole,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Line(line) => write!(f, "line {line}"),
            Place::Byte(offset) => write!(f, "byte {offset}"),
            Place::Part(name) => f.write_str(name),
            Place::Whole => f.write_str("the file"),
        }
    }
}

/// What is wrong at a place.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Fault {
    /// The bytes end too early.
    #[error("the file ends where {wanted} should be")]
    Truncated {
        /// What was to come.
        wanted: String,
    },
    /// Something else stands where a thing was expected.
    #[error("expected {wanted}, found `{found}`")]
    Unexpected {
        /// What was to come.
        wanted: String,
        /// What is there, cut to a readable length.
        found: String,
    },
    /// An element names a vertex that the file does not hold.
    #[error("vertex {number} does not exist, the file numbers {count} vertices")]
    NoSuchVertex {
        /// The number as the file writes it.
        number: i64,
        /// Vertices in the file.
        count: usize,
    },
    /// A count that the rest of the file cannot hold.
    #[error("{announced} {what} announced, the rest of the file has room for at most {room}")]
    TooMany {
        /// What is counted.
        what: String,
        /// The count as the file writes it.
        announced: u64,
        /// The most that the remaining bytes can hold.
        room: u64,
    },
    /// Two statements of the file disagree, or one makes no sense.
    #[error("{0}")]
    Invalid(String),
    /// Apparently well formed, but not supported.
    #[error("{0}")]
    Unsupported(String),
}

impl ParseError {
    /// An error at a place.
    pub fn new(place: Place, fault: Fault) -> ParseError {
        ParseError { place, fault }
    }
}

/// Accepts a count only if there is room for that many.
#[inline]
pub fn check_room(announced: u64, what: &str, room: u64) -> Result<usize, Fault> {
    if announced > room {
        return Err(Fault::TooMany { what: what.to_string(), announced, room });
    }
    Ok(announced as usize)
}

/// The result of reading anything from a file.
pub type Parsed<T> = Result<T, ParseError>;

impl Format {
    /// The format that a file name's ending stands for, in any case of letters.
    pub fn of_name(name: &str) -> Option<Format> {
        let ending = name.rsplit_once('.')?.1.to_ascii_lowercase();
        Some(match ending.as_str() {
            "vtk" => Format::Vtk,
            "vtu" => Format::Vtu,
            "msh" => Format::Msh,
            "mesh" => Format::Medit,
            "node" | "ele" => Format::TetGen,
            "veg" => Format::Veg,
            "obj" => Format::Obj,
            "stl" => Format::Stl,
            "ply" => Format::Ply,
            "off" => Format::Off,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant::mesh::raw::RawMesh;

    /// A file with a byte-order mark before it gives the same mesh as without.
    #[track_caller]
    fn check(file: &str, parse: impl Fn(&[u8]) -> Parsed<RawMesh>) {
        let marked = format!("\u{feff}{file}");
        assert_eq!(parse(marked.as_bytes()), Ok(parse(file.as_bytes()).unwrap()));
    }

    #[test]
    fn a_byte_order_mark_changes_nothing_in_any_text_format() {
        let grid = "<VTKFile><UnstructuredGrid><Piece NumberOfPoints='0' NumberOfCells='0'/>\
            </UnstructuredGrid></VTKFile>";
        check("# vtk DataFile Version 4.2\n\nASCII\nDATASET POLYDATA\nPOINTS 0 int\n", vtk::parse);
        check(grid, vtu::parse);
        check("$NOD\n0\n$ENDNOD\n$ELM\n0\n$ENDELM\n", msh::parse);
        check("MeshVersionFormatted 1\nDimension 3\nVertices 0\n", medit::parse);
        check("0 3\n", |nodes| tetgen::parse_elements(b"0 4", tetgen::parse_nodes(nodes)?));
        check("0 4\n", |tets| tetgen::parse_elements(tets, tetgen::parse_nodes(b"0 3")?));
        let included = "*VERTICES\n0 3\n*ELEMENTS\nTET\n0 4\n";
        check("*INCLUDE a\n", |file| veg::parse(file, &mut |_| Some(included.into())));
        check(included, |file| veg::parse(b"*INCLUDE a", &mut |_| Some(file.to_vec())));
        check("v 0 0 0\n", obj::parse);
        check("solid\nendsolid\n", stl::parse);
        let axes = "property int x\nproperty int y\nproperty int z";
        let header = format!("ply\nformat ascii 1.0\nelement vertex 0\n{axes}\nend_header\n");
        check(&header, ply::parse);
        check("OFF\n0 0 0\n", off::parse);
    }
}
