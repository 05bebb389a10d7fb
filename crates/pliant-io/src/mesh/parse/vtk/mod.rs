//! Legacy VTK files, versions 1.0 to 5.1, as text or with big-endian bytes.
//!
//! Read are unstructured grids and polygonal data: points, cells, and the cell data
//! that holds materials. All other data is passed over by its announced size.

use crate::mesh::parse::binary::Endian;
use crate::mesh::parse::scalar::Scalar;
use crate::mesh::parse::text::{Text, quote, to_f64};
use crate::mesh::parse::{Fault, ParseError, Parsed, Place, check_room};
use pliant::mesh::raw::RawMesh;

pub(crate) mod array;

pub(crate) mod cells;

pub(crate) mod names;

mod attributes;

use array::{Array, BYTES_PER_WORD, Reading};
use cells::{Assembly, Bounds, Cells, Kinds, POLYGON, POLYLINE, POLYVERTEX, STRIP};

/// Opening words of every legacy file.
const MAGIC: &[u8] = b"# vtk DataFile Version";

/// Versions from this one on are not known.
const UNKNOWN_VERSION: f64 = 6.0;

/// Datasets of the format that hold neither tets nor triangles.
const OTHER_DATASETS: [&[u8]; 6] = [
    b"STRUCTURED_POINTS",
    b"STRUCTURED_GRID",
    b"RECTILINEAR_GRID",
    b"FIELD",
    b"DIRECTED_GRAPH",
    b"UNDIRECTED_GRAPH",
];

/// Reads a legacy VTK file.
///
/// Tets, triangles, quads, polygons and strips are taken, the four corners of tets of
/// higher order too; other cells are counted in a notice. Text keeps all its digits,
/// also where it announces 32 bits. Errors are placed by line in a text file and by byte
/// in a binary one.
pub fn parse(bytes: &[u8]) -> Parsed<RawMesh> {
    let mut text = Text::new(bytes, None);
    let storage = header(&mut text)?;
    let mut reader = Reader::new(bytes, text, storage);
    let mesh = reader.sections().and_then(|()| reader.assemble());
    mesh.map_err(|error| reader.placed(error))
}

/// How the numbers of a file are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Storage {
    Text,
    Bytes,
}

/// What a file describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Dataset {
    Grid,
    Polygons,
}

/// Reads one file from front to back.
struct Reader<'a> {
    /// All bytes, for the places of errors.
    file: &'a [u8],
    /// The words of the file, and the bytes between them.
    text: Text<'a>,
    storage: Storage,
    /// `None` until `DATASET` comes.
    dataset: Option<Dataset>,
    /// Coordinates, m, by threes; `None` until `POINTS` comes.
    points: Option<Array<'a>>,
    /// Cells by section; those of a grid have no types until the end.
    cells: Vec<Cells<'a>>,
    /// Types of a grid's cells; `None` until `CELL_TYPES` comes.
    kinds: Option<Array<'a>>,
    attributes: attributes::Attributes<'a>,
    notices: Vec<String>,
}

/// Reads the three lines that every file begins with.
fn header(text: &mut Text) -> Parsed<Storage> {
    let wanted = "`# vtk DataFile Version` and a number";
    let Some(line) = text.line() else {
        return Err(text.fault(Fault::Truncated { wanted: wanted.to_string() }));
    };
    let version = match line.split_at_checked(MAGIC.len()) {
        Some((magic, rest)) if magic.eq_ignore_ascii_case(MAGIC) => to_f64(rest.trim_ascii()),
        _ => None,
    };
    match version {
        None if line.starts_with(b"<") => {
            let why = "an XML file, not a legacy VTK file: give it the ending .vtu".to_string();
            return Err(text.fault(Fault::Unsupported(why)));
        }
        None => return Err(text.unexpected(wanted, line)),
        Some(version) if version < UNKNOWN_VERSION => {}
        Some(version) => {
            let why = format!("version {version} of the format, versions 1.0 to 5.1 are read");
            return Err(text.fault(Fault::Unsupported(why)));
        }
    }
    if text.line().is_none() {
        return Err(text.fault(Fault::Truncated { wanted: "a title".to_string() }));
    }
    match text.need("`ASCII` or `BINARY`")? {
        word if word.eq_ignore_ascii_case(b"ASCII") => Ok(Storage::Text),
        word if word.eq_ignore_ascii_case(b"BINARY") => Ok(Storage::Bytes),
        word => Err(text.unexpected("`ASCII` or `BINARY`", word)),
    }
}

