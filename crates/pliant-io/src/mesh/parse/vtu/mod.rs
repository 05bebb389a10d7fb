//! VTK's XML unstructured grids, in every storage that VTK writes but LZMA.
//!
//! A file holds pieces; each has points, cells and data attached to them. Arrays stand
//! as text or as base64 in the XML, or behind it in one block of appended data.

use roxmltree::Node;

use crate::mesh::parse::scalar::Scalar;
use crate::mesh::parse::vtk::array::{Array, Reading};
use crate::mesh::parse::vtk::cells::{Assembly, Bounds, Cells, Kinds};
use crate::mesh::parse::vtk::names::region_rank;
use crate::mesh::parse::{Fault, ParseError, Parsed};
use pliant::mesh::raw::RawMesh;

mod base64;

mod document;

mod storage;

use document::{attribute, child, children, line};
use storage::Storage;

/// Reads an XML unstructured grid.
///
/// Pieces are joined, without merging the vertices that they share. Cells are taken as
/// from a legacy file, and text keeps all its digits. Errors are placed by line where
/// there is one, otherwise by piece and array.
pub fn parse(bytes: &[u8]) -> Parsed<RawMesh> {
    let (xml, appended) = document::split(bytes)?;
    let document = document::open(&xml)?;
    let root = document.root_element();
    let grid = grid(&root)?;
    let mut storage = Storage::new(&root, appended, bytes.len())?;
    let mut assembly = Assembly::default();
    let mut pieces = 0;
    for piece in children(grid, "Piece") {
        let reader = Piece { node: piece, name: format!("piece {pieces}") };
        reader.read(&mut storage, &mut assembly)?;
        pieces += 1;
    }
    if pieces == 0 {
        let why = "an UnstructuredGrid without a Piece".to_string();
        return Err(ParseError::new(line(&grid), Fault::Invalid(why)));
    }
    Ok(assembly.finish())
}

/// The element that holds the pieces.
fn grid<'a>(root: &Node<'a, 'a>) -> Parsed<Node<'a, 'a>> {
    let found = root.tag_name().name();
    if found != "VTKFile" {
        let (wanted, found) = ("the element `VTKFile`".to_string(), found.to_string());
        return Err(ParseError::new(line(root), Fault::Unexpected { wanted, found }));
    }
    match root.attribute("type").unwrap_or("UnstructuredGrid") {
        "UnstructuredGrid" => child(*root, "UnstructuredGrid"),
        "PUnstructuredGrid" => {
            let why = "a PUnstructuredGrid only names other files: read those".to_string();
            Err(ParseError::new(line(root), Fault::Unsupported(why)))
        }
        other => {
            let why = format!("a VTKFile of type {other}, expected UnstructuredGrid");
            Err(ParseError::new(line(root), Fault::Unsupported(why)))
        }
    }
}

/// One piece of a grid.
struct Piece<'a> {
    /// Its element.
    node: Node<'a, 'a>,
    /// How errors call it.
    name: String,
}

impl<'a> Piece<'a> {
    fn read(&self, storage: &mut Storage<'a>, assembly: &mut Assembly) -> Parsed<()> {
        let points: u64 = attribute(&self.node, "NumberOfPoints")?;
        let cells: u64 = attribute(&self.node, "NumberOfCells")?;
        if points == 0 && cells == 0 {
            return Ok(());
        }
        assembly.add_points(&self.points(storage, points)?)?;
        if cells == 0 {
            return Ok(());
        }
        let regions = self.regions(storage)?;
        assembly.add_cells(&self.cells(storage, cells)?, regions.as_ref())
    }

    fn points(&self, storage: &mut Storage<'a>, count: u64) -> Parsed<Array<'a>> {
        let parent = child(self.node, "Points")?;
        let node = child(parent, "DataArray")?;
        let each = node.attribute("NumberOfComponents").unwrap_or("3");
        if each.trim() != "3" {
            let why = format!("points of {each} coordinates, expected 3");
            return Err(ParseError::new(line(&node), Fault::Invalid(why)));
        }
        let part = format!("{}, Points", self.name);
        let array = storage.array(&node, &part, Reading::Real)?;
        expect_length(&array, count.saturating_mul(3), "coordinates")?;
        Ok(array)
    }

    fn cells(&self, storage: &mut Storage<'a>, count: u64) -> Parsed<Cells<'a>> {
        let parent = child(self.node, "Cells")?;
        let mut array = |name: &str| {
            let named = |node: &Node| {
                node.attribute("Name").is_some_and(|found| found.eq_ignore_ascii_case(name))
            };
            let Some(node) = children(parent, "DataArray").find(named) else {
                let why = format!("Cells has no DataArray named `{name}`");
                return Err(ParseError::new(line(&parent), Fault::Invalid(why)));
            };
            let part = format!("{}, {name}", self.name);
            storage.array(&node, &part, Reading::Whole)
        };
        let (nodes, ends, kinds) = (array("connectivity")?, array("offsets")?, array("types")?);
        expect_length(&ends, count, "offsets")?;
        Ok(Cells { nodes, bounds: Bounds::Ends { ends, skip: 0 }, kinds: Kinds::Each(kinds) })
    }

    /// The array of materials, if there is one.
    fn regions(&self, storage: &mut Storage<'a>) -> Parsed<Option<Array<'a>>> {
        let arrays = children(self.node, "CellData").flat_map(|data| children(data, "DataArray"));
        let named = arrays.filter_map(|node| {
            let single = node.attribute("NumberOfComponents").unwrap_or("1").trim() == "1";
            let numbers = Scalar::of_xml(node.attribute("type")?).is_some();
            let rank = region_rank(node.attribute("Name")?.as_bytes())?;
            (single && numbers).then_some((rank, node))
        });
        // The first of equals, as in a legacy file.
        let Some((_, node)) = named.min_by_key(|&(rank, _)| rank) else { return Ok(None) };
        let name = node.attribute("Name").unwrap_or_default();
        let part = format!("{}, cell data {name}", self.name);
        storage.array(&node, &part, Reading::Real).map(Some)
    }
}

fn expect_length(array: &Array, expected: u64, what: &str) -> Parsed<()> {
    if array.len() as u64 == expected {
        return Ok(());
    }
    let why = format!("{} {what}, but the piece announces {expected}", array.len());
    Err(ParseError::new(array.place(0), Fault::Invalid(why)))
}

#[cfg(test)]
mod tests;
