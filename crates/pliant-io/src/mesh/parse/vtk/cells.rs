//! Cells of a VTK file become tets and triangles; the others are counted and named.

use std::ops::Range;

use crate::mesh::parse::fan::fan;
use crate::mesh::parse::region::{self, region};
use crate::mesh::parse::skipped::{Names, QUADRILATERAL, TET, TRIANGLE, Tally};
use crate::mesh::parse::text::vertex;
use crate::mesh::parse::vtk::array::Array;
use crate::mesh::parse::{Fault, ParseError, Parsed};
use pliant::id::VertexId;
use pliant::mesh::raw::RawMesh;

use super::names::cell_names;

/// The cell type of a polygon.
pub(crate) const POLYGON: i64 = 7;
/// The cell type of a triangle strip.
pub(crate) const STRIP: i64 = 6;
/// The cell type of a chain of lines; with two nodes it is one line.
pub(crate) const POLYLINE: i64 = 4;
/// The cell type of a group of points; with one node it is one point.
pub(crate) const POLYVERTEX: i64 = 2;

/// Polygons and strips without any area.
const CORNERLESS: Names =
    ["polygon of fewer than three corners", "polygons of fewer than three corners"];

/// The most vertices that a [`VertexId`] can number, and so the most that are read.
const MOST_VERTICES: usize = u32::MAX as usize;

/// Cells of one grid, in the order of the file.
pub(crate) struct Cells<'a> {
    /// Vertex numbers, counted from 0; with [`Bounds::Counted`] also the counts.
    pub(crate) nodes: Array<'a>,
    /// Which of them belong to which cell.
    pub(crate) bounds: Bounds<'a>,
    /// What the cells are.
    pub(crate) kinds: Kinds<'a>,
}

/// Where the nodes of a cell begin and end.
pub(crate) enum Bounds<'a> {
    /// Every cell begins with the count of its nodes; holds the count of cells.
    Counted(usize),
    /// Cell `i` ends before node `ends[skip + i]`, and the next begins there.
    Ends { ends: Array<'a>, skip: usize },
}

/// VTK's numbers for what a cell is.
pub(crate) enum Kinds<'a> {
    /// One number for each cell.
    Each(Array<'a>),
    /// One for all.
    All(i64),
}

impl Cells<'_> {
    /// Count of the cells.
    pub(crate) fn len(&self) -> usize {
        match &self.bounds {
            Bounds::Counted(count) => *count,
            Bounds::Ends { ends, skip } => ends.len().saturating_sub(*skip),
        }
    }

    /// The nodes of a cell, given where the cell before ended.
    fn span(&self, cell: usize, at: usize) -> Parsed<Range<usize>> {
        let held = self.nodes.len();
        match &self.bounds {
            Bounds::Counted(_) => {
                if at >= held {
                    let why = format!("the numbers of all cells end before cell {cell}");
                    return Err(ParseError::new(self.nodes.place(at), Fault::Invalid(why)));
                }
                let count = whole(&self.nodes, at)?;
                let room = held - at - 1;
                if count < 0 || count as u64 > room as u64 {
                    let why =
                        format!("cell {cell} has {count} nodes, {room} numbers follow in all");
                    return Err(ParseError::new(self.nodes.place(at), Fault::Invalid(why)));
                }
                Ok(at + 1..at + 1 + count as usize)
            }
            Bounds::Ends { ends, skip } => {
                let end = whole(ends, skip + cell)?;
                if end < at as i64 || end as u64 > held as u64 {
                    let why = format!(
                        "cell {cell} ends at node {end}, expected a number from {at} to {held}"
                    );
                    return Err(ParseError::new(ends.place(skip + cell), Fault::Invalid(why)));
                }
                Ok(at..end as usize)
            }
        }
    }
}

/// How the corners of a cell become tets or triangles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Tet,
    /// Triangles from the first corner.
    Fan,
    /// A quad whose corners run row by row instead of around.
    Pixel,
    /// Each corner makes a triangle with the two before.
    Strip,
}