impl<'a> Reader<'a> {
    fn new(file: &'a [u8], text: Text<'a>, storage: Storage) -> Reader<'a> {
        Reader {
            file,
            text,
            storage,
            dataset: None,
            points: None,
            cells: Vec::new(),
            kinds: None,
            attributes: attributes::Attributes::default(),
            notices: Vec::new(),
        }
    }

    /// Reads all sections up to the end of the file.
    fn sections(&mut self) -> Parsed<()> {
        while let Some(word) = self.text.word() {
            match word.to_ascii_uppercase().as_slice() {
                b"DATASET" => self.read_dataset()?,
                b"FIELD" => self.read_field()?,
                b"METADATA" => self.skip_metadata(),
                _ if self.dataset.is_none() => {
                    return Err(self.text.unexpected("`DATASET`", word));
                }
                b"POINTS" => self.read_points()?,
                b"CELLS" => self.read_grid_cells()?,
                b"CELL_TYPES" => self.read_kinds()?,
                b"VERTICES" => self.read_cells(Kinds::All(POLYVERTEX))?,
                b"LINES" => self.read_cells(Kinds::All(POLYLINE))?,
                b"POLYGONS" => self.read_cells(Kinds::All(POLYGON))?,
                b"TRIANGLE_STRIPS" => self.read_cells(Kinds::All(STRIP))?,
                keyword => {
                    if !self.read_attribute(keyword)? {
                        return self.stop_at(word);
                    }
                }
            }
        }
        Ok(())
    }

    /// Puts together what was read.
    fn assemble(&mut self) -> Parsed<RawMesh> {
        let missing = |text: &Text, section: &str| {
            Err(text.fault(Fault::Truncated { wanted: format!("`{section}`") }))
        };
        if self.dataset.is_none() {
            return missing(&self.text, "DATASET");
        }
        let Some(points) = self.points.take() else {
            return missing(&self.text, "POINTS");
        };
        let mut regions = None;
        if self.dataset == Some(Dataset::Grid) {
            match (self.cells.first_mut(), self.kinds.take()) {
                (Some(cells), Some(kinds)) => cells.kinds = Kinds::Each(kinds),
                (Some(_), None) => return missing(&self.text, "CELL_TYPES"),
                // VTK writes a grid of nothing without these sections.
                (None, _) if points.len() == 0 => {}
                (None, _) => return missing(&self.text, "CELLS"),
            }
            regions = self.attributes.region.as_ref().map(|(_, array)| array);
        }
        let mut assembly = Assembly::default();
        assembly.add_points(&points)?;
        for cells in &self.cells {
            assembly.add_cells(cells, regions)?;
        }
        let mut mesh = assembly.finish();
        mesh.notices.append(&mut self.notices);
        Ok(mesh)
    }

    /// Lines mean little in a binary file: the byte is named instead.
    fn placed(&self, error: ParseError) -> ParseError {
        match (self.storage, &error.place) {
            (Storage::Bytes, Place::Line(_)) => {
                ParseError::new(Place::Byte(self.text.offset()), error.fault)
            }
            _ => error,
        }
    }

    fn read_dataset(&mut self) -> Parsed<()> {
        if self.dataset.is_some() {
            return Err(self.text.invalid("`DATASET` stands here for the second time"));
        }
        let wanted = "`UNSTRUCTURED_GRID` or `POLYDATA`";
        let word = self.text.need(wanted)?;
        self.dataset = Some(match word.to_ascii_uppercase().as_slice() {
            b"UNSTRUCTURED_GRID" => Dataset::Grid,
            b"POLYDATA" => Dataset::Polygons,
            known if OTHER_DATASETS.contains(&known) => {
                let why = format!("a dataset of type {}, expected {wanted}", quote(word));
                return Err(self.text.fault(Fault::Unsupported(why)));
            }
            _ => return Err(self.text.unexpected(wanted, word)),
        });
        Ok(())
    }

    fn read_points(&mut self) -> Parsed<()> {
        if self.points.is_some() {
            return Err(self.text.invalid("`POINTS` stands here for the second time"));
        }
        let count = self.read_count("the number of points")?;
        let kind = self.read_kind()?;
        self.begin_data();
        self.points = Some(self.read_array((count, 3), kind, Reading::Real, "a coordinate")?);
        Ok(())
    }

    fn read_grid_cells(&mut self) -> Parsed<()> {
        if !self.cells.is_empty() {
            return Err(self.text.invalid("`CELLS` stands here for the second time"));
        }
        self.read_cells(Kinds::All(0))
    }

    fn read_kinds(&mut self) -> Parsed<()> {
        let count = self.read_count("the number of cell types")?;
        self.begin_data();
        self.kinds =
            Some(self.read_array((count, 1), Scalar::I32, Reading::Whole, "a cell type")?);
        Ok(())
    }

    /// Reads cells in either of the two layouts, distinguished by the word `OFFSETS`.
    fn read_cells(&mut self, kinds: Kinds<'a>) -> Parsed<()> {
        let cells = self.read_count("the number of cells")?;
        let size = self.read_count("the number of numbers of all cells")?;
        if !self.comes_next(b"OFFSETS") {
            self.begin_data();
            let nodes =
                self.read_array((size, 1), Scalar::I32, Reading::Whole, "a vertex number")?;
            if cells > size {
                let why = format!("{cells} cells, but {size} numbers for all of them");
                return Err(self.text.invalid(why));
            }
            self.cells.push(Cells { nodes, bounds: Bounds::Counted(cells as usize), kinds });
            return Ok(());
        }
        self.text.expect("OFFSETS")?;
        let ends = self.read_typed_array(cells, "an offset")?;
        self.text.expect("CONNECTIVITY")?;
        let nodes = self.read_typed_array(size, "a vertex number")?;
        if cells > 0 && ends.whole(0) != Ok(0) {
            let why = format!("the first offset is {}, expected 0", ends.real(0));
            return Err(ParseError::new(ends.place(0), Fault::Invalid(why)));
        }
        self.cells.push(Cells { nodes, bounds: Bounds::Ends { ends, skip: 1 }, kinds });
        Ok(())
    }

    /// Reads a type and an array of it.
    fn read_typed_array(&mut self, count: u64, wanted: &str) -> Parsed<Array<'a>> {
        let kind = self.read_kind()?;
        self.begin_data();
        self.read_array((count, 1), kind, Reading::Whole, wanted)
    }

    /// Reads an array of so many tuples of so many numbers.
    fn read_array(
        &mut self,
        size: (u64, u64),
        kind: Scalar,
        reading: Reading,
        wanted: &str,
    ) -> Parsed<Array<'a>> {
        let count = self.check_size(size, kind)?;
        if self.storage == Storage::Text {
            return Array::from_words(&mut self.text, self.file, count, reading, wanted);
        }
        let start = self.text.offset();
        // In range, as `check_size` compared with the rest of the file.
        let bytes = kind.bytes_for(count as u64).and_then(|length| self.text.rest().get(..length));
        let bytes = bytes.unwrap_or_default();
        self.text.seek(start + bytes.len());
        Ok(Array::from_file(bytes, count, start, kind, Endian::Big))
    }

    /// The count of numbers of an array, if the rest of the file can hold them.
    fn check_size(&self, (tuples, each): (u64, u64), kind: Scalar) -> Parsed<usize> {
        let rest = self.text.rest().len();
        let room = match self.storage {
            // The last word may go without the space after it.
            Storage::Text => (rest + 1) as u64 / BYTES_PER_WORD,
            Storage::Bytes => kind.count_in(rest),
        };
        let count = tuples.saturating_mul(each);
        check_room(count, "numbers", room).map_err(|fault| self.text.fault(fault))
    }

    fn read_count(&mut self, what: &str) -> Parsed<u64> {
        let count = self.text.integer(what)?;
        u64::try_from(count).map_err(|_| self.text.invalid(format!("{what} is {count}")))
    }

    fn read_kind(&mut self) -> Parsed<Scalar> {
        let word = self.text.need("a number type")?;
        Scalar::of_legacy(word)
            .ok_or_else(|| self.text.unexpected("a number type such as `double`", word))
    }

    /// Moves to the first number: bytes begin on the line after their keywords.
    fn begin_data(&mut self) {
        if self.storage == Storage::Bytes {
            self.text.line();
        }
    }

    fn comes_next(&mut self, keyword: &[u8]) -> bool {
        self.text.peek().is_some_and(|word| word.eq_ignore_ascii_case(keyword))
    }

    /// Passes over a block of remarks, which ends with an empty line.
    fn skip_metadata(&mut self) {
        self.text.line();
        while self.text.line().is_some_and(|line| !line.is_empty()) {}
    }

    /// Ends the reading at a word that opens no known section.
    ///
    /// An error as long as the mesh is not complete; after that only cell data can be
    /// missing, and a notice says so.
    fn stop_at(&mut self, word: &[u8]) -> Parsed<()> {
        let complete = match self.dataset {
            Some(Dataset::Grid) => !self.cells.is_empty() && self.kinds.is_some(),
            _ => !self.cells.is_empty(),
        };
        let error = self.placed(self.text.unexpected("the name of a section", word));
        if !complete || self.points.is_none() {
            return Err(error);
        }
        self.notices.push(format!("read nothing from {} on: {}", error.place, error.fault));
        Ok(())
    }
}

#[cfg(test)]
mod tests;