/// What is taken from one type of cell.
#[derive(Clone, Copy, Debug)]
struct Shape {
    /// What the corners become.
    form: Form,
    /// Count of leading nodes that are corners; `None` when all are.
    corners: Option<usize>,
    /// Fewest and most nodes.
    nodes: (usize, usize),
}

/// What is taken from cells of a type; `None` when they are left out.
fn shape(kind: i64) -> Option<Shape> {
    let (form, corners, least, most) = match kind {
        POLYGON => (Form::Fan, None, 3, usize::MAX),
        STRIP => (Form::Strip, None, 3, usize::MAX),
        8 => (Form::Pixel, Some(4), 4, 4),
        5 => (Form::Fan, Some(3), 3, 3),
        22 => (Form::Fan, Some(3), 6, 6),
        34 => (Form::Fan, Some(3), 7, 7),
        61 | 69 | 76 => (Form::Fan, Some(3), 3, usize::MAX),
        9 => (Form::Fan, Some(4), 4, 4),
        23 => (Form::Fan, Some(4), 8, 8),
        28 => (Form::Fan, Some(4), 9, 9),
        30 => (Form::Fan, Some(4), 6, 6),
        62 | 70 | 77 => (Form::Fan, Some(4), 4, usize::MAX),
        10 => (Form::Tet, Some(4), 4, 4),
        24 => (Form::Tet, Some(4), 10, 10),
        64 | 71 | 78 => (Form::Tet, Some(4), 4, usize::MAX),
        _ => return None,
    };
    Some(Shape { form, corners, nodes: (least, most) })
}

/// Gathers the grids of a file into one mesh.
#[derive(Default)]
pub(crate) struct Assembly {
    /// What was taken so far, its notices yet to come.
    mesh: RawMesh,
    /// Vertex that number 0 of the current grid stands for.
    base: usize,
    /// Cells of other kinds.
    left_out: Tally,
    /// Cells that had nodes besides their corners.
    higher_order: Tally,
    /// Count of tets whose number is no region.
    regionless: usize,
    /// Corners of the current cell.
    corners: Vec<VertexId>,
}

impl Assembly {
    /// Starts the next grid with its vertices.
    pub(crate) fn add_points(&mut self, points: &Array) -> Parsed<()> {
        self.base = self.mesh.positions.len();
        let count = points.len() / 3;
        if count > MOST_VERTICES - self.base {
            let why = format!("more than {MOST_VERTICES} vertices");
            return Err(ParseError::new(points.place(0), Fault::Unsupported(why)));
        }
        self.mesh.positions.reserve(count);
        self.mesh.positions.extend(points.points());
        Ok(())
    }

    /// Adds cells of the grid whose vertices came last; `regions` has one number per cell.
    pub(crate) fn add_cells(&mut self, cells: &Cells, regions: Option<&Array>) -> Parsed<()> {
        let count = cells.len();
        if let Kinds::Each(kinds) = &cells.kinds {
            check_length(kinds, count, "cell types")?;
        }
        if let Some(regions) = regions {
            check_length(regions, count, "regions")?;
        }
        let mut at = 0;
        for cell in 0..count {
            let nodes = cells.span(cell, at)?;
            at = nodes.end;
            let kind = match &cells.kinds {
                Kinds::Each(kinds) => whole(kinds, cell)?,
                Kinds::All(kind) => *kind,
            };
            self.add_cell(kind, &cells.nodes, nodes, regions.map(|r| r.real(cell)))?;
        }
        if at < cells.nodes.len() {
            let why = format!("{} numbers follow the last cell", cells.nodes.len() - at);
            return Err(ParseError::new(cells.nodes.place(at), Fault::Invalid(why)));
        }
        Ok(())
    }

    /// The mesh, with notices of all that was left out or changed.
    pub(crate) fn finish(self) -> RawMesh {
        let mut mesh = self.mesh;
        mesh.notices.extend(self.higher_order.higher_order());
        mesh.notices.extend(self.left_out.left_out());
        mesh.notices.extend(region::notice(self.regionless));
        mesh
    }

    fn add_cell(
        &mut self,
        kind: i64,
        nodes: &Array,
        span: Range<usize>,
        region_number: Option<f64>,
    ) -> Parsed<()> {
        let Some(shape) = shape(kind) else {
            self.leave_out(kind, span.len());
            return Ok(());
        };
        let (least, most) = shape.nodes;
        if shape.corners.is_none() && span.len() < least {
            self.left_out.add(CORNERLESS, 1);
            return Ok(());
        }
        if span.len() < least || span.len() > most {
            let why = format!(
                "a cell of type {kind} has {} nodes, expected {least}{}",
                span.len(),
                if most > least { " or more" } else { "" }
            );
            return Err(ParseError::new(nodes.place(span.start), Fault::Invalid(why)));
        }
        let taken = shape.corners.unwrap_or(span.len());
        if span.len() > taken {
            let names = match (shape.form, taken) {
                (Form::Tet, _) => TET,
                (_, 3) => TRIANGLE,
                _ => QUADRILATERAL,
            };
            self.higher_order.add(names, 1);
        }
        self.read_corners(nodes, span.start..span.start + taken)?;
        self.cut(shape.form);
        if shape.form == Form::Tet {
            let region = region_number.map_or(Some(0), region);
            self.regionless += usize::from(region.is_none());
            self.mesh.regions.push(region.unwrap_or(0));
        }
        Ok(())
    }

    fn leave_out(&mut self, kind: i64, nodes: usize) {
        // As VTK itself distinguishes them when it reads polygonal data.
        let kind = match (kind, nodes) {
            (POLYVERTEX, 1) => POLYVERTEX - 1,
            (POLYLINE, 2) => POLYLINE - 1,
            _ => kind,
        };
        self.left_out.add(cell_names(kind), 1);
    }

    fn read_corners(&mut self, nodes: &Array, span: Range<usize>) -> Parsed<()> {
        let count = self.mesh.positions.len() - self.base;
        self.corners.clear();
        for k in span {
            match nodes.whole(k).and_then(|number| vertex(number, 0, count)) {
                // Below `MOST_VERTICES`, as `add_points` saw to.
                Ok(corner) => self.corners.push(VertexId(corner.0 + self.base as u32)),
                Err(fault) => return Err(ParseError::new(nodes.place(k), fault)),
            }
        }
        Ok(())
    }

    /// Cuts the current corners into tets or triangles.
    fn cut(&mut self, form: Form) {
        match (form, self.corners.as_slice()) {
            (Form::Tet, &[v0, v1, v2, v3]) => self.mesh.tets.push([v0, v1, v2, v3]),
            (Form::Pixel, &[v0, v1, v2, v3]) => {
                self.mesh.triangles.extend([[v0, v1, v3], [v0, v3, v2]]);
            }
            (Form::Fan, corners) => fan(corners, &mut self.mesh.triangles),
            (Form::Strip, corners) => {
                // Every other triangle is turned, so that all face the same way.
                let triangles = corners.windows(3).enumerate().map(|(i, v)| match i % 2 {
                    0 => [v[0], v[1], v[2]],
                    _ => [v[1], v[0], v[2]],
                });
                self.mesh.triangles.extend(triangles);
            }
            (_, corners) => debug_assert!(false, "{form:?} of {corners:?}"),
        }
    }
}

fn whole(array: &Array, k: usize) -> Parsed<i64> {
    array.whole(k).map_err(|fault| ParseError::new(array.place(k), fault))
}

fn check_length(array: &Array, cells: usize, what: &str) -> Parsed<()> {
    if array.len() == cells {
        return Ok(());
    }
    let why = format!("{} {what} for {cells} cells", array.len());
    Err(ParseError::new(array.place(0), Fault::Invalid(why)))
}
